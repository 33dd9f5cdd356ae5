-- Spark keeps no key: load with MERGE, in a table format that has it, on all columns of the key.
CREATE TABLE `bronze`.`nas_copilot_call` (
  `ts` STRING NOT NULL,
  `epid` STRING NOT NULL,
  `serviceid` STRING NOT NULL,
  `functiontype` STRING NOT NULL,
  `clickid` STRING NOT NULL,
  `row_hash` STRING NOT NULL,
  `response` STRING,
  `userid` STRING,
  `comp` STRING,
  `suborg` STRING,
  `llmurl` STRING,
  `llmtype` STRING,
  `input` STRING,
  `output` STRING,
  `func_name` STRING,
  `func_name_en` STRING,
  `analyticsyn` STRING,
  `devicetype` STRING
)
USING parquet;
