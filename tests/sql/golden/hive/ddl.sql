-- The key is not enforced: load with MERGE on all of its columns.
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
  `devicetype` STRING,
  PRIMARY KEY (`ts`, `epid`, `serviceid`, `functiontype`, `clickid`, `row_hash`) DISABLE NOVALIDATE
)
STORED AS ORC
TBLPROPERTIES ('transactional' = 'true');
