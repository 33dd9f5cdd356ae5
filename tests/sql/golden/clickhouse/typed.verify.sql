SELECT "day", "n", stored_hash, computed_hash
FROM (
  SELECT
    "day",
    "n",
    "content_hash" AS stored_hash,
    lower(hex(MD5(concat_ws('|',
      coalesce(nullif(replaceAll(replaceAll("a b", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
      coalesce(replaceRegexpOne(replaceRegexpOne(toString("amount"), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
      coalesce(replaceRegexpOne(replaceRegexpOne(toString("at", 'UTC'), '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', ''), '\\N'),
      coalesce(toString("big"), '\\N'),
      coalesce(toString("day"), '\\N'),
      coalesce(CASE WHEN "flag" THEN 'true' WHEN NOT "flag" THEN 'false' END, '\\N'),
      coalesce(toString("n"), '\\N'),
      coalesce(nullif(replaceAll(replaceAll("select", '\\', '\\\\'), '|', '\\|'), ''), '\\N'),
      coalesce(nullif(replaceAll(replaceAll("이름", '\\', '\\\\'), '|', '\\|'), ''), '\\N')
    )))) AS computed_hash
  FROM "warehouse"."typed"
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
