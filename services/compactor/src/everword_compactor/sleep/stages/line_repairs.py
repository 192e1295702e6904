"""Corrects facts with the right words under a wrong attribute, a frequent error of small models."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from everword_compactor.sleep.stages import sentence_rules as rules

_CONDITION = re.compile(
    r"^(?:(?:an?|my|some|has|have|is|am|chronic|severe|mild|bad|type [12])\W+)*(?:asthma\w*|diabet\w+|migraines?"
    r"|epilep\w+|depress(?:ed|ion)|anxiety|adhd|autis\w+|dyslexi\w+|hypertension|(?:high|low) blood pressure|eczema"
    r"|psoriasis|\w+itis|cancer|ana?emi[ac]|low iron|iron deficiency|insomnia|reflux|hypothyroid\w*|endometriosis|pcos"
    r"|ibs|crohn\w*(?:['’]s)?|co?eliac|sciatica|vertigo|tinnitus|gout|sleep apno?ea|lupus|scoliosis|ptsd|ocd)$",
    re.IGNORECASE,
)
_ALLERGIC = re.compile(r"^(?:is |am )?(?:allergic to|allergy to|an? allergy to) ", re.IGNORECASE)
_INTOLERANT = re.compile(r"\w[ -]intoleran(?:t|ce)$", re.IGNORECASE)
_ALLERGIC_NEAR = re.compile(r"\b(?:allergic to|allergy to)\W+(?:\w+\W+){0,4}$", re.IGNORECASE)
_CANNOT = re.compile(
    r"\b(?:can['’]?t|cannot|must ?n['’]t|not allowed to) (?:have|eat|take|drink|tolerate|digest)\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
_NO = re.compile(r"^(?:no|not) ", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|never|without|stop|avoid|skip)\b|n['’]t\b", re.IGNORECASE)
_TASTE = re.compile(
    r"\b(?:tastes?|hate|can['’]t stand|do(?:n['’]t| not) like|disgusting)\b", re.IGNORECASE
)
#: Characters. A longer sentence is not used as an instruction.
_MOST_CHARS = 120
_EATEN = frozenset({"diet", "like", "food", "medication", "preference", "condition"})
_HEALTH = frozenset({"diet", "note", "allergy", "symptom", "health", "illness"})


@dataclass(frozen=True)
class FactLine:
    """A fact in a model's answer: `about | attribute | value`."""

    #: The fact's person; empty for the user.
    about: str
    attribute: str
    value: str
    is_guess: bool = False


def repair_line(line: FactLine, sentence: str, at: int) -> FactLine:
    """Correct the attribute or the value of a line by its words and its sentence.

    `at` is the position of the value in the sentence.
    """
    if _CONDITION.match(line.attribute.replace("_", " ")):
        return replace(line, attribute="condition", value=line.attribute.replace("_", " "))
    attribute = line.attribute.casefold()
    if attribute in _HEALTH and _CONDITION.match(line.value):
        return replace(line, attribute="condition")
    if attribute in _EATEN | _HEALTH and _INTOLERANT.search(line.value):
        return replace(line, attribute="intolerance")
    if _ALLERGIC.match(line.value):
        return replace(line, attribute="allergy", value=_ALLERGIC.sub("", line.value))
    if attribute in _EATEN and _ALLERGIC_NEAR.search(sentence[:at]):
        return replace(line, attribute="allergy", value=_NO.sub("", line.value))
    if attribute in _EATEN and _CANNOT.search(sentence[:at]):
        return replace(line, attribute="intolerance", value=_NO.sub("", line.value))
    if attribute == "instruction" and _is_reversed(line.value, sentence):
        return replace(line, value=sentence)
    if attribute == "diet" and _NO.match(line.value) and _TASTE.search(sentence):
        return replace(line, attribute="dislike", value=_NO.sub("", line.value))
    # Without the attribute's name: `is_negated` takes the word `diet` for a restriction that already says "no".
    claim = line.value if attribute == "diet" else f"{attribute} {line.value}"
    if rules.is_negated(sentence, at, claim):
        return _denied(line)
    return line


def _is_reversed(value: str, sentence: str) -> bool:
    """Return whether a short sentence forbids something, and the value does not."""
    return len(sentence) <= _MOST_CHARS and bool(_NOT.search(sentence)) and not _NOT.search(value)


def _denied(line: FactLine) -> FactLine:
    """Return the line for a sentence that negates it: `diet: no meat` for `diet: meat`."""
    attribute = line.attribute.casefold()
    if attribute == "diet":
        return replace(line, value=f"no {line.value}")
    return replace(line, attribute="dislike") if attribute == "like" else line
