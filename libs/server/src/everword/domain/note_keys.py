"""What tells the key of a note from all others: keys are unique in a scope, and may be too long for an index."""

from __future__ import annotations

import json
from hashlib import sha256
from uuid import UUID


def note_key_hash(key: str, agent: str, subject: str, conversation_id: UUID | None) -> bytes:
    """Return the SHA-256 of a key and its scope."""
    parts = [key, agent, subject, str(conversation_id or "")]
    return sha256(json.dumps(parts).encode()).digest()
