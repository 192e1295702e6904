"""The form of a model's answer at each level, and the node's text that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everword.chat.errors import BadAnswer
from everword_compactor.compose.checks.tags import (
    TAG,
    add_only_instance,
    render_bullet,
    strip_chat_tags,
)
from everword_compactor.compose.model import Draft, Level, Source
from everword_compactor.compose.prompts.lines import Aliases

#: Letters that a token of an answer may have; without a limit, small models repeat themselves endlessly.
_CHARS_PER_TOKEN = 4
_BULLET_CHARS = 1_000
_MAX_BULLETS = 200
_MAX_NAMES = 50


def answer_schema(level: Level, answer_tokens: int) -> Mapping[str, Any]:
    """Return the JSON schema of an answer that has room for `answer_tokens`."""
    chars = _CHARS_PER_TOKEN * answer_tokens
    if level is not Level.DAY:
        return _object({"summary": {"type": "string", "minLength": 1, "maxLength": chars}})
    names = {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": _MAX_NAMES}
    text = {"type": "string", "minLength": 1, "maxLength": min(_BULLET_CHARS, chars)}
    bullet = _object({"text": text, "chats": names, "via": names})
    return _object(
        {"bullets": {"type": "array", "items": bullet, "minItems": 1, "maxItems": _MAX_BULLETS}}
    )


def read_answer(value: Any, draft: Draft, origins: Sequence[Source], aliases: Aliases) -> str:
    """Return the text of the node from an answer that matches the schema.

    Names of a bullet that are no aliases stay unchanged, so that the check finds them. `origins` are all the sources of
    the answer. Raises BadAnswer if it is empty.
    """
    if draft.level is Level.DAY:
        bullets = [
            _bullet(bullet, aliases) for bullet in value["bullets"] if bullet["text"].strip()
        ]
        content = "\n".join(bullets)
    else:
        content = str(value["summary"]).strip()
        if draft.level.of_calendar:
            content = add_only_instance(strip_chat_tags(content), origins)
    if not content.strip():
        raise BadAnswer("The summary is empty.", "empty")
    return content


def _bullet(bullet: Mapping[str, Any], aliases: Aliases) -> str:
    text = TAG.sub("", str(bullet["text"])).lstrip("-*• \t")
    chats = _real_names(bullet["chats"], aliases.chats)
    return render_bullet(text, chats, _real_names(bullet["via"], aliases.instances))


def _real_names(given: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    real = {alias: name for name, alias in aliases.items()}
    # With a single alias, every bullet comes from it.
    names = [real.get(name, name) for name in given] or (list(aliases) if len(aliases) == 1 else [])
    return list(dict.fromkeys(names))


def _object(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
