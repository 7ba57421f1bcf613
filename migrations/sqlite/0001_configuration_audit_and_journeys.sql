-- Milliseconds since 1970 in every column that ends in _at.

-- What was applied to this database. Written by the migrator in the transaction of the migration itself.
CREATE TABLE schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL, -- SHA-256 of the file, lower-case hexadecimal
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE environments (
    id       INTEGER PRIMARY KEY,
    name     TEXT    NOT NULL UNIQUE,
    epoch    INTEGER NOT NULL CHECK (epoch >= 1),
    revision INTEGER NOT NULL CHECK (revision >= 0),
    swept_at INTEGER NOT NULL -- the last time of day that a sweep believed
) STRICT;

-- The configuration. `document` is the canonical JSON of the whole item; columns beside it are for reading and joining.

CREATE TABLE flows (
    environment INTEGER NOT NULL REFERENCES environments (id),
    key         TEXT    NOT NULL,
    flow_id     TEXT    NOT NULL, -- UUIDv7; never changes, the salt of every split in the flow
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, key),
    UNIQUE (environment, flow_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE routes (
    environment INTEGER NOT NULL REFERENCES environments (id),
    key         TEXT    NOT NULL,
    flow        TEXT    NOT NULL,
    stage       TEXT    NOT NULL,
    status      TEXT    NOT NULL,
    step        INTEGER NOT NULL CHECK (step >= 0),
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, key),
    FOREIGN KEY (environment, flow) REFERENCES flows (environment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE flags (
    environment INTEGER NOT NULL REFERENCES environments (id),
    key         TEXT    NOT NULL,
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE cohorts (
    environment INTEGER NOT NULL REFERENCES environments (id),
    key         TEXT    NOT NULL,
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE builds (
    environment INTEGER NOT NULL REFERENCES environments (id),
    app         TEXT    NOT NULL,
    number      INTEGER NOT NULL CHECK (number >= 0),
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, app, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    environment INTEGER NOT NULL REFERENCES environments (id),
    key_id      TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    hash        TEXT    NOT NULL UNIQUE, -- SHA-256 of the key's text; the secret itself is stored nowhere
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, key_id)
) STRICT, WITHOUT ROWID;

-- One entry a change, in the change's transaction, each with the hash of the one before it.
CREATE TABLE audit (
    environment   INTEGER NOT NULL REFERENCES environments (id),
    sequence      INTEGER NOT NULL CHECK (sequence >= 1),
    epoch         INTEGER NOT NULL,
    revision      INTEGER NOT NULL,
    occurred_at   INTEGER NOT NULL,
    actor         TEXT    NOT NULL,
    role          TEXT    NOT NULL,
    key_id        TEXT    NOT NULL,
    action        TEXT    NOT NULL,
    subject       TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    before        TEXT    NOT NULL, -- canonical JSON
    after         TEXT    NOT NULL, -- canonical JSON
    previous_hash TEXT    NOT NULL,
    hash          TEXT    NOT NULL,
    PRIMARY KEY (environment, sequence)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_entries_are_not_rewritten BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'an audit entry is never rewritten'); END;

CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'an audit entry is never deleted'); END;

-- Pins. The key begins with the time inside the UUIDv7, so inserts go to one end of the tree and a sweep takes from the
-- other. No foreign key: it would be looked up a million times to say that the one environment exists.
CREATE TABLE journey_segments (
    environment  INTEGER NOT NULL,
    journey      BLOB    NOT NULL CHECK (length(journey) = 16), -- UUIDv7
    segment      INTEGER NOT NULL CHECK (segment >= 1),
    flow         TEXT    NOT NULL,
    unit         TEXT    NOT NULL,
    app          TEXT    NOT NULL,
    build_number INTEGER NOT NULL,
    parent       BLOB,                                          -- the journey that this one was started from
    epoch        INTEGER NOT NULL,
    revision     INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    choices      TEXT    NOT NULL,                              -- trips.edit=migrated/share;trips.list=legacy/stage
    checksum     INTEGER NOT NULL,                              -- of the row: SQLite has none for its pages
    PRIMARY KEY (environment, journey, segment)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER journey_segments_are_not_rewritten BEFORE UPDATE ON journey_segments
BEGIN SELECT raise(ABORT, 'a segment is never rewritten'); END;

-- How a journey ended: one row a journey.
CREATE TABLE journey_outcomes (
    environment INTEGER NOT NULL,
    journey     BLOB    NOT NULL,
    status      TEXT    NOT NULL,
    name        TEXT,
    ended_at    INTEGER NOT NULL,
    PRIMARY KEY (environment, journey)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER journey_outcomes_are_not_rewritten BEFORE UPDATE ON journey_outcomes
BEGIN SELECT raise(ABORT, 'an outcome is never rewritten'); END;
