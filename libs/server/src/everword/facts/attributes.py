"""Known attributes of people and projects.

Other attributes can be remembered as well; only their name is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

#: Expected lifetime of values of an unknown attribute, in days.
_LIFETIME_DAYS = 365
#: Lifetimes in days, after Riverse: identity, home and work, romance, interests, and moods.
_IDENTITY, _PLACE, _ROMANCE, _INTEREST, _STATE = 3650, 540, 365, 180, 60


@dataclass(frozen=True)
class Attribute:
    """An attribute of a person or a thing."""

    name: str
    category: str
    #: As people write it before a value: "Residence: Lisbon".
    label: str
    #: True if it has several values at a time.
    several: bool
    lifetime_days: int
    #: True if a person's life is built around it; such facts mature sooner.
    is_anchor: bool = False


def _one(name: str, category: str, lifetime_days: int, is_anchor: bool = False) -> Attribute:
    return Attribute(name, category, _label(name), False, lifetime_days, is_anchor)


def _several(name: str, category: str, lifetime_days: int, is_anchor: bool = False) -> Attribute:
    return Attribute(name, category, _label(name), True, lifetime_days, is_anchor)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


KNOWN: dict[str, Attribute] = {
    each.name: each
    for each in (
        _one("name", "identity", _IDENTITY, is_anchor=True),
        _one("birthday", "identity", _IDENTITY, is_anchor=True),
        _one("age", "identity", _LIFETIME_DAYS),
        _one("nationality", "identity", _IDENTITY, is_anchor=True),
        _one("pronouns", "identity", _IDENTITY),
        _several("language", "identity", _IDENTITY),
        _one("residence", "home", _PLACE, is_anchor=True),
        _one("address", "home", _PLACE),
        _one("hometown", "home", _IDENTITY),
        _one("job", "work", _PLACE, is_anchor=True),
        _one("employer", "work", _PLACE, is_anchor=True),
        _one("salary", "work", _LIFETIME_DAYS),
        _several("skill", "work", _PLACE),
        _one("education", "work", _IDENTITY),
        _one("partner", "family", _ROMANCE, is_anchor=True),
        _one("marital_status", "family", _ROMANCE),
        _several("child", "family", _IDENTITY, is_anchor=True),
        _one("number_of_children", "family", _IDENTITY),
        _one("number_of_siblings", "family", _IDENTITY),
        _several("sibling", "family", _IDENTITY),
        _several("parent", "family", _IDENTITY),
        _several("pet", "family", _PLACE),
        _several("friend", "family", _PLACE),
        _one("diet", "health", _PLACE),
        _several("allergy", "health", _IDENTITY),
        _several("medication", "health", _LIFETIME_DAYS),
        _one("dose", "health", _LIFETIME_DAYS),
        _several("condition", "health", _PLACE),
        _one("weight", "health", _INTEREST),
        _one("email", "contact", _PLACE),
        _one("phone", "contact", _PLACE),
        _one("vehicle", "things", _PLACE),
        _several("device", "things", _PLACE),
        _several("like", "preferences", _PLACE),
        _several("dislike", "preferences", _PLACE),
        _several("hobby", "preferences", _PLACE),
        _several("goal", "plans", _INTEREST),
        _one("appointment", "plans", _STATE),
        _one("deadline", "plans", _STATE),
        _one("mood", "state", 14),
        _one("budget", "project", _LIFETIME_DAYS),
        _one("version", "project", _LIFETIME_DAYS),
        _one("owner", "project", _LIFETIME_DAYS),
        _one("status", "project", _STATE),
        _one("database", "project", _PLACE),
        _one("port", "project", _LIFETIME_DAYS),
        _one("editor", "project", _PLACE),
        _several("stack", "project", _PLACE),
        _several("note", "general", _PLACE),
    )
}


#: Attributes that are also learned about people with a name: `ana_employer` is Ana's employer.
OF_OTHERS = frozenset({"employer", "residence", "partner", "sibling", "parent", "child", "stack"})


def find_attribute(name: str) -> Attribute:
    """Return a known attribute; an unknown one has one value at a time, and lasts a year.

    A name that ends with a plan or a project's attribute, such as `report_deadline`, is one of these; so is an
    attribute of another person, such as `ana_employer`.
    """
    known = KNOWN.get(name) or KNOWN.get(name.rpartition("_")[2])
    if known is None or (known.name != name and not _is_of_something(known)):
        return _one(name, "general", _LIFETIME_DAYS)
    return known if known.name == name else replace(known, name=name, label=_label(name))


def _is_of_something(attribute: Attribute) -> bool:
    """Return whether it may exist for each of several things: the deadline of a report, the dose of a medicine."""
    several_things = (
        attribute.category in ("plans", "project", "contact") or attribute.name == "dose"
    )
    return (several_things and not attribute.several) or attribute.name in OF_OTHERS


def fact_text(subject: str, attribute: str, value: str) -> str:
    """Return a fact as text, such as `Residence of emi: Lisbon`."""
    label = find_attribute(attribute).label
    return f"{label} of {subject}: {value}" if subject else f"{label}: {value}"
