SELECT "ts", "epid", "serviceid", "functiontype", "clickid", stored_hash, computed_hash
FROM (
  SELECT
    "ts",
    "epid",
    "serviceid",
    "functiontype",
    "clickid",
    "row_hash" AS stored_hash,
    lower(hex(MD5(concat_ws('|',
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
    )))) AS computed_hash
  FROM "bronze"."nas_copilot_call"
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
