"""Questions that are offered to an agent: those whose topic comes up, at most two a turn, and none again at once."""

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
#: Questions of a context.
MOST = 2
#: A question that was offered is not offered again for so long, and so often at most.
PAUSE, MOST_OFFERS = timedelta(days=7), 3
#: Open questions that are looked at, the newest first.
_LOOKED_AT = 200
#: Of shorter words, few tell what a text is about.
_LEAST_LETTERS = 3
_CONFIG = "english"


async def find_offers(
    database: Database, namespace: NamespaceScope, subjects: Sequence[str], text: str
) -> list[OfferRow]:
    """Return the questions to subjects whose topic a text touches, most first; two at most."""
    before = datetime.now(UTC) - PAUSE
    async with database.transaction(namespace.id) as conn:
        rows = await store.find_offers(
            conn, namespace.id, subjects, MOST_OFFERS, before, _LOOKED_AT
        )
    return choose_offers(text, rows)


def choose_offers(text: str, rows: Sequence[OfferRow]) -> list[OfferRow]:
    """Return those rows whose topic a text touches, by how many of its words; the earlier one where alike."""
    if not rows:
        return []
    asked = content_stems(text)
    touched = [(len(asked & content_stems(row.topic)), row) for row in rows]
    best = sorted((each for each in touched if each[0] > 0), key=lambda each: -each[0])
    return [row for _, row in best[:MOST]]


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that tell what it is about."""
    words = folded_words(text)
    # A common word of one language is a word like any other in another.
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
    """Count that questions were offered, after the context was built: it is not lost for want of a count."""
    if not strategy_ids:
        return
    try:
        async with database.transaction(namespace.id) as conn:
            await store.count_offers(conn, namespace.id, strategy_ids)
    except (psycopg.Error, PoolTimeout) as error:
        log.warning("offers not counted", extra={"error": repr(error)})
