-- What shows that rows were changed or cut behind the service's back.

-- Sum over the checksums of all configuration rows. NULL until the next start has added it up.
ALTER TABLE environments ADD COLUMN configuration_sum INTEGER;

-- Segments ever stored, and those that sweeps took away: the difference is the number of rows.
ALTER TABLE environments ADD COLUMN pins_stored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE environments ADD COLUMN pins_swept INTEGER NOT NULL DEFAULT 0;
UPDATE environments SET pins_stored = (
    SELECT count(*) FROM journey_segments WHERE journey_segments.environment = environments.id);

-- Of the row, as segments have one. NULL in rows of earlier releases.
ALTER TABLE journey_outcomes ADD COLUMN checksum INTEGER;
