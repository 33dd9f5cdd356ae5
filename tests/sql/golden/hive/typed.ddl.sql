-- The key is not enforced: load with MERGE on all of its columns.
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
  `loaded_at` TIMESTAMP,
  PRIMARY KEY (`day`, `n`, `content_hash`) DISABLE NOVALIDATE
)
STORED AS ORC
TBLPROPERTIES ('transactional' = 'true');
