"""Messages at given moments, and the settings that determine their days."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2
from support.calls import message, target
from support.stack import Stack


def at(moment: str) -> datetime:
    """Return a moment in UTC, such as `2026-04-18T12:00`."""
    return datetime.fromisoformat(f"{moment}+00:00")


def said(moment: str, content: str = "", **fields: Any) -> memory_pb2.NewMessage:
    """Return a message sent at a moment in UTC."""
    entry = message(content or f"Something of {moment}.", **fields)
    entry.create_time.FromDatetime(at(moment))
    return entry


async def say_in(stack: Stack, channel: str, *messages: memory_pb2.NewMessage) -> str:
    """Append to a conversation of a channel; return its id."""
    request = ingest.AppendMessagesRequest(
        conversation=target(f"of {channel}", channel=channel), messages=messages
    )
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def update_settings(stack: Stack, **settings: Any) -> None:
    """Update the settings of the test namespace, whose days begin at midnight by default."""
    if "time_zone" in settings:
        settings.setdefault("day_cutoff_minutes", 0)
    request = admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name="default", settings=admin.NamespaceSettings(**settings))
    )
    request.update_mask.paths.extend(f"settings.{name}" for name in settings)
    await stack.admin.UpdateNamespace(request)


def revisions(stack: Stack) -> dict[str, int]:
    """Return the revision of each calendar node, by title, with the instance appended if it has one."""
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT title || '/' || instance, revision FROM summaries")
        return {str(name).rstrip("/"): revision for name, revision in rows}
