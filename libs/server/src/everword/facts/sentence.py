"""A fact in words, as it is found and shown."""

from __future__ import annotations

from everword.facts.attributes import find_attribute


def fact_text(subject: str, attribute: str, value: str) -> str:
    """Return a fact as text, such as `Residence of emi: Lisbon`."""
    label = find_attribute(attribute).label
    return f"{label} of {subject}: {value}" if subject else f"{label}: {value}"
