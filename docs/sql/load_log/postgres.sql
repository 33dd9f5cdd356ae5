-- The two tables of the load log in PostgreSQL (H2 takes them too), for a copy of those in Kudu. Run
-- it in the schema that is to hold them.
--
-- Times are in UTC and have no zone, as in Trino on Kudu. A text of PostgreSQL cannot hold the
-- character NUL, which a line in Kudu may.

-- One row a batch.
CREATE TABLE load_log_master (
  src_type varchar NOT NULL,
  regn varchar NOT NULL,
  db_name varchar NOT NULL,
  table_name varchar NOT NULL,
  base_dts varchar NOT NULL,
  base_dt varchar,
  status varchar,
  src_count integer,
  load_count integer,
  error_count integer,
  start_ts timestamp(3),
  end_ts timestamp(3),
  created_dt timestamp(3),
  updated_dt timestamp(3),
  PRIMARY KEY (src_type, regn, db_name, table_name, base_dts)
);

-- One row an item that failed, or was run again.
CREATE TABLE load_log_detail (
  src_type varchar NOT NULL,
  regn varchar NOT NULL,
  db_name varchar NOT NULL,
  table_name varchar NOT NULL,
  base_dts varchar NOT NULL,
  detail_seq integer NOT NULL,
  base_dt varchar,
  status varchar,
  error_message varchar,
  error_processor varchar,
  retry_count integer,
  file_path varchar,
  file_name varchar,
  line_content varchar,
  kafka_topic varchar,
  kafka_category varchar,
  kafka_svc varchar,
  kafka_offset bigint,
  kafka_partition integer,
  record_key varchar,
  created_dt timestamp(3),
  updated_dt timestamp(3),
  PRIMARY KEY (src_type, regn, db_name, table_name, base_dts, detail_seq)
);
