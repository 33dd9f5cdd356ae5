-- Run both statements in this order; after a failure begin again with the first.

-- 1. Deletes a row that has a wrong hash and is there with the right one as well.
DELETE FROM "warehouse"."typed"
WHERE "content_hash" <> md5(concat_ws('|',
  coalesce(nullif(replace(replace("a b", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(regexp_replace(regexp_replace(regexp_replace(CAST("amount" AS varchar), '^(-?)[.]', '\10.'), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("at" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("big" AS varchar), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("clock" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("day" AS varchar), '\N'),
  coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\N'),
  coalesce(regexp_replace(regexp_replace(CAST(make_timestamp(epoch_us("moment")) AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("n" AS varchar), '\N'),
  coalesce(nullif(replace(replace("select", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(nullif(replace(replace("이름", '\', '\\'), '|', '\|'), ''), '\N')
))
  AND ("day", "n", md5(concat_ws('|',
    coalesce(nullif(replace(replace("a b", '\', '\\'), '|', '\|'), ''), '\N'),
    coalesce(regexp_replace(regexp_replace(regexp_replace(CAST("amount" AS varchar), '^(-?)[.]', '\10.'), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
    coalesce(regexp_replace(regexp_replace(CAST("at" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
    coalesce(CAST("big" AS varchar), '\N'),
    coalesce(regexp_replace(regexp_replace(CAST("clock" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
    coalesce(CAST("day" AS varchar), '\N'),
    coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\N'),
    coalesce(regexp_replace(regexp_replace(CAST(make_timestamp(epoch_us("moment")) AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
    coalesce(CAST("n" AS varchar), '\N'),
    coalesce(nullif(replace(replace("select", '\', '\\'), '|', '\|'), ''), '\N'),
    coalesce(nullif(replace(replace("이름", '\', '\\'), '|', '\|'), ''), '\N')
  ))) IN (SELECT "day", "n", "content_hash" FROM "warehouse"."typed");

-- 2. Gives the others their hash. Two rows that become one are a violation of the key, which
-- changes nothing: delete one of them.
UPDATE "warehouse"."typed"
SET "content_hash" = md5(concat_ws('|',
  coalesce(nullif(replace(replace("a b", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(regexp_replace(regexp_replace(regexp_replace(CAST("amount" AS varchar), '^(-?)[.]', '\10.'), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("at" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("big" AS varchar), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("clock" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("day" AS varchar), '\N'),
  coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\N'),
  coalesce(regexp_replace(regexp_replace(CAST(make_timestamp(epoch_us("moment")) AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("n" AS varchar), '\N'),
  coalesce(nullif(replace(replace("select", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(nullif(replace(replace("이름", '\', '\\'), '|', '\|'), ''), '\N')
))
WHERE "content_hash" IS NULL OR "content_hash" <> md5(concat_ws('|',
  coalesce(nullif(replace(replace("a b", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(regexp_replace(regexp_replace(regexp_replace(CAST("amount" AS varchar), '^(-?)[.]', '\10.'), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("at" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("big" AS varchar), '\N'),
  coalesce(regexp_replace(regexp_replace(CAST("clock" AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("day" AS varchar), '\N'),
  coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\N'),
  coalesce(regexp_replace(regexp_replace(CAST(make_timestamp(epoch_us("moment")) AS varchar), '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', ''), '\N'),
  coalesce(CAST("n" AS varchar), '\N'),
  coalesce(nullif(replace(replace("select", '\', '\\'), '|', '\|'), ''), '\N'),
  coalesce(nullif(replace(replace("이름", '\', '\\'), '|', '\|'), ''), '\N')
));
