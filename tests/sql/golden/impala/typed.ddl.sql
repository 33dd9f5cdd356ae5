-- By the documentation of Impala: no test of this project runs it.
CREATE TABLE `warehouse`.`typed` (
  `day` DATE NOT NULL,
  `n` INT NOT NULL,
  `content_hash` STRING NOT NULL,
  `select` STRING NULL,
  `이름` STRING NULL,
  `a b` STRING NULL,
  `big` BIGINT NULL,
  `amount` DECIMAL(18, 6) NULL,
  `flag` BOOLEAN NULL,
  `at` TIMESTAMP NULL,
  `loaded_at` TIMESTAMP NULL,
  PRIMARY KEY (`day`, `n`, `content_hash`)
)
PARTITION BY HASH (`day`, `n`, `content_hash`) PARTITIONS 4
STORED AS KUDU;
