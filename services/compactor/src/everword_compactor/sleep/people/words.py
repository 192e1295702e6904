"""What stages beside facts share: observations as a model sees them, and quotes as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from everword.people.model import Said
from everword.text.values.evidence import Evidence, find_values
from everword_compactor.compose.checks.guarded import or_else
from everword_compactor.sleep.model import Observation, Quote


def observation_record(observation: Observation, number: int) -> dict[str, Any]:
    """Return an observation with its words as a model sees it; `o` is what it is cited by."""
    record = {
        "o": number,
        "time": observation.said_at.isoformat(timespec="minutes"),
        "kind": observation.kind.name.lower(),
        "of": observation.subject,
        "about": observation.about,
        "text": observation.text,
        "hypothesis": observation.hypothesis,
        "quotes": [quote.text for quote in observation.quotes],
    }
    return {name: value for name, value in record.items() if value not in ("", False)}


def said_of(quote: Quote) -> Said:
    """Return a quote as evidence."""
    return Said(quote.message_id, quote.conversation_id, quote.text, quote.said_at)


def invented(text: str, sources: Iterable[str], times: Iterable[datetime] = ()) -> list[str]:
    """Return the values of a text, such as numbers and names, that no source says."""
    return or_else(["cannot be checked"], _missing, text, list(sources), list(times))


def _missing(text: str, sources: list[str], times: list[datetime]) -> list[str]:
    known = Evidence(sources, times)
    return [value.text for value in known.missing(find_values(text))]
