-- The table of study 3 (platform-vs-virtual-threads), for MariaDB, still empty.
CREATE TABLE item (
    id      BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name    VARCHAR(64)  NOT NULL,
    code    VARCHAR(32)  NOT NULL,
    note    VARCHAR(128) NOT NULL,
    created TIMESTAMP    NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4;
