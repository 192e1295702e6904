"""Words and phrases of updates: cues from cues.txt, and phrases that name an ended value."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import regex

from everword.text.values.calendar_words import WEEKDAY_NAMES

_TEXT = files("everword_compactor.learning.updates").joinpath("cues.txt")

_DETERMINERS = (
    r"(?:(?:the|my|our|his|her|their|that|those|this|a|an|thing|stuff|what i said|about|taking|using|with|"
    r"eating|drinking|going|doing|on|at|in|from|to|of)\s+)*"
)
_WORD = rf"{_DETERMINERS}(?P<word>[\p{{L}}\p{{N}}]+(?:[.:-][\p{{L}}\p{{N}}]+)*)"
#: Something that is not so any more; after a negation, the words are an encouragement ("don't quit").
ENDING = regex.compile(
    r"(?<!\b(?:not|never|don't|dont|won't|didn't)\s)\b"
    r"(?:instead of|no longer|no more|sold|dropped|ditched|scrap(?:ped)?|stopped|replaced|returned|cancell?ed|"
    r"(?:took|taken|came|come|went|go|going|get|got|is|are)(?:\s\p{L}+){0,2}\soff|"
    r"allergic to|used to (?:be|live|work)(?: in| at)?|got rid of|done with|left|quit|"
    r"(?:we|they|i|to|gonna)\s(?:drop|ditch|sell|leave|quit|cancel|replace)|"
    rf"forget(?=\s(?:what|about|the)))\s+{_WORD}"
)
ENDED = regex.compile(
    r"(?P<word>[\p{L}\p{N}]+)\s+"
    r"(?:fell through|is off|is gone|is out|was wrong|is wrong|is closed|is closing|broke down|died|retired|"
    r"closed down|shut down|moved away|passed away|is cancell?ed|got cancell?ed|no longer|"
    r"(?:isn'?t|ain'?t|aren'?t|doesn'?t|don'?t|won'?t)\b(?=.*\b(?:anymore|any more)))"
)
DENIED = regex.compile(rf"^(?:(?:and|but|so)\s)?(?:not|no)\s+{_WORD}")
#: The first value of a change: "from 20 to 25".
FROM = regex.compile(rf"\bfrom\s{_WORD}(?=(?:\s\p{{L}}+)?\sto\s)")
#: A clause of a few words that denies a value is a correction: "not the 14th", "not Sophie".
SHORT_DENIAL = regex.compile(
    r"^(?:and\s|so\s)?not\s(?:the\s|on\s|at\s|in\s)*\S+(?:\s(?:one|thing))?[.!]*$"
)
#: The answer to a question such as "Is it still on the 19th?".
NO = regex.compile(r"(?:no|nope|nah|not)\b")
#: A clause with one of these can be about the topic of an earlier message.
REFERRING = regex.compile(
    r"\b(?:it|its|it's|that|thats|that's|this|number|time|date|price|address)\b"
)
_WEEKDAYS = "|".join(sorted(WEEKDAY_NAMES, key=len, reverse=True))
#: A number, a day or a denial.
SIGN = regex.compile(rf"\d|\*|\b(?:not|no|nope|nah)\b|anymore|any more|\b(?:{_WEEKDAYS})s?\b")
NAME = regex.compile(r"(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{Ll}\p{M}’'-]+")
CLAUSE_END = regex.compile(
    r"[,;:()]\s|\s[–—-]+\s|\s(?=(?:but|because|bc|so|and|then|cause|cuz)\s)"
    # "at 6 not 7"; but "is not 7" is one clause.
    r"|(?<!\b(?:is|was|were|are|am|be|im|i'm|it's|do|does|did|have|has|had|will|would|can|could|should|or|if|why|"
    r"probably|maybe|better))\s(?=not\s(?:\S+\s){0,2}\S+$)"
)


@cache
def words(kind: str) -> frozenset[str]:
    """Return the words of a kind in cues.txt."""
    lines = (line.partition(":") for line in _TEXT.read_text(encoding="utf-8").splitlines())
    return frozenset(word for name, _, rest in lines if name == kind for word in rest.split())


@cache
def cues(kind: str) -> regex.Pattern[str]:
    """Return a pattern that finds the cues of a kind in a text in lower case."""
    found = sorted((word.replace("_", r"\s+") for word in words(kind)), key=len, reverse=True)
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}'])(?:{'|'.join(found)})(?![\p{{L}}\p{{N}}'])")
