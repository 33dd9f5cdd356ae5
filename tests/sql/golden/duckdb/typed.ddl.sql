CREATE TABLE "warehouse"."typed" (
  "day" date NOT NULL,
  "n" integer NOT NULL,
  "content_hash" varchar NOT NULL,
  "select" varchar,
  "이름" varchar,
  "a b" varchar,
  "big" bigint,
  "amount" decimal(18, 6),
  "flag" boolean,
  "at" timestamp,
  "clock" time,
  "moment" timestamptz,
  "loaded_at" timestamp,
  PRIMARY KEY ("day", "n", "content_hash")
);
