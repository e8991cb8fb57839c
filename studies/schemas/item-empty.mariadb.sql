-- Empties the table of study 3 (platform-vs-virtual-threads); keys begin at 1 again.
TRUNCATE TABLE item;
