"""Finds people and events in a message without a model: "my sister Ana", and the appointments among its claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import regex

from everword.people.model import (
    EventMention,
    EventStatus,
    MessageWords,
    PersonMention,
    RelationStatus,
)
from everword.text.attribution import blank_pasted
from everword_compactor.learning.extract.lexicon import NO_NAMES, SOFTWARE, WORDS
from everword_compactor.learning.extract.model import Modality, SpokenClaim
from everword_compactor.learning.extract.tokens import MAX_CHARS

#: Attributes whose values are people of the author's life.
_KINDS = ("partner", "child", "sibling", "parent", "friend", "flatmate")
#: Relations by the attribute of which such a person is a value.
_ATTRIBUTES = {
    **{word: kind for kind in _KINDS for word in WORDS[kind]},
    **dict.fromkeys(
        ["colleague", "coworker", "co-worker", "teammate", "boss", "manager", "supervisor"],
        "colleague",
    ),
    **dict.fromkeys(
        ["cousin", "uncle", "aunt", "nephew", "niece", "granddaughter", "grandson"], "relative"
    ),
    **dict.fromkeys(["grandma", "grandpa", "grandmother", "grandfather"], "relative"),
    **dict.fromkeys(["neighbour", "neighbor", "landlord", "therapist", "mentor"], "acquaintance"),
}
_RELATIONS = frozenset(_ATTRIBUTES)
_RELATION = "|".join(sorted(map(regex.escape, _RELATIONS), key=len, reverse=True))
#: Said of things as well: "coffee is my friend".
_LOOSE = frozenset({"friend", "buddy", "pal", "partner", "baby", "kid", "bestie", "boss", "mentor"})
_NAME = r"\p{Lu}[\p{L}\p{M}'’-]+(?:\.? \p{Lu}[\p{L}\p{M}'’-]+){0,2}"
_QUALITY = (
    r"(?P<quality>(?:(?:best|old|older|younger|elder|little|big|twin|good|close|dear|late|former|ex|new|other|oldest"
    r"|youngest|eldest|middle|next-door) )*)"
)
#: "my sister Ana", "my sister is called Ana", "my sister, Ana,", "my friends Ben and Lena".
_MINE = regex.compile(
    rf"\b(?:[Mm]y|[Oo]ur) {_QUALITY}(?P<former>ex-)?(?P<relation>{_RELATION})s?"
    rf"(?P<link> is called| is named|['’]s name is| called| named| is|,)? (?P<name>{_NAME})"
    rf"(?:(?:, {_NAME})* and (?P<other>{_NAME}))?(?P<after>[,.!?;:)]|$| )"
)
#: "Ana is my sister", "Ana, my sister, …".
_THEIRS = regex.compile(
    rf"(?:^|(?<=[.!?,;] )|\band )(?P<name>{_NAME})(?:,| is| was) my {_QUALITY}(?P<former>ex-)?"
    # In "Macsen, my brother Huw", two people are listed.
    rf"(?P<relation>{_RELATION})\b(?! \p{{Lu}})"
)
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "aunt", "uncle"})
_NO_PERSON = (
    SOFTWARE
    | WORDS["openers"]
    | frozenset(
        {
            *("she", "he", "they", "it", "this", "that", "these", "those", "who", "there", "here"),
            *("the", "my", "our", "his", "her", "their", "and", "but", "so", "yes", "no", "also"),
            *("now", "then", "we", "you", "what"),
            *(
                "god",
                "jesus",
                "amazon",
                "google",
                "netflix",
                "facebook",
                "instagram",
                "whatsapp",
                "siri",
                "alexa",
            ),
        }
    )
)
_MOST = 20
_DATE = regex.compile(r"\b(20[0-9]{2}-[0-9]{2}-[0-9]{2})(?: ([0-9]{2}:[0-9]{2}))?\b")
_PLANS = ("appointment", "deadline")
_CATEGORIES = {
    "health": "dentist doctor gp physio therapist therapy hospital surgery eye checkup optician vaccine scan blood",
    "travel": "flight train hotel trip visa embassy passport",
    "education": "exam school university thesis essay course homework",
    "finance": "bank tax mortgage insurance",
    "home": "plumber landlord electrician viewing",
}
_CATEGORY = {word: name for name, words in _CATEGORIES.items() for word in words.split()}
#: Importance, and days for which one may come back to it.
_IMPORTANCE, _DECAY_DAYS = 0.5, 14


@dataclass(frozen=True)
class NamedPerson:
    """A person named in a message."""

    name: str
    #: Empty if the message does not say it.
    relation: str
    #: The sentence.
    quote: str
    status: RelationStatus | None = None


def find_named_people(
    text: str, claims: Sequence[SpokenClaim], names: Collection[str] = ()
) -> list[NamedPerson]:
    """Return the people that a message names, each once; `names` are those of the author."""
    found = dict[str, NamedPerson]()
    # Most messages name no person: they are not searched for pasted text.
    if _MINE.search(text) or _THEIRS.search(text):
        for person in _of_words(blank_pasted(text[:MAX_CHARS], names)):
            found.setdefault(person.name.casefold(), person)
    for person in _of_claims(claims):
        if not any(name.startswith(person.name.casefold()) for name in found):
            found[person.name.casefold()] = person
    for name in names:
        found.pop(name.casefold(), None)
    return list(found.values())[:_MOST]


def relation_claims(
    people: Sequence[NamedPerson], claims: Sequence[SpokenClaim]
) -> list[SpokenClaim]:
    """Return the claims that the relations of named people are, apart from those among `claims`.

    "A present for my sister Ana" states a sibling in passing. Partners are left out: there is one at a time, and a
    dance partner is none.
    """
    said = {(each.attribute, each.value.casefold()) for each in claims}
    return [
        SpokenClaim(attribute, each.name, Modality.STATEMENT, each.quote, slot="name")
        for each in people
        if each.status is None
        and (attribute := _ATTRIBUTES.get(each.relation, "partner")) != "partner"
        and (attribute, each.name.casefold()) not in said
    ]


def person_mention(person: NamedPerson, said: MessageWords) -> PersonMention:
    """Return a named person as a mention; words without a relation are a detail about them."""
    details = () if person.relation or person.status else (person.quote,)
    return PersonMention(person.name, said, person.relation, person.status, details)


def event_mention(claim: SpokenClaim, said: MessageWords, zone: str) -> EventMention | None:
    """Return the event of an appointment or a deadline; None without a date, unless it is cancelled."""
    if claim.attribute.rpartition("_")[2] not in _PLANS or claim.modality is Modality.HYPOTHESIS:
        return None
    is_cancelled = claim.modality is Modality.RETRACTION
    starts_at = None if is_cancelled else _moment(claim.value, zone)
    if starts_at is None and not is_cancelled:
        return None
    words = claim.attribute.split("_")
    other = "work" if words[-1] == "deadline" else "other"
    return EventMention(
        " ".join(words).capitalize(),
        next((_CATEGORY[word] for word in words if word in _CATEGORY), other),
        said,
        starts_at,
        importance=_IMPORTANCE,
        decay_days=_DECAY_DAYS,
        status=EventStatus.CANCELLED if is_cancelled else EventStatus.ACTIVE,
    )


def _moment(value: str, zone: str) -> datetime | None:
    found = _DATE.search(value)
    if found is None:
        return None
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}").replace(
            tzinfo=ZoneInfo(zone)
        )
    except ValueError:
        return None


def _of_claims(claims: Sequence[SpokenClaim]) -> Iterator[NamedPerson]:
    for claim in claims:
        *others, kind = claim.attribute.split("_")
        if claim.modality in (Modality.HYPOTHESIS, Modality.RETRACTION):
            continue
        if not others and kind in _KINDS and _person_name(claim.value) == claim.value:
            yield NamedPerson(claim.value, _relation_in(claim.quote, kind), claim.quote)
        elif others and kind in ("employer", "residence", "partner", "sibling", "parent", "child"):
            name = _written_in(claim.quote, others)
            if name:
                yield NamedPerson(name, "", claim.quote)


def _of_words(text: str) -> Iterator[NamedPerson]:
    for pattern in (_MINE, _THEIRS):
        for match in pattern.finditer(text):
            relation = match["relation"].lower()
            groups = match.groupdict()
            link, after = groups.get("link") or "", groups.get("after") or ""
            # "My sister is Head of Sales", "my boss, Monday or not": only a name alone is one.
            if link in (" is", ",") and after == " ":
                continue
            if pattern is _THEIRS and relation in _LOOSE:
                continue
            quote = _sentence(text, match.start(), match.end())
            former = bool(match["former"]) or {"ex", "former"} & set(match["quality"].split())
            status = RelationStatus.DECEASED if "late" in match["quality"].split() else None
            for name in (match["name"], groups.get("other")):
                person = _person_name(name or "")
                if person:
                    said = f"ex-{relation}" if former else relation
                    yield NamedPerson(person, said, quote, status)


def _person_name(written: str) -> str:
    """Return a name without possessive endings and following capitalised words that are no names."""
    words = list[str]()
    for word in regex.sub(r"['’]s?(?= |$)", "", written).split():
        if not _is_name(word):
            break
        words.append(word)
    is_titled = bool(words) and words[-1].lower().rstrip(".") in _TITLES
    return "" if is_titled else " ".join(words)


def _is_name(value: str) -> bool:
    words = [word for word in value.split() if word.lower().rstrip(".") not in _TITLES]
    return len(words) <= 3 and all(
        word[:1].isupper() and len(word) > 1 and word.lower() not in NO_NAMES | _NO_PERSON
        for word in words
    )


def _relation_in(quote: str, kind: str) -> str:
    """Return the word of a kind of relation in a sentence, such as `sister` for a sibling; else the kind."""
    words = regex.findall(r"[\p{L}-]+", quote.lower())
    singular = (word.removesuffix("s") for word in words)
    return next((word for word in (*words, *singular) if word in WORDS[kind]), kind)


def _written_in(quote: str, words: Sequence[str]) -> str:
    """Return a name as a sentence writes it, given its words in lower case; empty if it has no capitals there."""
    found = regex.search(r"\b" + r"[ -]".join(map(regex.escape, words)), quote, regex.IGNORECASE)
    return _person_name(found[0]) if found else ""


def _sentence(text: str, begin: int, end: int) -> str:
    """Return the sentence around a part of a text, word for word."""
    first = max((text.rfind(mark, 0, begin) for mark in ".!?\n"), default=-1) + 1
    ends = [at for mark in ".!?\n" if (at := text.find(mark, max(begin, end - 1))) >= 0]
    return text[first : min(ends, default=len(text))].strip()[:1_000]
