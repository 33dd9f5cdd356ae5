-- The two tables of the load log, in Impala on Kudu.
--
-- The tests of this project do not run it, since they have no Impala: trino.sql makes the same
-- tables and is run.
--
-- Run it in the database of the target tables, for example
--   impala-shell -d bronze -f impala.sql
-- The Kudu sink of the flow takes the name that the table has in Kudu: kudu.table_name in the answer
-- of SHOW CREATE TABLE. Older releases put impala:: before it.
--
-- How many replicas a tablet has is left to the default of Impala, which is 3.

-- One row a batch.
CREATE TABLE load_log_master (
  src_type STRING NOT NULL,
  regn STRING NOT NULL,
  db_name STRING NOT NULL,
  table_name STRING NOT NULL,
  base_dts STRING NOT NULL,
  base_dt STRING NULL,
  status STRING NULL,
  src_count INT NULL,
  load_count INT NULL,
  error_count INT NULL,
  start_ts TIMESTAMP NULL,
  end_ts TIMESTAMP NULL,
  created_dt TIMESTAMP NULL,
  updated_dt TIMESTAMP NULL,
  PRIMARY KEY (src_type, regn, db_name, table_name, base_dts)
)
PARTITION BY HASH (src_type, regn) PARTITIONS 4
STORED AS KUDU;

-- One row an item that failed, or was run again. retry_count has a value in every row, and yet is
-- nullable: a claim writes only a few columns, and Kudu refuses a row without a column that must have a
-- value, though the row is there already.
CREATE TABLE load_log_detail (
  src_type STRING NOT NULL,
  regn STRING NOT NULL,
  db_name STRING NOT NULL,
  table_name STRING NOT NULL,
  base_dts STRING NOT NULL,
  detail_seq INT NOT NULL,
  base_dt STRING NULL,
  status STRING NULL,
  error_message STRING NULL,
  error_processor STRING NULL,
  retry_count INT NULL,
  file_path STRING NULL,
  file_name STRING NULL,
  line_content STRING NULL,
  kafka_topic STRING NULL,
  kafka_category STRING NULL,
  kafka_svc STRING NULL,
  kafka_offset BIGINT NULL,
  kafka_partition INT NULL,
  record_key STRING NULL,
  created_dt TIMESTAMP NULL,
  updated_dt TIMESTAMP NULL,
  PRIMARY KEY (src_type, regn, db_name, table_name, base_dts, detail_seq)
)
PARTITION BY HASH (src_type, regn) PARTITIONS 4
STORED AS KUDU;
