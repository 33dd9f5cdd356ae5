-- By the documentation of Impala: no test of this project runs it.
-- The hash is part of the key, which no UPDATE changes. Every column of the table must be
-- named here: one that is not would be lost (DESCRIBE shows them).
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one.
INSERT INTO `warehouse`.`typed` (`day`, `n`, `select`, `이름`, `a b`, `big`, `amount`, `flag`, `at`, `loaded_at`, `content_hash`)
SELECT `day`, `n`, `select`, `이름`, `a b`, `big`, `amount`, `flag`, `at`, `loaded_at`, computed_hash
FROM (
  SELECT
    `day`,
    `n`,
    `select`,
    `이름`,
    `a b`,
    `big`,
    `amount`,
    `flag`,
    `at`,
    `loaded_at`,
    `content_hash` AS stored_hash,
    md5(concat_ws('|',
      coalesce(nullif(replace(replace(`a b`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
      coalesce(regexp_replace(regexp_replace(CAST(`amount` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
      coalesce(regexp_replace(regexp_replace(CAST(`at` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
      coalesce(CAST(`big` AS STRING), '\\N'),
      coalesce(CAST(`day` AS STRING), '\\N'),
      coalesce(CASE WHEN `flag` THEN 'true' WHEN NOT `flag` THEN 'false' END, '\\N'),
      coalesce(CAST(`n` AS STRING), '\\N'),
      coalesce(nullif(replace(replace(`select`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
      coalesce(nullif(replace(replace(`이름`, '\\', '\\\\'), '|', '\\|'), ''), '\\N')
    )) AS computed_hash
  FROM `warehouse`.`typed`
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;

-- 2. Deletes a row that has a wrong hash once its right one is there.
DELETE w FROM `warehouse`.`typed` w JOIN `warehouse`.`typed` r
  ON r.`day` = w.`day` AND r.`n` = w.`n`
  AND r.`content_hash` = md5(concat_ws('|',
    coalesce(nullif(replace(replace(w.`a b`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(regexp_replace(regexp_replace(CAST(w.`amount` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(regexp_replace(regexp_replace(CAST(w.`at` AS STRING), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(CAST(w.`big` AS STRING), '\\N'),
    coalesce(CAST(w.`day` AS STRING), '\\N'),
    coalesce(CASE WHEN w.`flag` THEN 'true' WHEN NOT w.`flag` THEN 'false' END, '\\N'),
    coalesce(CAST(w.`n` AS STRING), '\\N'),
    coalesce(nullif(replace(replace(w.`select`, '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(nullif(replace(replace(w.`이름`, '\\', '\\\\'), '|', '\\|'), ''), '\\N')
  ))
WHERE w.`content_hash` <> r.`content_hash`;
