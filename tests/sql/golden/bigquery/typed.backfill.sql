-- By the documentation of BigQuery: no test of this project runs it.
UPDATE `warehouse`.`typed`
SET `content_hash` = TO_HEX(MD5(ARRAY_TO_STRING([
  nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''),
  regexp_replace(regexp_replace(CAST(`amount` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  regexp_replace(regexp_replace(FORMAT_TIMESTAMP('%E4Y-%m-%d %H:%M:%E6S', `at`, 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  CAST(`big` AS STRING),
  regexp_replace(regexp_replace(FORMAT_TIME('%H:%M:%E6S', `clock`), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  FORMAT_DATE('%E4Y-%m-%d', `day`),
  CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END,
  CAST(`n` AS STRING),
  nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''),
  nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), '')
], '|', '\\N')))
WHERE `content_hash` IS NULL OR `content_hash` <> TO_HEX(MD5(ARRAY_TO_STRING([
  nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''),
  regexp_replace(regexp_replace(CAST(`amount` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  regexp_replace(regexp_replace(FORMAT_TIMESTAMP('%E4Y-%m-%d %H:%M:%E6S', `at`, 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  CAST(`big` AS STRING),
  regexp_replace(regexp_replace(FORMAT_TIME('%H:%M:%E6S', `clock`), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''),
  FORMAT_DATE('%E4Y-%m-%d', `day`),
  CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END,
  CAST(`n` AS STRING),
  nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''),
  nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), '')
], '|', '\\N')));
