-- memories_time serves what this one did. By itself, so that what locks out reads as well holds nothing else and is short.

-- squawk-ignore require-concurrent-index-deletion
DROP INDEX memories_occurred;
