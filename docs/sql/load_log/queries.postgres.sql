-- The three queries that operators run on the load log, in PostgreSQL.
--
-- The names in dollar braces are to be replaced: ExecuteSQLRecord of NiFi does it with the attributes
-- of the FlowFile, a SQL editor asks for the values, and in a shell envsubst fills in its variables:
--   export base_dt=20260302 src_type=NAS ... && envsubst <queries.postgres.sql
-- An apostrophe in a value is written twice.
--
-- Times are in UTC, whatever the time zone of the session.

-- 1. A day at a glance: every batch that began on base_dt (yyyyMMdd), in the order of their start.
SELECT base_dts, src_type, regn, db_name, table_name, status,
  src_count, load_count, error_count, start_ts, end_ts
FROM load_log_master
WHERE base_dt = '${base_dt}'
ORDER BY base_dts, src_type, regn, db_name, table_name;

-- 2. The failures of one batch. RUNNING is a failure that a replay has picked: it is not loaded yet. A
-- detail_seq below zero is a file or another unit that failed as a whole. RUNNING without an
-- error_message is loaded: its claim was written after its outcome.
SELECT detail_seq, status, retry_count, error_processor, error_message, file_path, file_name, line_content,
  kafka_topic, kafka_category, kafka_svc, kafka_partition, kafka_offset, record_key, created_dt, updated_dt
FROM load_log_detail
WHERE src_type = '${src_type}' AND regn = '${regn}' AND db_name = '${db_name}' AND table_name = '${table_name}'
  AND base_dts = '${base_dts}'
  AND (status = 'FAIL' OR status = 'RUNNING' AND error_message IS NOT NULL)
ORDER BY detail_seq;

-- 3. What is to be run again for one table, as ReplayLoadLog reads it: the failures that have a retry
-- left, and the claims of a replay that did not come back within 15 minutes. A claim without an
-- error_message was written late, after the item was loaded: it is not run again. The counts, the start
-- and the numbers in use go along, because the log may have closed the batch and continues from them. A
-- batch without a master row comes with empty counts rather than not at all.
WITH numbers AS (
  SELECT base_dts, max(detail_seq) AS max_detail_seq, min(detail_seq) AS min_detail_seq
  FROM load_log_detail
  WHERE src_type = '${src_type}' AND regn = '${regn}' AND db_name = '${db_name}' AND table_name = '${table_name}'
  GROUP BY base_dts
)
SELECT d.src_type, d.regn, d.db_name, d.table_name, d.base_dts, d.detail_seq,
  -- A row that somebody wrote by hand may lack it, and null < 3 is never true.
  coalesce(d.retry_count, 0) AS retry_count,
  d.file_path, d.file_name, d.line_content,
  d.kafka_topic, d.kafka_category, d.kafka_svc, d.kafka_offset, d.kafka_partition,
  d.record_key,
  m.src_count, m.load_count, m.error_count,
  n.max_detail_seq, n.min_detail_seq,
  -- A number is the same instant in every time zone that it passes through.
  CAST(extract(epoch FROM d.created_dt) * 1000 AS bigint) AS created_dt,
  CAST(extract(epoch FROM m.start_ts) * 1000 AS bigint) AS start_ts
FROM load_log_detail d
JOIN numbers n ON n.base_dts = d.base_dts
LEFT JOIN load_log_master m
  ON m.src_type = d.src_type AND m.regn = d.regn AND m.db_name = d.db_name AND m.table_name = d.table_name
  AND m.base_dts = d.base_dts
WHERE d.src_type = '${src_type}' AND d.regn = '${regn}' AND d.db_name = '${db_name}' AND d.table_name = '${table_name}'
  AND coalesce(d.retry_count, 0) < 3
  AND (d.status = 'FAIL'
    -- updated_dt is in UTC and has no zone: localtimestamp would be hours off in Seoul.
    OR d.status = 'RUNNING' AND d.error_message IS NOT NULL
      AND d.updated_dt < current_timestamp AT TIME ZONE 'UTC' - INTERVAL '15' MINUTE);
