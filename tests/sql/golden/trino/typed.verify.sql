-- Trino cuts Kudu's microseconds to milliseconds: a row that has any gets another hash here.
SELECT "day", "n", stored_hash, computed_hash
FROM (
  SELECT
    "day",
    "n",
    "content_hash" AS stored_hash,
    lower(to_hex(md5(to_utf8(array_join(ARRAY[
      nullif(replace(replace("a b", '\', '\\'), '|', '\|'), ''),
      regexp_replace(regexp_replace(CAST("amount" AS varchar), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''),
      regexp_replace(regexp_replace(CAST("at" AS varchar), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''),
      CAST("big" AS varchar),
      regexp_replace(regexp_replace(CAST("clock" AS varchar), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''),
      CAST("day" AS varchar),
      CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END,
      regexp_replace(regexp_replace(replace(CAST("moment" AT TIME ZONE 'UTC' AS varchar), ' UTC', ''), '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', ''),
      CAST("n" AS varchar),
      nullif(replace(replace("select", '\', '\\'), '|', '\|'), ''),
      nullif(replace(replace("이름", '\', '\\'), '|', '\|'), '')
    ], '|', '\N'))))) AS computed_hash
  FROM "warehouse"."typed"
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
