CREATE TABLE "warehouse"."typed" (
  "day" date NOT NULL,
  "n" integer NOT NULL,
  "content_hash" text NOT NULL,
  "select" text,
  "이름" text,
  "a b" text,
  "big" bigint,
  "amount" numeric(18, 6),
  "flag" boolean,
  "at" timestamp,
  "clock" time,
  "moment" timestamptz,
  "loaded_at" timestamp,
  PRIMARY KEY ("day", "n", "content_hash")
);
