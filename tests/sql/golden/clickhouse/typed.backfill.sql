-- The hash is part of the key, which no mutation changes.
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one and all else as it is.
INSERT INTO "warehouse"."typed"
SELECT * REPLACE (
  lower(hex(MD5(concat_ws('|',
    coalesce(nullif(replaceAll(replaceAll(w."a b", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(replaceRegexpOne(replaceRegexpOne(toString(w."amount"), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(replaceRegexpOne(replaceRegexpOne(toString(w."at", 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(toString(w."big"), '\\N'),
    coalesce(toString(w."day"), '\\N'),
    coalesce(CASE WHEN w."flag" THEN 'true' WHEN NOT w."flag" THEN 'false' END, '\\N'),
    coalesce(toString(w."n"), '\\N'),
    coalesce(nullif(replaceAll(replaceAll(w."select", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(nullif(replaceAll(replaceAll(w."이름", '\\', '\\\\'), '|', '\\|'), ''), '\\N')
  )))) AS "content_hash"
)
FROM "warehouse"."typed" AS w
WHERE w."content_hash" <> lower(hex(MD5(concat_ws('|',
  coalesce(nullif(replaceAll(replaceAll(w."a b", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(replaceRegexpOne(replaceRegexpOne(toString(w."amount"), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
  coalesce(replaceRegexpOne(replaceRegexpOne(toString(w."at", 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
  coalesce(toString(w."big"), '\\N'),
  coalesce(toString(w."day"), '\\N'),
  coalesce(CASE WHEN w."flag" THEN 'true' WHEN NOT w."flag" THEN 'false' END, '\\N'),
  coalesce(toString(w."n"), '\\N'),
  coalesce(nullif(replaceAll(replaceAll(w."select", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(nullif(replaceAll(replaceAll(w."이름", '\\', '\\\\'), '|', '\\|'), ''), '\\N')
))));

-- 2. Deletes a row that has a wrong hash once its right one is there.
ALTER TABLE "warehouse"."typed" DELETE
WHERE "content_hash" <> lower(hex(MD5(concat_ws('|',
  coalesce(nullif(replaceAll(replaceAll("a b", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(replaceRegexpOne(replaceRegexpOne(toString("amount"), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
  coalesce(replaceRegexpOne(replaceRegexpOne(toString("at", 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
  coalesce(toString("big"), '\\N'),
  coalesce(toString("day"), '\\N'),
  coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\\N'),
  coalesce(toString("n"), '\\N'),
  coalesce(nullif(replaceAll(replaceAll("select", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
  coalesce(nullif(replaceAll(replaceAll("이름", '\\', '\\\\'), '|', '\\|'), ''), '\\N')
))))
  AND ("day", "n", lower(hex(MD5(concat_ws('|',
    coalesce(nullif(replaceAll(replaceAll("a b", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(replaceRegexpOne(replaceRegexpOne(toString("amount"), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(replaceRegexpOne(replaceRegexpOne(toString("at", 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
    coalesce(toString("big"), '\\N'),
    coalesce(toString("day"), '\\N'),
    coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\\N'),
    coalesce(toString("n"), '\\N'),
    coalesce(nullif(replaceAll(replaceAll("select", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
    coalesce(nullif(replaceAll(replaceAll("이름", '\\', '\\\\'), '|', '\\|'), ''), '\\N')
  ))))) IN (SELECT "day", "n", "content_hash" FROM "warehouse"."typed");
