"""How lorebooks are shown."""

from __future__ import annotations

from everword.cli.output import shorten
from everword.v1 import lore_pb2


def scope_text(scope: lore_pb2.LoreScope) -> str:
    return ", ".join(filter(None, (scope.agent, scope.subject, scope.conversation_id))) or "all"


def state(disabled: bool) -> str:
    return "disabled" if disabled else ""


def described(trigger: lore_pb2.LoreTrigger) -> str:
    mode = lore_pb2.LoreTriggerMode.Name(trigger.mode).removeprefix("LORE_TRIGGER_MODE_").lower()
    return trigger.text if mode == "substring" else f"{trigger.text} ({mode})"


def why(match: lore_pb2.LoreMatch, titles: dict[str, str]) -> str:
    """Return why an entry is there, in words."""
    cause = lore_pb2.LoreCause.Name(match.cause).removeprefix("LORE_CAUSE_").lower()
    parts = [cause]
    if match.HasField("trigger"):
        parts.append(shorten(described(match.trigger), 40))
    if match.by_entry_id:
        parts.append(f"in {shorten(titles.get(match.by_entry_id, match.by_entry_id), 40)}")
    if match.cause == lore_pb2.LORE_CAUSE_STICKY:
        parts.append(f"{match.turns_left} more turns")
    return ", ".join(parts)
