-- What routes are moved on: conditions and waivers, which are configuration, and evidence, which is not.

-- All versions of all stop conditions; one that is frozen in its document is never changed but for what was found of it.
CREATE TABLE conditions (
    environment INTEGER NOT NULL REFERENCES environments (id),
    route       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    version     INTEGER NOT NULL CHECK (version >= 1),
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, route, key, version),
    FOREIGN KEY (environment, route) REFERENCES routes (environment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE waivers (
    environment INTEGER NOT NULL REFERENCES environments (id),
    route       TEXT    NOT NULL,
    gate        TEXT    NOT NULL,
    move        TEXT    NOT NULL, -- empty: every move
    expires_at  INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    PRIMARY KEY (environment, route, gate, move),
    FOREIGN KEY (environment, route) REFERENCES routes (environment, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    environment INTEGER NOT NULL REFERENCES environments (id),
    id          TEXT    NOT NULL, -- UUIDv7
    route       TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    artefact    TEXT    NOT NULL, -- SHA-256 of its bytes, lower-case hexadecimal
    expires_at  INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    checksum    INTEGER NOT NULL, -- of the row, as segments have one
    PRIMARY KEY (environment, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX evidence_by_route ON evidence (environment, route, kind, id);
CREATE INDEX evidence_by_expiry ON evidence (environment, expires_at);
CREATE INDEX evidence_by_artefact ON evidence (environment, artefact, expires_at);

CREATE TRIGGER evidence_is_not_rewritten BEFORE UPDATE ON evidence
BEGIN SELECT raise(ABORT, 'evidence is never rewritten'); END;

CREATE TRIGGER evidence_is_not_deleted BEFORE DELETE ON evidence
BEGIN SELECT raise(ABORT, 'evidence is never deleted'); END;

-- The bytes, once for all items that rest on them. They are let go when room is needed and none of these counts any more.
CREATE TABLE evidence_artefacts (
    environment INTEGER NOT NULL REFERENCES environments (id),
    hash        TEXT    NOT NULL,
    size        INTEGER NOT NULL,
    content     BLOB    NOT NULL,
    PRIMARY KEY (environment, hash)
) STRICT;

CREATE INDEX evidence_artefact_sizes ON evidence_artefacts (environment, size);

CREATE TRIGGER artefacts_are_not_rewritten BEFORE UPDATE ON evidence_artefacts
BEGIN SELECT raise(ABORT, 'an artefact is never rewritten'); END;
