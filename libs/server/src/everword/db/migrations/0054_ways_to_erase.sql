-- Ingest deletes through erasures and policies alone.

REVOKE EXECUTE ON FUNCTION erase_messages(uuid[]), erase_memories(text, uuid[]) FROM everword_ingest;
