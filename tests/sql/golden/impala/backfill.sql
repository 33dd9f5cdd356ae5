-- By the documentation of Impala: no test of this project runs it.
-- The hash is part of the key, which no UPDATE changes. Every column of the table must be
-- named here: one that is not would be lost (DESCRIBE shows them).
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one.
INSERT INTO `bronze`.`nas_copilot_call` (`ts`, `epid`, `serviceid`, `functiontype`, `clickid`, `response`, `userid`, `comp`, `suborg`, `llmurl`, `llmtype`, `input`, `output`, `func_name`, `func_name_en`, `analyticsyn`, `devicetype`, `row_hash`)
SELECT `ts`, `epid`, `serviceid`, `functiontype`, `clickid`, `response`, `userid`, `comp`, `suborg`, `llmurl`, `llmtype`, `input`, `output`, `func_name`, `func_name_en`, `analyticsyn`, `devicetype`, computed_hash
FROM (
  SELECT
    `ts`,
    `epid`,
    `serviceid`,
    `functiontype`,
    `clickid`,
    `response`,
    `userid`,
    `comp`,
    `suborg`,
    `llmurl`,
    `llmtype`,
    `input`,
    `output`,
    `func_name`,
    `func_name_en`,
    `analyticsyn`,
    `devicetype`,
    `row_hash` AS stored_hash,
    md5(concat_ws('|',
      coalesce(nullif(`analyticsyn`, ''), '\\N'),
      coalesce(nullif(`clickid`, ''), '\\N'),
      coalesce(nullif(`comp`, ''), '\\N'),
      coalesce(nullif(`devicetype`, ''), '\\N'),
      coalesce(nullif(`epid`, ''), '\\N'),
      coalesce(nullif(`func_name`, ''), '\\N'),
      coalesce(nullif(`func_name_en`, ''), '\\N'),
      coalesce(nullif(`functiontype`, ''), '\\N'),
      coalesce(nullif(`input`, ''), '\\N'),
      coalesce(nullif(`llmtype`, ''), '\\N'),
      coalesce(nullif(`llmurl`, ''), '\\N'),
      coalesce(nullif(`output`, ''), '\\N'),
      coalesce(nullif(`response`, ''), '\\N'),
      coalesce(nullif(`serviceid`, ''), '\\N'),
      coalesce(nullif(`suborg`, ''), '\\N'),
      coalesce(nullif(`ts`, ''), '\\N'),
      coalesce(nullif(`userid`, ''), '\\N')
    )) AS computed_hash
  FROM `bronze`.`nas_copilot_call`
) AS hashed
WHERE stored_hash IS NULL OR stored_hash <> computed_hash;

-- 2. Deletes a row that has a wrong hash once its right one is there.
DELETE w FROM `bronze`.`nas_copilot_call` w JOIN `bronze`.`nas_copilot_call` r
  ON r.`ts` = w.`ts` AND r.`epid` = w.`epid` AND r.`serviceid` = w.`serviceid` AND r.`functiontype` = w.`functiontype` AND r.`clickid` = w.`clickid`
  AND r.`row_hash` = md5(concat_ws('|',
    coalesce(nullif(w.`analyticsyn`, ''), '\\N'),
    coalesce(nullif(w.`clickid`, ''), '\\N'),
    coalesce(nullif(w.`comp`, ''), '\\N'),
    coalesce(nullif(w.`devicetype`, ''), '\\N'),
    coalesce(nullif(w.`epid`, ''), '\\N'),
    coalesce(nullif(w.`func_name`, ''), '\\N'),
    coalesce(nullif(w.`func_name_en`, ''), '\\N'),
    coalesce(nullif(w.`functiontype`, ''), '\\N'),
    coalesce(nullif(w.`input`, ''), '\\N'),
    coalesce(nullif(w.`llmtype`, ''), '\\N'),
    coalesce(nullif(w.`llmurl`, ''), '\\N'),
    coalesce(nullif(w.`output`, ''), '\\N'),
    coalesce(nullif(w.`response`, ''), '\\N'),
    coalesce(nullif(w.`serviceid`, ''), '\\N'),
    coalesce(nullif(w.`suborg`, ''), '\\N'),
    coalesce(nullif(w.`ts`, ''), '\\N'),
    coalesce(nullif(w.`userid`, ''), '\\N')
  ))
WHERE w.`row_hash` <> r.`row_hash`;
