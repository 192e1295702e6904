"""Replaces handles of people by their names in sources, so that every composer writes names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from everword_compactor.compose.model import Source, Voice, message_text

_USER = 2
#: A handle in a text is neither part of a word, a path, an address nor a tag.
_BEFORE, _AFTER = r"(?<![\w@./:\\-])", r"(?![\w@/\\-]|\.\w)"


def with_names(
    sources: Sequence[Source], voice: Voice, heartbeat: Callable[[], None]
) -> Sequence[Source]:
    """Return sources with names in place of handles, and the user's name for messages of an unnamed user."""
    if not voice.user_name and not voice.handles:
        return sources
    handles = {
        handle.strip().removeprefix("@").casefold(): name for handle, name in voice.handles.items()
    }
    pattern = _pattern(voice.handles)

    def renamed(text: str) -> str:
        return pattern.sub(
            lambda match: handles.get(match[match.lastindex or 0].casefold(), match[0]), text
        )

    result = []
    for source in sources:
        heartbeat()
        author = source.author
        if not author and source.role == _USER:
            author = voice.user_name
        author = handles.get(author.removeprefix("@").casefold(), author)
        if not handles:
            result.append(replace(source, author=author))
        elif source.call is None:
            result.append(replace(source, author=author, text=renamed(source.text)))
        else:
            # Arguments and results of calls are identifiers, which stay as they are.
            words = renamed(source.words)
            text = message_text(words, source.call)
            result.append(replace(source, author=author, text=text, words=words))
    return result


def _pattern(handles: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of handles in texts: `@handle` and `<@handle>`, and bare if it is not an ordinary word."""
    names = sorted((handle.strip().removeprefix("@") for handle in handles), key=len, reverse=True)
    marked = "|".join(map(re.escape, names))
    bare = "|".join(re.escape(name) for name in names if not _is_word(name)) or r"(?!)"
    return re.compile(
        rf"<@!?({marked})>|{_BEFORE}@({marked}){_AFTER}|{_BEFORE}({bare}){_AFTER}",
        re.IGNORECASE,
    )


def _is_word(handle: str) -> bool:
    """Return whether a handle may be an ordinary word or name, such as `rose` or `Rose`."""
    return handle.isalpha() and handle[1:] == handle[1:].lower()
