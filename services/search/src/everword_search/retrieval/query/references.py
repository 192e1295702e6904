"""Words of an English question that look like references to an earlier turn and are none.

In "Which licence is it that expired this week?" neither "that" nor "this" refers to the conversation.
"""

from __future__ import annotations

import regex

_TIME = (
    "minute|hour|day|morning|afternoon|evening|night|week|weekend|month|quarter|term|semester|season|spring|summer"
    "|autumn|fall|winter|year|decade|century|time|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january"
    "|february|march|april|may|june|july|august|september|october|november|december|christmas|easter"
)
_BE = "is|are|was|were|be|been|isn't|aren't|wasn't|weren't"
_SAY = (
    "say|says|said|tell|told|think|thought|know|knew|decide|decided|mention|mentioned|agree|agreed"
)
_DO = "do|does|did|has|have|had|will|can|could|would|should"
#: Nouns that a pronoun later in the clause refers to: "Where did my brother park", "Which dog lost".
_OWNER = rf"(?:\b(?:my|our) \w+|\b(?:{_DO}) the \w+|\bwhich \w+ (?!(?:{_DO}|{_BE})\b)\w+)"
_NO_REFERENCES = regex.compile(
    rf"\b(?:this|these|that|those) (?:past |last |coming |same )?(?:{_TIME})s?\b"
    rf"|\b(?:{_BE}|will) there\b|\bthere (?:{_BE}|will)\b|\bthere's\b"
    rf"|\b(?:{_SAY}|sure|true|so) that(?= \w)"
    # A relative clause: "the licence that expired".
    r"|(?<=\b(?:the|an?|any|some|my|our) (?:\w+ ){1,2})that(?= \w)"
    r"|\bone of (?:my|our|the)\b|\b(?:no|any|every) one\b|\bone (?:day|night|time)\b|\bthe same (?:\w+ )?as\b"
    r"|^\W*then\b"
    r"|\bit (?:(?:is|was|will|going|to|be) ){0,3}(?:rain|snow)\w*|\bit's (?:rain|snow)\w*"
    r"|\btime (?:is|was) it\b|\bit (?:take|takes|took) to\b|\b(?:is|was) it true\b"
    r"|\b(?:is|was) it (?:the|my|our) \w+ (?:or|who|that)\b",
    regex.IGNORECASE,
)
_OWNED = regex.compile(rf"{_OWNER}.*?\K\b(?:his|her|its|their)(?= \w)", regex.IGNORECASE)


def without_idle_pronouns(clause: str) -> str:
    """Return the clause of an English question without pronouns and adverbs that refer to no earlier turn."""
    return _OWNED.sub(" ", _NO_REFERENCES.sub(" ", clause))
