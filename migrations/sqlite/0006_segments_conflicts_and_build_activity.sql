-- What a resume left: the attempt that opened a segment, why and when. NULL in the first segment of a journey.
ALTER TABLE journey_segments ADD COLUMN attempt BLOB;
ALTER TABLE journey_segments ADD COLUMN reason TEXT;
ALTER TABLE journey_segments ADD COLUMN opened_at INTEGER;

-- Who made the choices of a first segment: NULL the service; `decided` the device, and the service came to the same;
-- `unverified` the device, and the service could not.
ALTER TABLE journey_segments ADD COLUMN origin TEXT;

-- What a device showed although another pin stands: it had decided offline and could not go back. One a journey.
CREATE TABLE journey_conflicts (
    environment INTEGER NOT NULL,
    journey     BLOB    NOT NULL,
    segment     INTEGER NOT NULL, -- the one that stood
    choices     TEXT    NOT NULL, -- trips.edit=migrated;trips.list=legacy
    reported_at INTEGER NOT NULL,
    checksum    INTEGER NOT NULL,
    PRIMARY KEY (environment, journey)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER journey_conflicts_are_not_rewritten BEFORE UPDATE ON journey_conflicts
BEGIN SELECT raise(ABORT, 'a conflict is never rewritten'); END;

-- Journeys started in an hour (counted from 1970) by build, added up once a transaction. Builds that are not registered
-- are counted together, as the app '' and the number -1: whoever invents builds must not make rows.
CREATE TABLE build_hours (
    environment INTEGER NOT NULL,
    hour        INTEGER NOT NULL,
    app         TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    journeys    INTEGER NOT NULL,
    PRIMARY KEY (environment, hour, app, number)
) STRICT, WITHOUT ROWID;

-- The last hour of a build whose hours were deleted.
CREATE TABLE builds_seen (
    environment INTEGER NOT NULL,
    app         TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    last_hour   INTEGER NOT NULL,
    PRIMARY KEY (environment, app, number)
) STRICT, WITHOUT ROWID;

INSERT INTO build_hours (environment, hour, app, number, journeys)
SELECT pins.environment, pins.started_at / 3600000, coalesce(builds.app, ''), coalesce(builds.number, -1), count(*)
FROM journey_segments AS pins LEFT JOIN builds ON builds.environment = pins.environment
    AND builds.app = pins.app AND builds.number = pins.build_number
WHERE segment = 1 GROUP BY 1, 2, 3, 4;
