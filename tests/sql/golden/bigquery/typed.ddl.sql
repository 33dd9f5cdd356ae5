-- By the documentation of BigQuery: no test of this project runs it.
-- The key is not enforced: load with MERGE on all of its columns.
CREATE TABLE `warehouse`.`typed` (
  `day` DATE NOT NULL,
  `n` INT64 NOT NULL,
  `content_hash` STRING NOT NULL,
  `select` STRING,
  `이름` STRING,
  `a b` STRING,
  `big` INT64,
  `amount` NUMERIC(18, 6),
  `flag` BOOL,
  `at` TIMESTAMP,
  `clock` TIME,
  `loaded_at` TIMESTAMP,
  PRIMARY KEY (`day`, `n`, `content_hash`) NOT ENFORCED
);
