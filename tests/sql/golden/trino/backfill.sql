-- The hash is part of the key, which no UPDATE changes. Every column of the table must be
-- named here, or the first statement writes no row.
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one.
INSERT INTO "bronze"."nas_copilot_call" ("ts", "epid", "serviceid", "functiontype", "clickid", "response", "userid", "comp", "suborg", "llmurl", "llmtype", "input", "output", "func_name", "func_name_en", "analyticsyn", "devicetype", "row_hash")
SELECT "ts", "epid", "serviceid", "functiontype", "clickid", "response", "userid", "comp", "suborg", "llmurl", "llmtype", "input", "output", "func_name", "func_name_en", "analyticsyn", "devicetype", computed_hash
FROM (
  SELECT
    "ts",
    "epid",
    "serviceid",
    "functiontype",
    "clickid",
    "response",
    "userid",
    "comp",
    "suborg",
    "llmurl",
    "llmtype",
    "input",
    "output",
    "func_name",
    "func_name_en",
    "analyticsyn",
    "devicetype",
    "row_hash" AS stored_hash,
    lower(to_hex(md5(to_utf8(array_join(ARRAY[
      nullif("analyticsyn", ''),
      nullif("clickid", ''),
      nullif("comp", ''),
      nullif("devicetype", ''),
      nullif("epid", ''),
      nullif("func_name", ''),
      nullif("func_name_en", ''),
      nullif("functiontype", ''),
      nullif("input", ''),
      nullif("llmtype", ''),
      nullif("llmurl", ''),
      nullif("output", ''),
      nullif("response", ''),
      nullif("serviceid", ''),
      nullif("suborg", ''),
      nullif("ts", ''),
      nullif("userid", '')
    ], '|', '\N'))))) AS computed_hash
  FROM "bronze"."nas_copilot_call"
) AS hashed
WHERE (stored_hash IS NULL OR stored_hash <> computed_hash)
  AND NOT EXISTS (SELECT 1 FROM information_schema.columns
    WHERE table_schema = 'bronze' AND table_name = 'nas_copilot_call'
      AND column_name NOT IN ('ts', 'epid', 'serviceid', 'functiontype', 'clickid', 'response', 'userid', 'comp', 'suborg', 'llmurl', 'llmtype', 'input', 'output', 'func_name', 'func_name_en', 'analyticsyn', 'devicetype', 'row_hash'));

-- 2. Deletes a row that has a wrong hash once its right one is there.
DELETE FROM "bronze"."nas_copilot_call"
WHERE "row_hash" <> lower(to_hex(md5(to_utf8(array_join(ARRAY[
  nullif("analyticsyn", ''),
  nullif("clickid", ''),
  nullif("comp", ''),
  nullif("devicetype", ''),
  nullif("epid", ''),
  nullif("func_name", ''),
  nullif("func_name_en", ''),
  nullif("functiontype", ''),
  nullif("input", ''),
  nullif("llmtype", ''),
  nullif("llmurl", ''),
  nullif("output", ''),
  nullif("response", ''),
  nullif("serviceid", ''),
  nullif("suborg", ''),
  nullif("ts", ''),
  nullif("userid", '')
], '|', '\N')))))
  AND ("ts", "epid", "serviceid", "functiontype", "clickid", lower(to_hex(md5(to_utf8(array_join(ARRAY[
    nullif("analyticsyn", ''),
    nullif("clickid", ''),
    nullif("comp", ''),
    nullif("devicetype", ''),
    nullif("epid", ''),
    nullif("func_name", ''),
    nullif("func_name_en", ''),
    nullif("functiontype", ''),
    nullif("input", ''),
    nullif("llmtype", ''),
    nullif("llmurl", ''),
    nullif("output", ''),
    nullif("response", ''),
    nullif("serviceid", ''),
    nullif("suborg", ''),
    nullif("ts", ''),
    nullif("userid", '')
  ], '|', '\N')))))) IN (SELECT "ts", "epid", "serviceid", "functiontype", "clickid", "row_hash" FROM "bronze"."nas_copilot_call");
