-- UPDATE needs a transactional table.
UPDATE `warehouse`.`typed`
SET `content_hash` = md5(concat_ws('|',
  coalesce(nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(format_number(`amount`, '0.######################################'), '\\N'),
  coalesce(regexp_replace(regexp_replace(CAST(`at` AS STRING), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''), '\\N'),
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
  coalesce(regexp_replace(regexp_replace(CAST(`at` AS STRING), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''), '\\N'),
  coalesce(CAST(`big` AS STRING), '\\N'),
  coalesce(CAST(`day` AS STRING), '\\N'),
  coalesce(CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END, '\\N'),
  coalesce(CAST(`n` AS STRING), '\\N'),
  coalesce(nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), ''), '\\N')
));
