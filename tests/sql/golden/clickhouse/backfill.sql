-- The hash is part of the key, which no mutation changes.
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one and all else as it is.
INSERT INTO "bronze"."nas_copilot_call"
SELECT * REPLACE (
  lower(hex(MD5(concat_ws('|',
    coalesce(nullif(w."analyticsyn", ''), '\\N'),
    coalesce(nullif(w."clickid", ''), '\\N'),
    coalesce(nullif(w."comp", ''), '\\N'),
    coalesce(nullif(w."devicetype", ''), '\\N'),
    coalesce(nullif(w."epid", ''), '\\N'),
    coalesce(nullif(w."func_name", ''), '\\N'),
    coalesce(nullif(w."func_name_en", ''), '\\N'),
    coalesce(nullif(w."functiontype", ''), '\\N'),
    coalesce(nullif(w."input", ''), '\\N'),
    coalesce(nullif(w."llmtype", ''), '\\N'),
    coalesce(nullif(w."llmurl", ''), '\\N'),
    coalesce(nullif(w."output", ''), '\\N'),
    coalesce(nullif(w."response", ''), '\\N'),
    coalesce(nullif(w."serviceid", ''), '\\N'),
    coalesce(nullif(w."suborg", ''), '\\N'),
    coalesce(nullif(w."ts", ''), '\\N'),
    coalesce(nullif(w."userid", ''), '\\N')
  )))) AS "row_hash"
)
FROM "bronze"."nas_copilot_call" AS w
WHERE w."row_hash" <> lower(hex(MD5(concat_ws('|',
  coalesce(nullif(w."analyticsyn", ''), '\\N'),
  coalesce(nullif(w."clickid", ''), '\\N'),
  coalesce(nullif(w."comp", ''), '\\N'),
  coalesce(nullif(w."devicetype", ''), '\\N'),
  coalesce(nullif(w."epid", ''), '\\N'),
  coalesce(nullif(w."func_name", ''), '\\N'),
  coalesce(nullif(w."func_name_en", ''), '\\N'),
  coalesce(nullif(w."functiontype", ''), '\\N'),
  coalesce(nullif(w."input", ''), '\\N'),
  coalesce(nullif(w."llmtype", ''), '\\N'),
  coalesce(nullif(w."llmurl", ''), '\\N'),
  coalesce(nullif(w."output", ''), '\\N'),
  coalesce(nullif(w."response", ''), '\\N'),
  coalesce(nullif(w."serviceid", ''), '\\N'),
  coalesce(nullif(w."suborg", ''), '\\N'),
  coalesce(nullif(w."ts", ''), '\\N'),
  coalesce(nullif(w."userid", ''), '\\N')
))));

-- 2. Deletes a row that has a wrong hash once its right one is there.
ALTER TABLE "bronze"."nas_copilot_call" DELETE
WHERE "row_hash" <> lower(hex(MD5(concat_ws('|',
  coalesce(nullif("analyticsyn", ''), '\\N'),
  coalesce(nullif("clickid", ''), '\\N'),
  coalesce(nullif("comp", ''), '\\N'),
  coalesce(nullif("devicetype", ''), '\\N'),
  coalesce(nullif("epid", ''), '\\N'),
  coalesce(nullif("func_name", ''), '\\N'),
  coalesce(nullif("func_name_en", ''), '\\N'),
  coalesce(nullif("functiontype", ''), '\\N'),
  coalesce(nullif("input", ''), '\\N'),
  coalesce(nullif("llmtype", ''), '\\N'),
  coalesce(nullif("llmurl", ''), '\\N'),
  coalesce(nullif("output", ''), '\\N'),
  coalesce(nullif("response", ''), '\\N'),
  coalesce(nullif("serviceid", ''), '\\N'),
  coalesce(nullif("suborg", ''), '\\N'),
  coalesce(nullif("ts", ''), '\\N'),
  coalesce(nullif("userid", ''), '\\N')
))))
  AND ("ts", "epid", "serviceid", "functiontype", "clickid", lower(hex(MD5(concat_ws('|',
    coalesce(nullif("analyticsyn", ''), '\\N'),
    coalesce(nullif("clickid", ''), '\\N'),
    coalesce(nullif("comp", ''), '\\N'),
    coalesce(nullif("devicetype", ''), '\\N'),
    coalesce(nullif("epid", ''), '\\N'),
    coalesce(nullif("func_name", ''), '\\N'),
    coalesce(nullif("func_name_en", ''), '\\N'),
    coalesce(nullif("functiontype", ''), '\\N'),
    coalesce(nullif("input", ''), '\\N'),
    coalesce(nullif("llmtype", ''), '\\N'),
    coalesce(nullif("llmurl", ''), '\\N'),
    coalesce(nullif("output", ''), '\\N'),
    coalesce(nullif("response", ''), '\\N'),
    coalesce(nullif("serviceid", ''), '\\N'),
    coalesce(nullif("suborg", ''), '\\N'),
    coalesce(nullif("ts", ''), '\\N'),
    coalesce(nullif("userid", ''), '\\N')
  ))))) IN (SELECT "ts", "epid", "serviceid", "functiontype", "clickid", "row_hash" FROM "bronze"."nas_copilot_call");
