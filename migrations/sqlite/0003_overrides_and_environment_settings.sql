-- Units that are to see one renderer of a route for a while. What has ended is ignored by its time, and removed when the
-- next one is set.
CREATE TABLE overrides (
    environment INTEGER NOT NULL REFERENCES environments (id),
    route       TEXT    NOT NULL,
    unit        TEXT    NOT NULL,
    expires_at  INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, route, unit),
    FOREIGN KEY (environment, route) REFERENCES routes (environment, key)
) STRICT, WITHOUT ROWID;

-- What holds for the whole environment. Without a row everything is as it was before there were settings.
CREATE TABLE environment_settings (
    environment INTEGER PRIMARY KEY REFERENCES environments (id),
    document    TEXT    NOT NULL
) STRICT;
