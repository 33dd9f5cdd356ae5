-- UPDATE needs a table format that has it, Delta Lake or Iceberg for example.
UPDATE `warehouse`.`typed`
SET `content_hash` = md5(concat_ws('|',
  coalesce(nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(format_number(`amount`, '0.######################################'), '\\N'),
  coalesce(CAST(TIMESTAMP_NTZ '1970-01-01 00:00:00' + unix_micros(`at`) * INTERVAL '0.000001' SECOND AS STRING), '\\N'),
  coalesce(CAST(`big` AS STRING), '\\N'),
  coalesce(CAST(`day` AS STRING), '\\N'),
  coalesce(CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END, '\\N'),
  coalesce(CAST(`n` AS STRING), '\\N'),
  coalesce(nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), ''), '\\N')
))
WHERE `content_hash` IS NULL OR `content_hash` <> md5(concat_ws('|',
  coalesce(nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(format_number(`amount`, '0.######################################'), '\\N'),
  coalesce(CAST(TIMESTAMP_NTZ '1970-01-01 00:00:00' + unix_micros(`at`) * INTERVAL '0.000001' SECOND AS STRING), '\\N'),
  coalesce(CAST(`big` AS STRING), '\\N'),
  coalesce(CAST(`day` AS STRING), '\\N'),
  coalesce(CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END, '\\N'),
  coalesce(CAST(`n` AS STRING), '\\N'),
  coalesce(nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), ''), '\\N')
));
