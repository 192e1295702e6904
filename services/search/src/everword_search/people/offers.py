"""Offer an agent questions whose topic comes up: at most two per turn, and each rarely."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.text.analysis import folded_words
from everword.text.common_words import LANGUAGES_OF, language_of
from everword.text.ranking_record import stems_of
from everword_search.people import store
from everword_search.people.store import OfferRow

log = logging.getLogger(__name__)
#: Maximum questions in a context.
MOST = 2
#: A question is not offered again within the pause, and not more than `MOST_OFFERS` times in all.
PAUSE, MOST_OFFERS = timedelta(days=7), 3
#: Open questions that are examined, newest first.
_CHECKED = 200
#: Shorter words rarely carry the topic of a text.
_LEAST_LETTERS = 3
_CONFIG = "english"


async def find_offers(
    database: Database, namespace: NamespaceScope, subjects: Sequence[str], text: str
) -> list[OfferRow]:
    """Return at most two questions to the subjects whose topic the text shares words with, most shared words first."""
    before = datetime.now(UTC) - PAUSE
    async with database.transaction(namespace.id) as conn:
        rows = await store.find_offers(conn, namespace.id, subjects, MOST_OFFERS, before, _CHECKED)
    return choose_offers(text, rows)


def choose_offers(text: str, rows: Sequence[OfferRow]) -> list[OfferRow]:
    """Return the rows whose topic shares words with the text, most shared words first; equal ones keep their order."""
    if not rows:
        return []
    asked = content_stems(text)
    touched = [(len(asked & content_stems(row.topic)), row) for row in rows]
    best = sorted((each for each in touched if each[0] > 0), key=lambda each: -each[0])
    return [row for _, row in best[:MOST]]


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text."""
    words = folded_words(text)
    # A stop word of one language may be a content word in another.
    language = language_of(words) or "en"
    telling = [
        word
        for word in words
        if len(word) >= _LEAST_LETTERS and language not in LANGUAGES_OF.get(word, ())
    ]
    return frozenset(stems_of(" ".join(telling), _CONFIG))


async def count_offers(
    database: Database, namespace: NamespaceScope, strategy_ids: Sequence[UUID]
) -> None:
    """Count that questions were offered. An error is only logged, so that the context is not lost."""
    if not strategy_ids:
        return
    try:
        async with database.transaction(namespace.id) as conn:
            await store.count_offers(conn, namespace.id, strategy_ids)
    except (psycopg.Error, PoolTimeout) as error:
        log.warning("offers not counted", extra={"error": repr(error)})
