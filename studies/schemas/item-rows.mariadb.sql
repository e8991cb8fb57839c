-- Empties the table of study 3 and fills it with 100,000 rows, ids 1 to 100,000: about 18 MB,
-- some 180 bytes a row with what InnoDB adds. seq_1_to_100000 is MariaDB's own sequence engine.
TRUNCATE TABLE item;
INSERT INTO item (id, name, code, note, created)
SELECT seq,
       CONCAT('item number ', LPAD(seq, 18, '0')),
       CONCAT('code-', LPAD(seq, 11, '0')),
       CONCAT('note ', LPAD(seq, 6, '0'), ' ', REPEAT('0123456789abcdef', 4), ' the end'),
       TIMESTAMP '2024-01-01 00:00:00' + INTERVAL seq SECOND
FROM seq_1_to_100000;
