-- Spark keeps no key: load with MERGE, in a table format that has it, on all columns of the key.
CREATE TABLE `warehouse`.`typed` (
  `day` DATE NOT NULL,
  `n` INT NOT NULL,
  `content_hash` STRING NOT NULL,
  `select` STRING,
  `이름` STRING,
  `a b` STRING,
  `big` BIGINT,
  `amount` DECIMAL(18, 6),
  `flag` BOOLEAN,
  `at` TIMESTAMP,
  `loaded_at` TIMESTAMP
)
USING parquet;
