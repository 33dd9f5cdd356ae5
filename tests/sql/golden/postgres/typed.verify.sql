SELECT "day", "n", stored_hash, computed_hash
FROM (
  SELECT
    "day",
    "n",
    "content_hash" AS stored_hash,
    md5(convert_to(array_to_string(ARRAY[
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
    ], '|', E'\\N'), 'UTF8')) AS computed_hash
  FROM "warehouse"."typed"
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;
