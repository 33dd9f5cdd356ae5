-- By the documentation of BigQuery: no test of this project runs it.
SELECT `ts`, `epid`, `serviceid`, `functiontype`, `clickid`, stored_hash, computed_hash
FROM (
  SELECT
    `ts`,
    `epid`,
    `serviceid`,
    `functiontype`,
    `clickid`,
    `row_hash` AS stored_hash,
    TO_HEX(MD5(ARRAY_TO_STRING([
      nullif(`analyticsyn`, ''),
      nullif(`clickid`, ''),
      nullif(`comp`, ''),
      nullif(`devicetype`, ''),
      nullif(`epid`, ''),
      nullif(`func_name`, ''),
      nullif(`func_name_en`, ''),
      nullif(`functiontype`, ''),
      nullif(`input`, ''),
      nullif(`llmtype`, ''),
      nullif(`llmurl`, ''),
      nullif(`output`, ''),
      nullif(`response`, ''),
      nullif(`serviceid`, ''),
      nullif(`suborg`, ''),
      nullif(`ts`, ''),
      nullif(`userid`, '')
    ], '|', '\\N'))) AS computed_hash
  FROM `bronze`.`nas_copilot_call`
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
