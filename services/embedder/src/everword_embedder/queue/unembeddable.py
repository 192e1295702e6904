"""Tells texts that a model can make nothing of."""

from __future__ import annotations

import regex

_BLOB = regex.compile(r"[A-Za-z0-9+/=_-]{200,}")
#: A text is a blob where runs of base64 are more than this share of it.
_BLOB_SHARE = 0.9


def unembeddable_reason(text: str) -> str | None:
    """Return why `text` has no meaning to embed; None where it has."""
    stripped = text.strip()
    if not any(character.isalnum() for character in stripped):
        return "it holds no words"
    blobs = sum(len(match[0]) for match in _BLOB.finditer(stripped))
    if blobs > _BLOB_SHARE * len(stripped):
        return "it is encoded data, not text"
    return None
