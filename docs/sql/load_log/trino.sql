-- The two tables of the load log, in Trino on Kudu.
--
-- Run it in the schema of the target tables, for example
--   trino --catalog kudu --schema bronze --file trino.sql
-- The catalog needs kudu.schema-emulation.enabled=true with an empty kudu.schema-emulation.prefix:
-- then the tables are bronze.load_log_master and bronze.load_log_detail in Kudu, and these are the
-- names that the Kudu sink of the flow takes.
--
-- How many replicas a tablet has is left to the default of the Kudu master.

-- One row a batch. In Trino a column is NOT NULL unless it says otherwise.
CREATE TABLE load_log_master (
  src_type varchar WITH (primary_key = true),
  regn varchar WITH (primary_key = true),
  db_name varchar WITH (primary_key = true),
  table_name varchar WITH (primary_key = true),
  base_dts varchar WITH (primary_key = true),
  base_dt varchar WITH (nullable = true),
  status varchar WITH (nullable = true),
  src_count integer WITH (nullable = true),
  load_count integer WITH (nullable = true),
  error_count integer WITH (nullable = true),
  start_ts timestamp(3) WITH (nullable = true),
  end_ts timestamp(3) WITH (nullable = true),
  created_dt timestamp(3) WITH (nullable = true),
  updated_dt timestamp(3) WITH (nullable = true)
) WITH (
  partition_by_hash_columns = ARRAY['src_type', 'regn'],
  partition_by_hash_buckets = 4
);

-- One row an item that failed, or was run again. retry_count has a value in every row, and yet is
-- nullable: a claim writes only a few columns, and Kudu refuses a row without a column that must have a
-- value, though the row is there already.
CREATE TABLE load_log_detail (
  src_type varchar WITH (primary_key = true),
  regn varchar WITH (primary_key = true),
  db_name varchar WITH (primary_key = true),
  table_name varchar WITH (primary_key = true),
  base_dts varchar WITH (primary_key = true),
  detail_seq integer WITH (primary_key = true),
  base_dt varchar WITH (nullable = true),
  status varchar WITH (nullable = true),
  error_message varchar WITH (nullable = true),
  error_processor varchar WITH (nullable = true),
  retry_count integer WITH (nullable = true),
  file_path varchar WITH (nullable = true),
  file_name varchar WITH (nullable = true),
  line_content varchar WITH (nullable = true),
  kafka_topic varchar WITH (nullable = true),
  kafka_category varchar WITH (nullable = true),
  kafka_svc varchar WITH (nullable = true),
  kafka_offset bigint WITH (nullable = true),
  kafka_partition integer WITH (nullable = true),
  record_key varchar WITH (nullable = true),
  created_dt timestamp(3) WITH (nullable = true),
  updated_dt timestamp(3) WITH (nullable = true)
) WITH (
  partition_by_hash_columns = ARRAY['src_type', 'regn'],
  partition_by_hash_buckets = 4
);
