-- By the documentation of BigQuery: no test of this project runs it.
UPDATE `bronze`.`nas_copilot_call`
SET `row_hash` = TO_HEX(MD5(ARRAY_TO_STRING([
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
], '|', '\\N')))
WHERE `row_hash` IS NULL OR `row_hash` <> TO_HEX(MD5(ARRAY_TO_STRING([
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
], '|', '\\N')));
