"""Compares a learned claim with a label: subject, attribute and value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from everword.bench.learning.labels import LearningLabel, Session
from everword.bench.learning.words import content_words, is_negated

#: Content words that a claim may have in addition to those of the accepted value: a value is no paragraph.
MAX_EXTRA_WORDS = 12
#: Subjects of facts about the user of a conversation with one user.
_USER = frozenset({"", "user", "the user", "me", "i", "self", "speaker"})
#: Attributes whose values are things that the subject rejects, so that `dislike: milk` equals `diet: no milk`.
_NEGATIVE = re.compile(
    r"(?:^|_)(?:dislike[sd]?|hates?|avoids?|aversion|not|no|never|cannot)(?:_|$)"
)
#: Attributes whose values people write in both ways: `allergy: nuts`, `dietary_restriction: no nuts`.
_OF_EITHER_SIGN = frozenset({"allergy", "intolerance"})
#: Attributes for a relation between two people; either of them can be the subject.
_RELATIONS = frozenset(
    {"relation", "relationship", "relation_to", "relationship_to", "related_to", "role", "is"}
)


@dataclass(frozen=True)
class Claim:
    """Something that Everword learned and believes, or believed."""

    #: `fact`, `person` or `event`.
    kind: str
    id: str
    subject: str
    attribute: str
    value: str
    #: ISO date from which it is valid; empty if unknown.
    since: str = ""
    #: False if it is rejected, or ended before the end of the conversation.
    believed: bool = True
    #: Words of the messages that support it.
    quote: str = ""


class Matcher:
    """Compares claims with the labels of a session."""

    def __init__(self, session: Session, synonyms: Mapping[str, Sequence[str]]) -> None:
        self._user = session.user
        self._synonyms = {
            name: frozenset(map(_normalised, (name, *more))) for name, more in synonyms.items()
        }
        self._aliases = self._find_aliases(session)

    def matches(self, claim: Claim, label: LearningLabel) -> bool:
        """Return whether a claim states a label, from the side of either person if it is a relation."""
        readings = self._readings(claim)
        return any(self._is_direct(each, label) for each in readings) or self._is_inverse(
            claim, label
        )

    def attribute_of(self, claim: Claim) -> str:
        """Return the attribute under which a claim without a label is counted."""
        own = _normalised(claim.attribute)
        if own in self._synonyms:
            return own
        return next((name for name, more in self._synonyms.items() if own in more), own)

    def _is_direct(self, claim: Claim, label: LearningLabel) -> bool:
        if label.subject is not None and not self._is_subject(claim.subject, label.subject):
            return False
        if not label.attributes:
            return any(_contains(claim.value, "", each) for each in label.values)
        return any(
            _contains(claim.value, claim.attribute, value, rest, attribute)
            for attribute in label.attributes
            for rest in self._rests(claim.attribute, attribute)
            for value in label.values
        )

    def _is_inverse(self, claim: Claim, label: LearningLabel) -> bool:
        if _normalised(claim.attribute) not in _RELATIONS or not label.attributes:
            return False
        person = content_words(claim.subject)
        if not person or not any(content_words(each) == person for each in label.values):
            return False
        names = {word for each in label.attributes for word in self._accepted(each)}
        stated = content_words(claim.value)
        return any(content_words(name.replace("_", " ")) <= stated for name in names - _RELATIONS)

    def _readings(self, claim: Claim) -> Iterator[Claim]:
        """Yield a claim, and those of others: `ana_employer` of the user is `employer` of Ana."""
        yield claim
        parts = _normalised(claim.attribute).split("_")
        for length in range(1, len(parts)):
            prefix, rest = " ".join(parts[:length]), "_".join(parts[length:])
            for person, aliases in self._aliases.items():
                if prefix in aliases and rest != "name" and person != self._user:
                    yield Claim(claim.kind, claim.id, person, rest, claim.value)

    def _rests(self, attribute: str, expected: str) -> Iterator[str]:
        """Yield the rest of an attribute's name, `dentist` of `dentist_appointment`, if it is the expected one."""
        own = _normalised(attribute).removesuffix("_name")
        for accepted in self._accepted(expected):
            if own == accepted:
                yield ""
            elif own.endswith(f"_{accepted}"):
                yield own.removesuffix(accepted).replace("_", " ")
            elif own.startswith(f"{accepted}_"):
                yield own.removeprefix(accepted).replace("_", " ")

    def _accepted(self, attribute: str) -> frozenset[str]:
        return self._synonyms.get(attribute, frozenset({_normalised(attribute)}))

    def _is_subject(self, claimed: str, expected: str) -> bool:
        own = " ".join(claimed.casefold().replace("_", " ").split())
        if expected == self._user and own in _USER:
            return True
        if own in self._aliases.get(expected, frozenset()):
            return True
        if "'s " in expected:
            return content_words(own) == content_words(expected)
        words, name = content_words(own), content_words(expected)
        return bool(words) and (
            words == name or (len(words) > 1 and words > name and "'" not in own)
        )

    def _find_aliases(self, session: Session) -> dict[str, frozenset[str]]:
        """Return other names of each labelled person: `sister` and `mara's sister` of Ines."""
        labels = (*session.facts, *session.traps)
        subjects = {each.subject for each in labels if each.subject}
        aliases = {
            each: {each.casefold(), each.rpartition("'s ")[2].casefold()} for each in subjects
        }
        for fact in session.facts:
            for person in subjects.intersection(fact.values) - {fact.subject}:
                for attribute in fact.attributes:
                    for name in self._accepted(attribute):
                        relation = name.replace("_", " ")
                        aliases[person] |= {relation, f"user's {relation}"}
                        aliases[person].add(f"{fact.subject}'s {relation}".casefold())
        return {person: frozenset(names) for person, names in aliases.items()}


def _contains(
    value: str, attribute: str, expected: str, rest: str = "", expected_attribute: str = ""
) -> bool:
    """Return whether a value has all content words of the expected one, and the same polarity."""
    stated, wanted = content_words(f"{rest} {value}"), content_words(expected)
    if not wanted or not wanted <= stated or len(stated) - len(wanted) > MAX_EXTRA_WORDS:
        return False
    if expected_attribute in _OF_EITHER_SIGN:
        return True
    return _is_negative(value, attribute) == _is_negative(expected, expected_attribute)


def _is_negative(value: str, attribute: str) -> bool:
    return is_negated(value) or bool(_NEGATIVE.search(_normalised(attribute)))


def _normalised(attribute: str) -> str:
    return "_".join(re.findall(r"[^\W_]+", attribute.casefold()))
