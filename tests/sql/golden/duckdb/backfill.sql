-- Run both statements in this order; after a failure begin again with the first.

-- 1. Deletes a row that has a wrong hash and is there with the right one as well.
DELETE FROM "bronze"."nas_copilot_call"
WHERE "row_hash" <> md5(concat_ws('|',
  coalesce(nullif("analyticsyn", ''), '\N'),
  coalesce(nullif("clickid", ''), '\N'),
  coalesce(nullif("comp", ''), '\N'),
  coalesce(nullif("devicetype", ''), '\N'),
  coalesce(nullif("epid", ''), '\N'),
  coalesce(nullif("func_name", ''), '\N'),
  coalesce(nullif("func_name_en", ''), '\N'),
  coalesce(nullif("functiontype", ''), '\N'),
  coalesce(nullif("input", ''), '\N'),
  coalesce(nullif("llmtype", ''), '\N'),
  coalesce(nullif("llmurl", ''), '\N'),
  coalesce(nullif("output", ''), '\N'),
  coalesce(nullif("response", ''), '\N'),
  coalesce(nullif("serviceid", ''), '\N'),
  coalesce(nullif("suborg", ''), '\N'),
  coalesce(nullif("ts", ''), '\N'),
  coalesce(nullif("userid", ''), '\N')
))
  AND ("ts", "epid", "serviceid", "functiontype", "clickid", md5(concat_ws('|',
    coalesce(nullif("analyticsyn", ''), '\N'),
    coalesce(nullif("clickid", ''), '\N'),
    coalesce(nullif("comp", ''), '\N'),
    coalesce(nullif("devicetype", ''), '\N'),
    coalesce(nullif("epid", ''), '\N'),
    coalesce(nullif("func_name", ''), '\N'),
    coalesce(nullif("func_name_en", ''), '\N'),
    coalesce(nullif("functiontype", ''), '\N'),
    coalesce(nullif("input", ''), '\N'),
    coalesce(nullif("llmtype", ''), '\N'),
    coalesce(nullif("llmurl", ''), '\N'),
    coalesce(nullif("output", ''), '\N'),
    coalesce(nullif("response", ''), '\N'),
    coalesce(nullif("serviceid", ''), '\N'),
    coalesce(nullif("suborg", ''), '\N'),
    coalesce(nullif("ts", ''), '\N'),
    coalesce(nullif("userid", ''), '\N')
  ))) IN (SELECT "ts", "epid", "serviceid", "functiontype", "clickid", "row_hash" FROM "bronze"."nas_copilot_call");

-- 2. Gives the others their hash. Two rows that become one are a violation of the key, which
-- changes nothing: delete one of them.
UPDATE "bronze"."nas_copilot_call"
SET "row_hash" = md5(concat_ws('|',
  coalesce(nullif("analyticsyn", ''), '\N'),
  coalesce(nullif("clickid", ''), '\N'),
  coalesce(nullif("comp", ''), '\N'),
  coalesce(nullif("devicetype", ''), '\N'),
  coalesce(nullif("epid", ''), '\N'),
  coalesce(nullif("func_name", ''), '\N'),
  coalesce(nullif("func_name_en", ''), '\N'),
  coalesce(nullif("functiontype", ''), '\N'),
  coalesce(nullif("input", ''), '\N'),
  coalesce(nullif("llmtype", ''), '\N'),
  coalesce(nullif("llmurl", ''), '\N'),
  coalesce(nullif("output", ''), '\N'),
  coalesce(nullif("response", ''), '\N'),
  coalesce(nullif("serviceid", ''), '\N'),
  coalesce(nullif("suborg", ''), '\N'),
  coalesce(nullif("ts", ''), '\N'),
  coalesce(nullif("userid", ''), '\N')
))
WHERE "row_hash" IS NULL OR "row_hash" <> md5(concat_ws('|',
  coalesce(nullif("analyticsyn", ''), '\N'),
  coalesce(nullif("clickid", ''), '\N'),
  coalesce(nullif("comp", ''), '\N'),
  coalesce(nullif("devicetype", ''), '\N'),
  coalesce(nullif("epid", ''), '\N'),
  coalesce(nullif("func_name", ''), '\N'),
  coalesce(nullif("func_name_en", ''), '\N'),
  coalesce(nullif("functiontype", ''), '\N'),
  coalesce(nullif("input", ''), '\N'),
  coalesce(nullif("llmtype", ''), '\N'),
  coalesce(nullif("llmurl", ''), '\N'),
  coalesce(nullif("output", ''), '\N'),
  coalesce(nullif("response", ''), '\N'),
  coalesce(nullif("serviceid", ''), '\N'),
  coalesce(nullif("suborg", ''), '\N'),
  coalesce(nullif("ts", ''), '\N'),
  coalesce(nullif("userid", ''), '\N')
));
