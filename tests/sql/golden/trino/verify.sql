SELECT "ts", "epid", "serviceid", "functiontype", "clickid", stored_hash, computed_hash
FROM (
  SELECT
    "ts",
    "epid",
    "serviceid",
    "functiontype",
    "clickid",
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
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
