-- When each key was last shown, to five minutes. Told to people who look for keys that nobody needs; nothing is decided
-- by it, so it is neither configuration nor in the audit.
CREATE TABLE key_use (
    environment INTEGER NOT NULL,
    key_id      TEXT    NOT NULL,
    used_at     INTEGER NOT NULL,
    PRIMARY KEY (environment, key_id),
    FOREIGN KEY (environment, key_id) REFERENCES keys (environment, key_id)
) STRICT, WITHOUT ROWID;
