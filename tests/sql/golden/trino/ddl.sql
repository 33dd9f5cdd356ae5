CREATE TABLE "bronze"."nas_copilot_call" (
  "ts" varchar WITH (primary_key = true),
  "epid" varchar WITH (primary_key = true),
  "serviceid" varchar WITH (primary_key = true),
  "functiontype" varchar WITH (primary_key = true),
  "clickid" varchar WITH (primary_key = true),
  "row_hash" varchar WITH (primary_key = true),
  "response" varchar WITH (nullable = true),
  "userid" varchar WITH (nullable = true),
  "comp" varchar WITH (nullable = true),
  "suborg" varchar WITH (nullable = true),
  "llmurl" varchar WITH (nullable = true),
  "llmtype" varchar WITH (nullable = true),
  "input" varchar WITH (nullable = true),
  "output" varchar WITH (nullable = true),
  "func_name" varchar WITH (nullable = true),
  "func_name_en" varchar WITH (nullable = true),
  "analyticsyn" varchar WITH (nullable = true),
  "devicetype" varchar WITH (nullable = true)
) WITH (
  partition_by_hash_columns = ARRAY['ts', 'epid', 'serviceid', 'functiontype', 'clickid', 'row_hash'],
  partition_by_hash_buckets = 6
);
