SELECT "day", "n", stored_hash, computed_hash
FROM (
  SELECT
    "day",
    "n",
    "content_hash" AS stored_hash,
    md5(concat_ws('|',
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
    )) AS computed_hash
  FROM "warehouse"."typed"
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
