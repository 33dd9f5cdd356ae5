-- By the documentation of Impala: no test of this project runs it.
CREATE TABLE `bronze`.`nas_copilot_call` (
  `ts` STRING NOT NULL,
  `epid` STRING NOT NULL,
  `serviceid` STRING NOT NULL,
  `functiontype` STRING NOT NULL,
  `clickid` STRING NOT NULL,
  `row_hash` STRING NOT NULL,
  `response` STRING NULL,
  `userid` STRING NULL,
  `comp` STRING NULL,
  `suborg` STRING NULL,
  `llmurl` STRING NULL,
  `llmtype` STRING NULL,
  `input` STRING NULL,
  `output` STRING NULL,
  `func_name` STRING NULL,
  `func_name_en` STRING NULL,
  `analyticsyn` STRING NULL,
  `devicetype` STRING NULL,
  PRIMARY KEY (`ts`, `epid`, `serviceid`, `functiontype`, `clickid`, `row_hash`)
)
PARTITION BY HASH (`ts`, `epid`, `serviceid`, `functiontype`, `clickid`, `row_hash`) PARTITIONS 6
STORED AS KUDU;
