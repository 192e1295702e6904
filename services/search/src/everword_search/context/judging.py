"""How far to trust the words of an item, and whether they are left out."""

from __future__ import annotations

from everword.domain.records import MemoryRecord
from everword.domain.trust import TrustPolicy
from everword.text.instructions import speaks_to_models

#: What stands before an item.
UNTRUSTED, SUSPICIOUS = "untrusted", "suspicious"


def judge(trust: TrustPolicy, about: MemoryRecord | None, words: str) -> tuple[str, bool]:
    """Return a word for it, and whether it is left out; no word for what a tool brought in, which says so itself."""
    if about is None or not about.untrusted:
        return "", False
    if speaks_to_models(words):
        return SUSPICIOUS, trust.leaves_out(about.channel)
    return (UNTRUSTED if trust.is_open(about.channel) else ""), False
