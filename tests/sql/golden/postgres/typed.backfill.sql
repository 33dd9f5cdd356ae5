-- Run both statements in this order; after a failure begin again with the first.

-- 1. Deletes a row that has a wrong hash and is there with the right one as well.
DELETE FROM "warehouse"."typed"
WHERE "content_hash" <> md5(convert_to(array_to_string(ARRAY[
  nullif(replace(replace("a b", E'\\', E'\\\\'), '|', E'\\|'), ''),
  CAST(trim_scale("amount") AS text),
  regexp_replace(regexp_replace(to_char("at", 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("big" AS text),
  CAST("clock" AS text),
  to_char("day", 'YYYY-MM-DD'),
  CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END,
  regexp_replace(regexp_replace(to_char("moment" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("n" AS text),
  nullif(replace(replace("select", E'\\', E'\\\\'), '|', E'\\|'), ''),
  nullif(replace(replace("이름", E'\\', E'\\\\'), '|', E'\\|'), '')
], '|', E'\\N'), 'UTF8'))
  AND ("day", "n", md5(convert_to(array_to_string(ARRAY[
    nullif(replace(replace("a b", E'\\', E'\\\\'), '|', E'\\|'), ''),
    CAST(trim_scale("amount") AS text),
    regexp_replace(regexp_replace(to_char("at", 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
    CAST("big" AS text),
    CAST("clock" AS text),
    to_char("day", 'YYYY-MM-DD'),
    CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END,
    regexp_replace(regexp_replace(to_char("moment" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
    CAST("n" AS text),
    nullif(replace(replace("select", E'\\', E'\\\\'), '|', E'\\|'), ''),
    nullif(replace(replace("이름", E'\\', E'\\\\'), '|', E'\\|'), '')
  ], '|', E'\\N'), 'UTF8'))) IN (SELECT "day", "n", "content_hash" FROM "warehouse"."typed");

-- 2. Gives the others their hash. Two rows that become one are a violation of the key, which
-- changes nothing: delete one of them.
UPDATE "warehouse"."typed"
SET "content_hash" = md5(convert_to(array_to_string(ARRAY[
  nullif(replace(replace("a b", E'\\', E'\\\\'), '|', E'\\|'), ''),
  CAST(trim_scale("amount") AS text),
  regexp_replace(regexp_replace(to_char("at", 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("big" AS text),
  CAST("clock" AS text),
  to_char("day", 'YYYY-MM-DD'),
  CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END,
  regexp_replace(regexp_replace(to_char("moment" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("n" AS text),
  nullif(replace(replace("select", E'\\', E'\\\\'), '|', E'\\|'), ''),
  nullif(replace(replace("이름", E'\\', E'\\\\'), '|', E'\\|'), '')
], '|', E'\\N'), 'UTF8'))
WHERE "content_hash" IS NULL OR "content_hash" <> md5(convert_to(array_to_string(ARRAY[
  nullif(replace(replace("a b", E'\\', E'\\\\'), '|', E'\\|'), ''),
  CAST(trim_scale("amount") AS text),
  regexp_replace(regexp_replace(to_char("at", 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("big" AS text),
  CAST("clock" AS text),
  to_char("day", 'YYYY-MM-DD'),
  CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END,
  regexp_replace(regexp_replace(to_char("moment" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '([.][0-9]*[1-9])0+$', E'\\1'), '[.]0+$', ''),
  CAST("n" AS text),
  nullif(replace(replace("select", E'\\', E'\\\\'), '|', E'\\|'), ''),
  nullif(replace(replace("이름", E'\\', E'\\\\'), '|', E'\\|'), '')
], '|', E'\\N'), 'UTF8'));
