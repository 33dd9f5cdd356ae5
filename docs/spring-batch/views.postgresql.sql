-- The load log as Spring Batch's metadata tables: views to read in PostgreSQL, with nothing in them that
-- load_log_master and load_log_detail do not have. Run it in the schema that holds the two tables;
-- it has none of Spring Batch's own tables, whose names the views take.
--
-- A batch is an instance with one execution, its last state: which attempt it was is not in the load
-- log. Spring Batch reads the views, refuses to run what is loaded or running, and cannot run
-- anything else either, since a view takes no rows. Times are as in the load log, in UTC.

-- 6 in place of 5 for Spring Batch 6: the JOB_KEY differs.
CREATE VIEW load_log_spring_batch AS SELECT 5 AS major_version;

CREATE VIEW load_log_key_texts AS
  SELECT load_log_master.*,
    'base_dts={value=' || base_dts || ', type=class java.lang.String, identifying=true};'
      || 'db_name={value=' || db_name || ', type=class java.lang.String, identifying=true};'
      || 'regn={value=' || regn || ', type=class java.lang.String, identifying=true};'
      || 'src_type={value=' || src_type || ', type=class java.lang.String, identifying=true};'
      || 'table_name={value=' || table_name || ', type=class java.lang.String, identifying=true};' AS text_5,
    'JobParameter{name=''base_dts'', value=' || base_dts || ', type=class java.lang.String, identifying=true}'
      || 'JobParameter{name=''db_name'', value=' || db_name || ', type=class java.lang.String, identifying=true}'
      || 'JobParameter{name=''regn'', value=' || regn || ', type=class java.lang.String, identifying=true}'
      || 'JobParameter{name=''src_type'', value=' || src_type || ', type=class java.lang.String, identifying=true}'
      || 'JobParameter{name=''table_name'', value=' || table_name || ', type=class java.lang.String, identifying=true}' AS text_6
  FROM load_log_master;

-- The ids are 60 bits of a digest of the key: they stay what they are, whatever else is loaded.
CREATE VIEW load_log_jobs AS
  SELECT load_log_key_texts.*,
    ('x' || substr(md5(convert_to(text_6, 'UTF8')), 1, 15))::bit(60)::bigint AS id,
    'load.' || src_type || '.' || db_name || '.' || table_name AS job_name,
    md5(convert_to(CASE major_version WHEN 5 THEN text_5 ELSE text_6 END, 'UTF8')) AS job_key,
    CASE status WHEN 'RUNNING' THEN 'STARTED' WHEN 'SUCCESS' THEN 'COMPLETED' ELSE 'FAILED' END AS batch_status,
    CASE status WHEN 'RUNNING' THEN 'UNKNOWN' WHEN 'SUCCESS' THEN 'COMPLETED' WHEN 'PARTIAL' THEN 'COMPLETED WITH SKIPS'
      ELSE 'FAILED' END AS exit_code,
    CASE status WHEN 'RUNNING' THEN NULL ELSE COALESCE(end_ts, updated_dt) END AS end_time,
    -- The first failure of the batch.
    COALESCE((
      SELECT SUBSTRING(d.error_message FROM 1 FOR 2500)
      FROM load_log_detail d
      WHERE d.src_type = load_log_key_texts.src_type AND d.regn = load_log_key_texts.regn
        AND d.db_name = load_log_key_texts.db_name AND d.table_name = load_log_key_texts.table_name
        AND d.base_dts = load_log_key_texts.base_dts AND d.status = 'FAIL' AND d.error_message IS NOT NULL
      ORDER BY d.detail_seq
      FETCH FIRST 1 ROW ONLY
    ), '') AS exit_message
  FROM load_log_key_texts CROSS JOIN load_log_spring_batch;

CREATE VIEW BATCH_JOB_INSTANCE AS
  SELECT id AS JOB_INSTANCE_ID, CAST(0 AS BIGINT) AS VERSION, job_name AS JOB_NAME, job_key AS JOB_KEY
  FROM load_log_jobs;

CREATE VIEW BATCH_JOB_EXECUTION AS
  SELECT id AS JOB_EXECUTION_ID, CAST(0 AS BIGINT) AS VERSION, id AS JOB_INSTANCE_ID,
    COALESCE(created_dt, start_ts) AS CREATE_TIME, start_ts AS START_TIME, end_time AS END_TIME,
    batch_status AS STATUS, exit_code AS EXIT_CODE, exit_message AS EXIT_MESSAGE, updated_dt AS LAST_UPDATED
  FROM load_log_jobs;

CREATE VIEW BATCH_JOB_EXECUTION_PARAMS AS
  SELECT j.id AS JOB_EXECUTION_ID, p.name AS PARAMETER_NAME, 'java.lang.String' AS PARAMETER_TYPE,
    CASE p.name WHEN 'src_type' THEN j.src_type WHEN 'regn' THEN j.regn WHEN 'db_name' THEN j.db_name
      WHEN 'table_name' THEN j.table_name ELSE j.base_dts END AS PARAMETER_VALUE,
    'Y' AS IDENTIFYING
  FROM load_log_jobs j
  CROSS JOIN (VALUES ('src_type'), ('regn'), ('db_name'), ('table_name'), ('base_dts')) AS p (name);

CREATE VIEW BATCH_STEP_EXECUTION AS
  SELECT id AS STEP_EXECUTION_ID, CAST(0 AS BIGINT) AS VERSION, 'load' AS STEP_NAME, id AS JOB_EXECUTION_ID,
    COALESCE(created_dt, start_ts) AS CREATE_TIME, start_ts AS START_TIME, end_time AS END_TIME,
    batch_status AS STATUS, CAST(0 AS BIGINT) AS COMMIT_COUNT, src_count AS READ_COUNT, CAST(0 AS BIGINT) AS FILTER_COUNT,
    load_count AS WRITE_COUNT, CAST(0 AS BIGINT) AS READ_SKIP_COUNT, error_count AS WRITE_SKIP_COUNT,
    CAST(0 AS BIGINT) AS PROCESS_SKIP_COUNT, CAST(0 AS BIGINT) AS ROLLBACK_COUNT, exit_code AS EXIT_CODE,
    exit_message AS EXIT_MESSAGE, updated_dt AS LAST_UPDATED
  FROM load_log_jobs;

-- The load log has no contexts; Spring Batch reads their absence as empty ones.
CREATE VIEW BATCH_JOB_EXECUTION_CONTEXT AS
  SELECT id AS JOB_EXECUTION_ID, '' AS SHORT_CONTEXT, '' AS SERIALIZED_CONTEXT FROM load_log_jobs WHERE 1 = 0;

CREATE VIEW BATCH_STEP_EXECUTION_CONTEXT AS
  SELECT id AS STEP_EXECUTION_ID, '' AS SHORT_CONTEXT, '' AS SERIALIZED_CONTEXT FROM load_log_jobs WHERE 1 = 0;
