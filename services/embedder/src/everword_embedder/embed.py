"""Turn texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from everword.domain.errors import EmbedderUnavailable


async def embed(texts: Sequence[str], generation_id: int) -> NoReturn:
    """Raise EmbedderUnavailable: this release has no embedding provider, and says so rather than making vectors up."""
    raise EmbedderUnavailable(
        "No embedding provider is configured; words still find what is remembered.",
        texts=len(texts),
        generation_id=generation_id,
    )
