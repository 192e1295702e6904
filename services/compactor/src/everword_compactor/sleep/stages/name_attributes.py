"""Names of attributes and topics: what models call by many names is kept under one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everword.facts.attribute_names import canonical_attribute
from everword.text.case_folding import fold_spaces

#: Narrower names that models use for one value of a broader attribute.
_NARROWER = {
    "child": "son daughter",
    "sibling": "brother sister",
    "parent": "mother father",
    "pet": "dog cat",
    "vehicle": "bike motorcycle",
    "device": "phone_model laptop computer",
    "like": "favourite favorite preference",
    "goal": "plan plans intention",
    "name": "first_name",
}
_BROADER = {other: name for name, others in _NARROWER.items() for other in others.split()}
_NOT_A_NAME = re.compile(r"[^\w]+")
MAX_CHARS = 100


def attribute_name(written: str) -> str:
    """Return an attribute's canonical name, such as `residence` for `Home city`; empty if it is not a name."""
    name = _NOT_A_NAME.sub("_", written.strip().casefold()).strip("_")[:MAX_CHARS]
    return _BROADER.get(name) or canonical_attribute(name)


def topic_names(written: Iterable[str], known: Sequence[str], maximum: int = 3) -> list[str]:
    """Return at most three topics, each by the name that earlier sessions have for it."""
    by_folded = {fold_spaces(topic): topic for topic in reversed(known)}
    names = []
    for topic in written:
        plain = " ".join(topic.split())
        if plain:
            names.append(by_folded.setdefault(plain.casefold(), plain))
    return list(dict.fromkeys(names))[:maximum]
