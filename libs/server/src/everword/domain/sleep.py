"""When a session of a conversation has ended: ingest schedules Sleep by it, and the compactor cuts sessions by it."""

from __future__ import annotations

#: A pause so long ends a session.
SESSION_IDLE_S = 30 * 60.0
