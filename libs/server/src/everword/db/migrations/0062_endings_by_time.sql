-- Watchers are told what expires: each look asks for what a note's expiry, or the end that a fact had from the start, came to since
-- the look before.

-- squawk-ignore require-concurrent-index-creation
CREATE INDEX memories_ending ON memories (namespace_id, valid_until, source_id) WHERE part = 0 AND valid_until IS NOT NULL;
