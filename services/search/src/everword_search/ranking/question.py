"""What kind of question a query is. The words are English; a question in another language has no traits."""

from __future__ import annotations

import re

_WHEN = re.compile(r"(when|what (date|day|month|year|time)|how long ago)\b")
_WHERE = re.compile(r"where\b|which (city|country|place)\b|what (city|country|place)\b")
_WHO = re.compile(r"who\b|whose\b|whom\b")
_WHAT = re.compile(r"what\b|which\b")
_COUNT = re.compile(r"\bhow (many|much|long|often)\b")
_HOW = re.compile(r"(how|why)\b")
_YES_NO = re.compile(r"(did|does|is|are|was|do|has|have|would|will|can|could|should|were)\b")
_OWN = re.compile(r"\b(i|my|me|i'm|we|our)\b")


def question_traits(text: str) -> dict[str, float]:
    """Return the traits of a question, 1 or 0, and its length in words."""
    lower = text.lower().strip()
    counts = bool(_COUNT.search(lower))
    return {
        "q_when": float(bool(_WHEN.match(lower))),
        "q_where": float(bool(_WHERE.match(lower))),
        "q_who": float(bool(_WHO.match(lower))),
        "q_what": float(bool(_WHAT.match(lower))),
        "q_how": float(bool(_HOW.match(lower)) and not counts),
        "q_count": float(counts),
        "q_yes": float(bool(_YES_NO.match(lower))),
        "q_first": float(bool(_OWN.search(lower))),
        "q_len": float(len(lower.split())),
    }
