"""The kind of question that a query is. The words are English; a question in another language has no traits."""

from __future__ import annotations

import re

_WHEN = re.compile(r"(when|what (date|day|month|year|time)|how long ago)\b")
_WHO = re.compile(r"who\b|whose\b|whom\b")


def question_traits(text: str) -> dict[str, float]:
    """Return the traits of a question, 1 or 0, and its length in words."""
    lower = text.lower().strip()
    return {
        "q_when": float(bool(_WHEN.match(lower))),
        "q_who": float(bool(_WHO.match(lower))),
        "q_len": float(len(lower.split())),
    }
