-- Rows of one key are merged in the background: SELECT ... FINAL shows each once.
CREATE TABLE "bronze"."nas_copilot_call" (
  "ts" String,
  "epid" String,
  "serviceid" String,
  "functiontype" String,
  "clickid" String,
  "row_hash" String,
  "response" Nullable(String),
  "userid" Nullable(String),
  "comp" Nullable(String),
  "suborg" Nullable(String),
  "llmurl" Nullable(String),
  "llmtype" Nullable(String),
  "input" Nullable(String),
  "output" Nullable(String),
  "func_name" Nullable(String),
  "func_name_en" Nullable(String),
  "analyticsyn" Nullable(String),
  "devicetype" Nullable(String)
)
ENGINE = ReplacingMergeTree
ORDER BY ("ts", "epid", "serviceid", "functiontype", "clickid", "row_hash");
