"""Known attributes of people and projects.

Other attributes can be remembered as well; only their name is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

#: Expected lifetime of values of an unknown attribute, in days.
_LIFETIME_DAYS = 365
#: Attributes about which a mistake may harm a person.
_VITAL = frozenset({"allergy", "medication", "dose", "condition", "diet", "restriction"})
#: Attributes that apply to every answer to a person.
_OF_ANSWERS = frozenset({"pronouns", "instruction", "preference"})
#: Attributes whose values change by themselves: one newer statement is enough.
_MEASURED = frozenset(
    {"age", "weight", "dose", "salary", "number_of_children", "number_of_siblings"}
)
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

    @property
    def is_standing(self) -> bool:
        """Return whether its values are in every context of their subject, however long ago they were stated."""
        return self.name.rpartition("_")[2] in _VITAL | _OF_ANSWERS

    @property
    def is_steady(self) -> bool:
        """Return whether an established value outweighs a single passing statement.

        Measures, plans, projects and contact details change often, and people state them on purpose.
        """
        if self.category in ("state", "plans", "project", "contact"):
            return False
        return not {self.name, self.name.rpartition("_")[2]} & _MEASURED

    @property
    def passes(self) -> bool:
        """Return whether its values describe a moment, such as a mood, and not the person."""
        return self.category in ("state", "plans")


def _single_valued(
    name: str, category: str, lifetime_days: int, is_anchor: bool = False
) -> Attribute:
    return Attribute(name, category, _label(name), False, lifetime_days, is_anchor)


def _several(name: str, category: str, lifetime_days: int, is_anchor: bool = False) -> Attribute:
    return Attribute(name, category, _label(name), True, lifetime_days, is_anchor)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


KNOWN: dict[str, Attribute] = {
    each.name: each
    for each in (
        _single_valued("name", "identity", _IDENTITY, is_anchor=True),
        _single_valued("birthday", "identity", _IDENTITY, is_anchor=True),
        _single_valued("age", "identity", _LIFETIME_DAYS),
        _single_valued("nationality", "identity", _IDENTITY, is_anchor=True),
        _single_valued("pronouns", "identity", _IDENTITY),
        _several("language", "identity", _IDENTITY),
        _single_valued("residence", "home", _PLACE, is_anchor=True),
        _single_valued("address", "home", _PLACE),
        _single_valued("hometown", "home", _IDENTITY),
        _single_valued("birthplace", "home", _IDENTITY),
        _single_valued("job", "work", _PLACE, is_anchor=True),
        _single_valued("employer", "work", _PLACE, is_anchor=True),
        _single_valued("salary", "work", _LIFETIME_DAYS),
        _single_valued("industry", "work", _PLACE),
        _single_valued("manager", "work", _PLACE),
        _several("colleague", "work", _PLACE),
        _several("skill", "work", _PLACE),
        _several("learning", "work", _LIFETIME_DAYS),
        _several("project", "work", _LIFETIME_DAYS),
        _single_valued("education", "work", _IDENTITY),
        _single_valued("partner", "family", _ROMANCE, is_anchor=True),
        _single_valued("marital_status", "family", _ROMANCE),
        _several("child", "family", _IDENTITY, is_anchor=True),
        _single_valued("number_of_children", "family", _IDENTITY),
        _single_valued("number_of_siblings", "family", _IDENTITY),
        _several("sibling", "family", _IDENTITY),
        _several("parent", "family", _IDENTITY),
        _several("pet", "family", _PLACE),
        _several("friend", "family", _PLACE),
        _several("flatmate", "family", _PLACE),
        _several("relative", "family", _IDENTITY),
        _several("acquaintance", "family", _PLACE),
        _several("neighbour", "family", _PLACE),
        _single_valued("anniversary", "family", _IDENTITY),
        _single_valued("diet", "health", _PLACE),
        _several("allergy", "health", _IDENTITY),
        _several("medication", "health", _LIFETIME_DAYS),
        _single_valued("dose", "health", _LIFETIME_DAYS),
        _several("condition", "health", _PLACE),
        _several("restriction", "health", _IDENTITY),
        _single_valued("weight", "health", _INTEREST),
        _single_valued("height", "health", _IDENTITY),
        _single_valued("email", "contact", _PLACE),
        _single_valued("phone", "contact", _PLACE),
        _single_valued("vehicle", "things", _PLACE),
        _several("device", "things", _PLACE),
        _several("standing_instruction", "preferences", _IDENTITY),
        _several("preference", "preferences", _IDENTITY),
        _several("like", "preferences", _PLACE),
        _several("dislike", "preferences", _PLACE),
        _several("hobby", "preferences", _PLACE),
        _several("habit", "preferences", _LIFETIME_DAYS),
        _several("goal", "plans", _INTEREST),
        _several("plan", "plans", _INTEREST),
        _single_valued("appointment", "plans", _STATE),
        _single_valued("deadline", "plans", _STATE),
        _single_valued("mood", "state", 14),
        _single_valued("budget", "project", _LIFETIME_DAYS),
        _single_valued("version", "project", _LIFETIME_DAYS),
        _single_valued("owner", "project", _LIFETIME_DAYS),
        _single_valued("status", "project", _STATE),
        _single_valued("database", "project", _PLACE),
        _single_valued("port", "project", _LIFETIME_DAYS),
        _single_valued("editor", "project", _PLACE),
        _several("stack", "project", _PLACE),
        _several("note", "general", _PLACE),
    )
}


#: Attributes that are also learned about people with a name: `ana_employer` is Ana's employer.
OF_OTHERS = frozenset(
    {
        "employer",
        "job",
        "residence",
        "birthday",
        "age",
        "partner",
        "sibling",
        "parent",
        "child",
        "stack",
    }
    | {"allergy", "condition", "diet", "like", "dislike", "nationality"}
)


def find_attribute(name: str) -> Attribute:
    """Return a known attribute; an unknown one has one value at a time, and lasts a year.

    A name that ends with a plan or a project's attribute, such as `report_deadline`, is one of these; so is an
    attribute of another person, such as `ana_employer`.
    """
    known = KNOWN.get(name) or KNOWN.get(name.rpartition("_")[2])
    if known is None or (known.name != name and not _has_object(known)):
        return _single_valued(name, "general", _LIFETIME_DAYS)
    return known if known.name == name else replace(known, name=name, label=_label(name))


def _has_object(attribute: Attribute) -> bool:
    """Return whether it may exist for each of several things: the deadline of a report, the dose of a medicine."""
    several_things = (
        attribute.category in ("plans", "project", "contact") or attribute.name == "dose"
    )
    return (several_things and not attribute.several) or attribute.name in OF_OTHERS


def fact_text(subject: str, attribute: str, value: str) -> str:
    """Return a fact as text, such as `Residence of emi: Lisbon`."""
    label = find_attribute(attribute).label
    return f"{label} of {subject}: {value}" if subject else f"{label}: {value}"
