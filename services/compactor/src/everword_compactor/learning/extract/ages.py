"""Reads the ages of people that a message names as relatives or friends: "Kids are Tyler, 14, and Cody who's 6"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Modality, SpokenClaim, TokenizedSentence

_PEOPLE = frozenset({"child", "sibling", "partner", "parent", "friend", "relative"})
_AGE = r"(?P<age>[1-9][0-9]?|" + "|".join(sorted(WORDS["numbers"])) + r")"
#: The text between a name and an age, and the lookahead after it: "14," is an age, "14 cars" is not.
_LINK = r"(?:, (?:who(?:'s| is) )?|'s (?:just turned |already )?| who(?:'s| is) (?:just )?"
_LINK += r"| is (?:just |already |only )?| (?:just |has just )?turned | ?\()"
_AFTER = r"(?=[,.;!?)]|$| (?:and|but|so|now|already)\b| years? old)"


def ages_of(
    claims: Sequence[SpokenClaim], sentences: Sequence[TokenizedSentence]
) -> Iterator[SpokenClaim]:
    """Yield the ages of people that are in the claims of a message."""
    known = {claim.attribute for claim in claims}
    for claim in claims:
        attribute = f"{claim.value.lower().replace(' ', '_')}_age"
        if claim.attribute not in _PEOPLE or not claim.value[:1].isupper() or attribute in known:
            continue
        pattern = regex.compile(rf"\b{regex.escape(claim.value)}{_LINK}{_AGE}{_AFTER}")
        for sentence in sentences:
            found = None if sentence.is_question else pattern.search(sentence.text)
            if found:
                yield SpokenClaim(attribute, found["age"], Modality.STATEMENT, sentence.text)
                break
