-- Permits, and whether each was used.

CREATE TABLE permits (
    position INTEGER PRIMARY KEY,
    permit_id TEXT NOT NULL UNIQUE,
    verdict_id TEXT NOT NULL,
    expires_at_us INTEGER NOT NULL,
    circumstances_json TEXT NOT NULL,
    redeemed_position INTEGER
) STRICT;
