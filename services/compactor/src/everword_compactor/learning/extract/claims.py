"""Returns the claims of a message about its author, without questions, jokes, quotations and the like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import regex

from everword.text.attribution import blank_pasted
from everword_compactor.learning.extract.ages import ages_of
from everword_compactor.learning.extract.assertions import begins_clause, said, without_idioms
from everword_compactor.learning.extract.instructions import (
    INSTRUCTION,
    PREFERENCE,
    RESTRICTION,
    read_instructions,
)
from everword_compactor.learning.extract.lexicon import NO_NAMES, WORDS
from everword_compactor.learning.extract.matcher import Match, find_matches
from everword_compactor.learning.extract.mentioned_people import named_attribute
from everword_compactor.learning.extract.model import Modality, SpokenClaim, TokenizedSentence
from everword_compactor.learning.extract.moves import new_employer
from everword_compactor.learning.extract.other_people import statements_about_others
from everword_compactor.learning.extract.references import CORRECTING, last_claim, refer_back
from everword_compactor.learning.extract.short_forms import addresses_agent
from everword_compactor.learning.extract.tokens import MAX_CHARS, tokenize_sentences

#: Before a statement, anywhere in its sentence, they make it no statement of the author about now.
_UNSAID = WORDS["unsaid"]
#: These concern only their own clause: "I never read it, I'm a nurse".
_IN_CLAUSE = WORDS["unsaid_in_clause"]
#: So do these, in the same part of the sentence.
_UNREAL = WORDS["unreal"]
#: Words at the start of another part of a sentence.
_PARTING = frozenset({"but", "so", "because", ";", ":", "cause", "cuz"})
#: Statements of these people about the author count as true, unlike those of others.
_MEDICS = WORDS["medics"]
#: After a statement.
_NOT_ASSERTED_AFTER = frozenset(
    {"if", "kidding", "jk", "hypothetically", "dream", "dreams", "unless", "said", "jokes"}
)
_JOKED = frozenset({"kidding", "jk", "jokes", "hypothetically"})
#: Right before a statement, they make it a question or its contrary.
_ASKED_OF = WORDS["asked_of"]
_GUESSING = frozenset({"maybe", "perhaps", "probably", "possibly", "apparently", "seems"})
#: After "I".
_BELIEVING = frozenset({"think", "guess", "suspect", "believe", "assume"})
#: Words of requests for role play; such a message says nothing about its author.
_STAGED = WORDS["staged"]
_PLAYED = (
    *("let's play", "lets play", "in this game", "in my novel", "in the novel", "act as "),
    *("my character", "d&d", "dnd ", "playthrough", "in-game", "our campaign"),
)
#: The sentence that gives the parts in a role-play: "You're a pirate and I am the governor's daughter".
_CAST = regex.compile(r"\byou(?:'re| are) (?:a|an|the|my) [^.?!\n]*\bi(?:'m| am) ")
#: A message with one of these is ironic and means the contrary.
_IRONIC = regex.compile(
    r"(?:^|[.!?\n,…] *)(?:yeah,? (?:right|sure|no)|oh,? (?:sure|joy|right)|(?:right|sure|yeah|yes),? because|as if)\b"
    r"|(?:^|\s)/s(?:\s|$)|🙄|🙃|\bsaid no ?one ever\b|\b(?:lol|haha),? not\b|, not[.!]*$|\bin my dreams\b",
    regex.IGNORECASE | regex.MULTILINE,
)
#: Lasting relations and names: "until June" after such a name limits an activity, not the relation.
_LASTING = frozenset({"partner", "child", "sibling", "parent", "friend", "flatmate", "pet", "name"})
#: Attributes of which a former one is not the current one.
_REPLACED = frozenset(
    {"job", "employer", "partner", "vehicle", "residence", "address", "phone", "email"}
)
_FORMER = frozenset({"former", "previous", "old", "first", "last", "ex"})
_OWNED_THINGS = frozenset({"vehicle", "device", "pet"})
#: A claim of these attributes says the same as a whole sentence, in fewer words.
_SHORTER = {
    INSTRUCTION: frozenset({"name", "phone", "email", "address"}),
    PREFERENCE: frozenset({"dislike", "diet", "allergy"}),
    RESTRICTION: frozenset({"diet", "allergy"}),
}
#: Attributes that a game or a story changes.
_OF_PERSONS = frozenset({"residence", "job", "name", "employer", "partner", "pet", "age", "child"})
_OWNED = frozenset({"the", "a", "this", "our", "my", "that", "is", "'s"})
#: No part of what an attribute is about.
_NO_NAMES = frozenset(
    {"the", "a", "an", "my", "our", "your", "his", "her", "their", "i", "we", "not", "this", "it"}
)
_NOT_OF = _UNSAID | _UNREAL | _NO_NAMES
#: Said of an appointment, an owner and the like, they tell nothing of which one.
_FILLING = frozenset({"new", "current", "whole", "next", "upcoming", "'s"})
#: Words of change: the earlier value was no mistake.
_CHANGING = WORDS["changing"]
#: Attributes of which there may be several, each about something.
_OF_SOMETHING = ("appointment", "deadline", "budget", "version", "owner", "port", "status")
#: With these words something else begins.
_ELSEWHERE = _PARTING | frozenset(
    {"and", "my", "he", "she", "they", "who", "where", "which", "we", "i"}
)
#: How many words around a statement may say since when it holds.
_NEAR = 6
#: Whoever lists more values of one attribute in a message pastes a list, and says nothing of themselves.
_MOST_VALUES = 16
_FILLERS = frozenset({"now", "too", "well", "either", "though", "everyone", "guys", "lol", "again"})


def extract(
    text: str,
    earlier: Sequence[SpokenClaim] = (),
    names: Collection[str] = (),
    agent: str | None = None,
) -> list[SpokenClaim]:
    """Return the claims in a user's message; `earlier` are the claims of the messages just before it.

    In a conversation of several people, `agent` is the agent's name, and instructions must address it; else it is None.

    Pasted text makes no claims, unless it is labelled with one of the user's `names`. If several claims exclude each
    other, the last one is returned.
    """
    found: list[SpokenClaim] = []
    message = text[:MAX_CHARS]
    text = blank_pasted(message, names)
    if _is_staged(text) or _IRONIC.search(text):
        return found
    sentences: list[TokenizedSentence] = []
    whole = list(tokenize_sentences(text))
    for sentence in whole:
        stated = said(sentence)
        sentences.append(stated or sentence)
        claims = list(_claims(stated, sentences, [*earlier, *found])) if stated else []
        attributes = {claim.attribute for claim in claims}
        instructions = list(read_instructions(sentence, whole, message))
        if not instructions and stated is not None:
            instructions = list(read_instructions(stated, whole, message))
        claims += [
            each
            for each in instructions
            if not _SHORTER[each.attribute] & attributes
            and (agent is None or each.attribute != INSTRUCTION or addresses_agent(whole, agent))
        ]
        found += claims
    return _distinct([*found, *ages_of(found, whole)])


def _distinct(claims: Sequence[SpokenClaim]) -> list[SpokenClaim]:
    """Return claims without repetitions; a repeated claim takes its last position."""
    retained: dict[tuple[str, str], SpokenClaim] = {}
    for claim in claims:
        key = claim.attribute, claim.value.lower()
        retained.pop(key, None)
        retained[key] = claim
    values = Counter(attribute for attribute, _ in retained)
    # A hobby implies a like.
    return [
        c
        for c in retained.values()
        if values[c.attribute] <= _MOST_VALUES
        and (c.attribute != "like" or ("hobby", c.value.lower()) not in retained)
    ]


def _is_staged(text: str) -> bool:
    """Return whether the message asks for role play; "the rewrite is done" does not."""
    low = text.lower()
    words = low.split()
    if any(phrase in low for phrase in _PLAYED) or _CAST.search(low):
        return True
    asked = ((before, word.strip("\"'*:,.")) for before, word in pairwise(["", *words]))
    # "Three brothers, imagine the noise" asks for nothing.
    return any(
        word in _STAGED
        and before not in _OWNED
        and not (word == "imagine" and before.endswith(","))
        for before, word in asked
    )


def _claims(
    sentence: TokenizedSentence,
    sentences: Sequence[TokenizedSentence],
    earlier: Sequence[SpokenClaim],
) -> Iterator[SpokenClaim]:
    matches = [match for match in find_matches(sentence) if _is_asserted(sentence, match)]
    # "I take 20 mg every morning" says more than a habit.
    matches = (
        [m for m in matches if m.pattern.attribute != "habit"]
        if any(m.pattern.attribute not in ("habit", "") for m in matches)
        else matches
    )
    lows = [token.low for token in sentence.tokens]
    for match in matches:
        modality = _modality(lows, match)
        for claim in _of(sentence, match, modality, sentences):
            yield _corrected(_of_the_same(claim, earlier), earlier)
    yield from _claims_about_others(
        sentence, sentences[:-1], {m.values[0] for m in matches if m.values}
    )
    if not matches:
        yield from refer_back(sentence, earlier)
        yield from new_employer(sentence, sentences)


def _claims_about_others(
    sentence: TokenizedSentence, before: Sequence[TokenizedSentence], known: Collection[str]
) -> Iterator[SpokenClaim]:
    """Yield the claims about a person named just before; `known` are values that the sentence itself states."""
    for part in statements_about_others(sentence, before):
        for match in find_matches(part):
            is_of_person = match.begin == 0 and match.of and match.values
            if is_of_person and match.values[0] not in known and _is_asserted(part, match):
                for claim in _of(part, match, Modality.STATEMENT, [part]):
                    yield replace(claim, quote=sentence.text)


def _is_asserted(sentence: TokenizedSentence, match: Match) -> bool:
    lows = [token.low for token in sentence.tokens]
    # After "…, but" the author states facts again: "If I lived alone …, but Pieter is allergic to dogs".
    turned = max(
        (at for at in range(1, match.begin) if lows[at - 1 : at + 1] == [",", "but"]), default=-1
    )
    before, after = (
        lows[turned + 1 : max(match.begin, 0)],
        without_idioms(lows[match.end : match.end + 8]),
    )
    split_at = next((at for at, low in enumerate(after) if low in _PARTING | {",", "and"}), 8)
    retracted = _NOT_ASSERTED_AFTER & set(after[: split_at + 1])
    own = lows[max(match.begin, 0) : match.end]
    before = without_idioms(before)
    begun = max((at for at in range(len(before)) if begins_clause([*before, *own], at)), default=0)
    unsaid = _UNSAID & set(before) - _medical_reporting_verbs(before)
    unsaid -= _IN_CLAUSE - set(before[begun:])
    if unsaid or retracted or _JOKED & set(after):
        return False
    parted = max((at for at, low in enumerate(before) if low in _PARTING), default=begun)
    parted = max(parted, begun)
    if _UNREAL & set(before[parted + 1 :]):
        return False
    # "… next month", "… as a kid", "… back then": it is not so now.
    matched = lows[max(match.begin, 0) : match.end]
    lasts = bool({"'ve", "have", "diagnosed"} & set(matched))
    past = after[:2] == ["as", "a"] and not lasts
    future = past or after[:1] == ["next"] or after[:2] in (["back", "then"], ["to", "my"])
    former = _FORMER if matched[:1] in (["my"], ["our"]) else {"former", "previous"}
    if match.pattern.attribute in _REPLACED and former & set(matched):
        return False
    if after[:1] == [","] and _GUESSING & set(after[1:2]):
        return False
    if WORDS["hedges"] & set(matched) or after[:2] == ["at", "heart"]:
        return False
    # "I can't do dairy after six" is no diet.
    if match.pattern.attribute == "diet" and after[:1] in (["after"], ["before"], ["on"]):
        return False
    if match.pattern.attribute in _OWNED_THINGS and _is_for_another(after):
        return False
    if match.pattern.attribute in _OF_PERSONS and _is_in_fiction(sentence, match):
        return False
    previous = before[-1] if before else ""
    own = lows[match.begin : match.begin + 1]
    asked = previous in WORDS["auxiliaries"] and (
        own[0:1] in (["i"], ["we"]) or (len(before) == 1 and own[0:1] in (["my"], ["our"]))
    )
    lost = previous in WORDS["losing"] and own == ["my"]
    if future or asked or lost or previous in _ASKED_OF:
        return False
    # "After I lost my job" refers to the past, and is no news.
    return not (match.pattern.retracts and not match.values and {"since", "after"} & set(before))


def _is_for_another(after: Sequence[str]) -> bool:
    """Return whether something was bought for another person: "I bought a Fiat for my mother"."""
    others = {"my", "our", "his", "her", "him", "them", "someone", "somebody"}
    return any(one == "for" and two in others for one, two in pairwise(after))


def _is_in_fiction(sentence: TokenizedSentence, match: Match) -> bool:
    """Return whether the words before a claim name a game or a story: "In Skyrim I live in Whiterun"."""
    tokens = sentence.tokens[: max(match.begin, 0)]
    for at, token in enumerate(tokens[:-1]):
        if token.low not in {"in", "on"}:
            continue
        rest = {each.low for each in tokens[at + 1 :]}
        named = tokens[at + 1].is_capital and not rest & (WORDS["places"] | NO_NAMES)
        if rest & WORDS["fictions"] or named:
            return True
    return False


def _medical_reporting_verbs(before: Sequence[str]) -> set[str]:
    """Return the verbs of saying whose subject is a medic or the author."""
    return {
        two
        for one, two in pairwise(before)
        if (one in _MEDICS and two in {"said", "says", "thinks", "thought"})
        or (one, two) in {("i", "said"), ("to", "say")}
    }


def _modality(lows: Sequence[str], match: Match) -> Modality:
    if match.pattern.retracts:
        return Modality.RETRACTION
    before = set(lows[: max(match.begin, 0)])
    believed = any(
        one == "i" and two in _BELIEVING for one, two in pairwise(lows[: max(match.begin, 0)])
    )
    if believed or before & _GUESSING:
        return Modality.HYPOTHESIS
    changing = _CHANGING & set(lows)
    return Modality.CORRECTION if before & CORRECTING and not changing else Modality.STATEMENT


def _of(
    sentence: TokenizedSentence,
    match: Match,
    modality: Modality,
    sentences: Sequence[TokenizedSentence],
) -> Iterator[SpokenClaim]:
    attribute = _attribute(match, sentences)
    if attribute is None:
        return
    for value in match.values or ([""] if match.pattern.retracts else []):
        retained = _without_fillers(value)
        if value and not any(map(str.isalnum, value)):
            continue  # A quotation was in its place.
        if retained or match.pattern.retracts:
            yield SpokenClaim(
                attribute,
                retained,
                modality,
                sentence.text,
                slot=match.slot,
                around=_context_of(sentence, match),
                happens=match.pattern.retracts or _happens(sentence, match),
            )


def _context_of(sentence: TokenizedSentence, match: Match) -> str:
    """Return the words after a match, and a few before it: "In March I moved"."""
    if match.pattern.attribute in _LASTING and match.pattern.elements[0].words & {"my", "our"}:
        return ""
    tokens = sentence.tokens
    end = match.end
    while end < min(match.end + _NEAR, len(tokens)) and tokens[end].low not in _ELSEWHERE:
        end += 1
    after = sentence.slice(match.end, end) if end > match.end else ""
    begin = max(match.begin, 0)
    before = sentence.slice(0, begin) if 0 < begin <= _NEAR else ""
    return f"{after} ; {before}" if before else after


def _happens(sentence: TokenizedSentence, match: Match) -> bool:
    stated_values = sentence.tokens[max(match.begin, 0) : match.end]
    return not WORDS["events"].isdisjoint(token.low for token in stated_values)


def _attribute(match: Match, sentences: Sequence[TokenizedSentence]) -> str | None:
    """Return the name of an attribute with its qualifier; None if they make no valid name."""
    name, of = match.pattern.attribute, match.of.lower()
    if not name:
        return named_attribute(sentences)
    if not of or name == "pet":
        return name
    parts = [part for part in of.replace("-", " ").split() if part not in _FILLING]
    unfit = _NO_NAMES if name == "favourite" else _NOT_OF
    if any(not part.isascii() or not part.isalnum() or part in unfit for part in parts):
        return None
    slug = "_".join(part for part in parts if part != name)
    return (f"favourite_{slug}" if name == "favourite" else f"{slug}_{name}") if slug else name


def _of_the_same(claim: SpokenClaim, earlier: Sequence[SpokenClaim]) -> SpokenClaim:
    """Return a claim with the attribute mentioned just before: "the deadline" after the report's deadline."""
    kind = claim.attribute.rpartition("_")[2]
    if kind not in _OF_SOMETHING:
        return claim
    others = {c.attribute for c in earlier if c.attribute.rpartition("_")[2] == kind}
    if claim.attribute in others:
        return claim
    own = set(claim.attribute.split("_"))
    if claim.attribute == "appointment":
        # A flight or an exam is no appointment without a name.
        others = {each for each in others if not WORDS["event"] & set(each.split("_")[:-1])}
    same = [each for each in others if own <= set(each.split("_")) or own >= set(each.split("_"))]
    return replace(claim, attribute=same[0]) if len(same) == 1 else claim


def _without_fillers(value: str) -> str:
    words = value.split()
    while words and words[-1].lower() in _FILLERS:
        words.pop()
    return " ".join(words)


def _corrected(claim: SpokenClaim, earlier: Sequence[SpokenClaim]) -> SpokenClaim:
    """Return a correction with the value that it corrects; without an earlier claim, it is a statement."""
    if claim.modality is not Modality.CORRECTION:
        return claim
    wrong = last_claim(earlier, lambda each: each.attribute == claim.attribute)
    if wrong is None or wrong.value.lower() == claim.value.lower():
        return replace(claim, modality=Modality.STATEMENT)
    return replace(claim, wrong=wrong.value)
