-- Rows of one key are merged in the background: SELECT ... FINAL shows each once.
CREATE TABLE "warehouse"."typed" (
  "day" Date32,
  "n" Int32,
  "content_hash" String,
  "select" Nullable(String),
  "이름" Nullable(String),
  "a b" Nullable(String),
  "big" Nullable(Int64),
  "amount" Nullable(Decimal(18, 6)),
  "flag" Nullable(Bool),
  "at" Nullable(DateTime64(6, 'UTC')),
  "loaded_at" Nullable(DateTime64(6, 'UTC'))
)
ENGINE = ReplacingMergeTree
ORDER BY ("day", "n", "content_hash");
