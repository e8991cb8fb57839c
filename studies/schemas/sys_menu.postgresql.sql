-- The table of study 2 (spring-boot-vs-actix), for PostgreSQL: 11 rows of menu entries.
CREATE TABLE sys_menu (
    id          numeric(24)  PRIMARY KEY,
    name        varchar(100) NOT NULL,
    show_flag   int2         NOT NULL,
    create_date timestamp(6) NOT NULL,
    create_by   varchar(64)  NOT NULL,
    code        varchar(8),
    parent_code varchar(8)
);

INSERT INTO sys_menu (id, name, show_flag, create_date, create_by, code, parent_code) VALUES
    (1,  'System',      1, '2022-03-01 09:00:00', 'admin', '01',   NULL),
    (2,  'Users',       1, '2022-03-01 09:00:01', 'admin', '0101', '01'),
    (3,  'Roles',       1, '2022-03-01 09:00:02', 'admin', '0102', '01'),
    (4,  'Menus',       1, '2022-03-01 09:00:03', 'admin', '0103', '01'),
    (5,  'Departments', 1, '2022-03-01 09:00:04', 'admin', '0104', '01'),
    (6,  'Monitoring',  1, '2022-03-01 09:00:05', 'admin', '02',   NULL),
    (7,  'Sessions',    1, '2022-03-01 09:00:06', 'admin', '0201', '02'),
    (8,  'Jobs',        0, '2022-03-01 09:00:07', 'admin', '0202', '02'),
    (9,  'Logs',        1, '2022-03-01 09:00:08', 'admin', '0203', '02'),
    (10, 'Reports',     1, '2022-03-01 09:00:09', 'admin', '03',   NULL),
    (11, 'Exports',     0, '2022-03-01 09:00:10', 'admin', '0301', '03');
ANALYZE sys_menu;
