"""Names of attributes and topics: what models call by many names is kept under one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everword.facts.attributes import KNOWN
from everword.text.case_folding import fold_spaces

#: Other names of attributes that models and people use.
_SYNONYMS = {
    "residence": "city home_city hometown_now current_city lives_in location place_of_residence home home_location",
    "address": "home_address street_address",
    "hometown": "birthplace place_of_birth origin",
    "job": "occupation profession job_title role position work",
    "employer": "company workplace works_at works_for",
    "education": "degree school university studies",
    "partner": "spouse wife husband girlfriend boyfriend fiance fiancee",
    "marital_status": "relationship_status",
    "child": "children son daughter kid kids",
    "sibling": "siblings brother sister",
    "parent": "parents mother father",
    "pet": "pets dog cat",
    "friend": "friends",
    "allergy": "allergies allergic_to",
    "medication": "medications medicine drug",
    "condition": "conditions illness diagnosis health_condition",
    "email": "email_address mail",
    "phone": "phone_number telephone mobile",
    "vehicle": "car bike motorcycle",
    "device": "devices phone_model laptop computer",
    "like": "likes favourite favorite preference interest interests",
    "dislike": "dislikes",
    "hobby": "hobbies",
    "goal": "goals plan plans intention",
    "language": "languages spoken_language",
    "name": "full_name first_name",
    "birthday": "birth_date date_of_birth birthdate",
    "stack": "tech_stack technology",
    "skill": "skills",
}
_CANONICAL = {other: name for name, others in _SYNONYMS.items() for other in others.split()}
_NOT_A_NAME = re.compile(r"[^\w]+")
MAX_CHARS = 100


def attribute_name(written: str) -> str:
    """Return an attribute's canonical name, such as `residence` for `Home city`; empty if it is not a name."""
    name = _NOT_A_NAME.sub("_", written.strip().casefold()).strip("_")[:MAX_CHARS]
    return name if name in KNOWN else _CANONICAL.get(name, name)


def topic_names(written: Iterable[str], known: Sequence[str], maximum: int = 3) -> list[str]:
    """Return at most three topics, each by the name that earlier sessions have for it."""
    by_folded = {fold_spaces(topic): topic for topic in reversed(known)}
    names = []
    for topic in written:
        plain = " ".join(topic.split())
        if plain:
            names.append(by_folded.setdefault(plain.casefold(), plain))
    return list(dict.fromkeys(names))[:maximum]
