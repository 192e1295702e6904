"""Reads standing instructions, preferences and restrictions: "Never use emojis", "I prefer trains", "I can't eat nuts".

Their value is the sentence. A request for one answer, such as "please answer in French this time", is no claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

import regex

from everword_compactor.learning.extract.assertions import OPENERS
from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Modality, SpokenClaim, TokenizedSentence
from everword_compactor.learning.extract.restrictions import ALLOWED, is_restriction
from everword_compactor.learning.extract.short_forms import find_short_forms

INSTRUCTION, PREFERENCE, RESTRICTION = "standing_instruction", "preference", "restriction"

#: Longer sentences are mostly part of a task.
_MAX_CHARS = 240
#: In longer messages, an instruction without a word such as "always" belongs to a task.
_MAX_WORDS = 40
#: How many words after its verb say what an instruction is about.
_NEAR = 5
#: Most words of "short answers only please".
_SHORTEST = 8
_POLITE = frozenset({"please", "pls", "plz", "kindly"})
_LEADING = OPENERS | _POLITE
_NEGATIVE = frozenset({"n't", "not"})
_NEGATED = _NEGATIVE | {"never"}
_JOINING = frozenset({"and", "so", "but", "then", "agent"})
#: They begin the reason of an instruction, or other news.
_SPEAKERS = frozenset({"i", "we", "my", "he", "she", "it", "they", "our", "people"})
_NEW_ORDER = regex.compile(r"from now on|going forward|do n't|never|always|no \w+")
_VERBS = "|".join(sorted(WORDS["directed"]))
#: An instruction with one of these phrases is not about a single answer.
_LASTING = regex.compile(
    r"\bfrom (?:now|here|this point|today) on(?:wards?)?\b|\bgoing forward\b|\bin (?:the )?future\b"
    rf"|\b(?:every|each|any) ?time (?:you|i)\b|\bwhenever you\b|\bwhen you (?:{_VERBS})\b"
    r"|\bunless i (?:ask|say|tell|do)\b|\bby default\b|\bever$"
    r"|\b(?:anything|everything|whatever) you (?:suggest|recommend|write|send|give|make)\b|\bat all times\b"
    r"|\b(?:all|every|each|any)(?: of)?(?: your)? (?:answers?|reply|replies|responses?|suggestions?|recipes?)\b"
)
#: "Don't explain basic things to me" is about all answers; "don't send me the file" is about one file.
_UNWANTED = frozenset(
    {
        *("address", "book", "call", "explain", "lecture", "quote", "recommend", "remind"),
        *("repeat", "schedule", "send", "show", "suggest", "sugarcoat"),
    }
)
_ONE_THING = frozenset(
    {"the", "this", "that", "these", "those", "it", "yet", "again", "why", "how"}
)
#: The words before the verb of a request: "I want you to …", "can you …".
_REQUESTS = (
    ("i", "want", "you", "to"),
    ("i", "need", "you", "to"),
    ("i", "'d", "like", "you", "to"),
    ("i", "would", "like", "you", "to"),
    ("you", "should"),
    ("you", "must"),
    ("can", "you"),
    ("could", "you"),
    ("would", "you"),
    ("will", "you"),
    ("make", "sure", "to"),
    ("make", "sure", "you"),
    ("be", "sure", "to"),
    ("remember", "to"),
    ("try", "to"),
)
_WHEN_YOU = regex.compile(
    r"\bi (?:really |much )?(?:like|love|prefer|hate|dislike|do ?n[o']?t like|ca ?n[o']?t stand) (?:it )?"
    rf"(?:when|if) you (?:always )?(?:{_VERBS})\b"
    r"|\bi (?:always|never) want (?!to\b)"
    rf"|\bi(?:'d| would) (?:prefer|rather)(?: that| if| it if)? "
    rf"(?:you (?:always |not |did ?n[o']?t )?(?:{_VERBS})|not to (?:talk|discuss))\b"
)
#: Dislikes that are said in a sentence.
_AVERSE = regex.compile(
    r"^i (?:\w+ly |always )?(?:dislike|avoid|refuse to|exclusively|ca ?n[o']?t stand) "
    r"|^i do ?n[o']?t (?:like|enjoy|do(?! well)) "
    r"|^i(?:'m| am) (?:(?:really )?not a (?:big |huge )?fan of|(?:scared|afraid|terrified) of) "
    r"|^i have (?:a|an) (?:\w+ )?(?:aversion to|phobia of|fear of) "
    r"|^i (?:like|take|drink) my (?=\w+ \w)|^i have no interest in "
    r"|^i only (?:ever )?(?:buy|read|watch|wear|eat|drink|consider|fly|travel|use) "
)
_NO_MORE = r"\b(?:anymore|any more|any longer)(?:$| ,)"
_AGAIN = r"\bagain(?:$| ,)"
_RELEASED = regex.compile(
    rf"^you (?:can|may) .*{_AGAIN}|^(?:you do ?n[o']?t (?:have|need) to|no need to) .*{_NO_MORE}"
    rf"|^you (?:can|may) stop \w+ing\b|\b(?:is|are) (?:fine|ok|okay|allowed) {_AGAIN}"
)
_PREFERS = regex.compile(
    r"\b(?:i|we) (?:(?:\w+ly|much|still|always) )?prefer (?!(?:not )?to (?:know|see|hear|say|answer)\b)"
)
_NO_LONGER_PREFERS = regex.compile(rf"\bi (?:no longer prefer\b|do ?n[o']?t prefer .*{_NO_MORE})")
_FOR_NOW = frozenset({"today", "tonight", "tomorrow", "now"})


def read_instructions(
    sentence: TokenizedSentence, sentences: Sequence[TokenizedSentence], message: str
) -> Iterator[SpokenClaim]:
    """Yield the instructions, preferences and restrictions of a sentence, and their ends.

    `sentences` are all sentences of the message, in which quotations are blank.
    """
    begin = _begin(sentence, 0)
    lows = [token.low for token in sentence.tokens[begin:]]
    if not lows or len(sentence.text) > _MAX_CHARS:
        return
    quote = message[sentence.tokens[0].start : sentence.tokens[-1].end]

    def claim(attribute: str, modality: Modality, first: int, last: int) -> SpokenClaim:
        value = message[sentence.tokens[first].start : sentence.tokens[last - 1].end]
        return SpokenClaim(attribute, value.rstrip(" ,;:-"), modality, quote)

    text = " ".join(lows).replace(" n't", "n't").replace(" '", "'")
    first, last = 0, 0
    if found := _find(text, lows, sentence, sentences):
        attribute, modality = found
        first, last = begin, len(sentence.tokens)
        if attribute == INSTRUCTION and modality is Modality.STATEMENT:
            first, last = _own_clauses(sentence, begin)
        elif attribute == PREFERENCE:
            first, last = _preference_begin(sentence, begin), _preference_end(sentence, begin)
        yield claim(attribute, modality, first, last)
        if attribute == RESTRICTION or modality is Modality.RETRACTION:
            return
    for one, two in _short_forms(sentence, sentences):
        if two <= first or one >= last:
            yield claim(INSTRUCTION, Modality.STATEMENT, one, two)


def _short_forms(
    sentence: TokenizedSentence, sentences: Sequence[TokenizedSentence]
) -> Sequence[tuple[int, int]]:
    def list_others() -> list[list[str]]:
        return [[token.low for token in each.tokens] for each in sentences if each is not sentence]

    lows = [token.low for token in sentence.tokens]
    return find_short_forms(lows, list_others, sentence.is_question)


def _preference_begin(sentence: TokenizedSentence, begin: int) -> int:
    """Return the begin of "I prefer …", without news before it; a condition or a time belongs to it."""
    lows = [token.low for token in sentence.tokens]
    if "prefer" not in lows or lows[begin] in {
        "when",
        "whenever",
        "if",
        "for",
        "as",
        "since",
        "on",
        "in",
        "at",
    }:
        return begin
    said = lows.index("prefer")
    marks = {",", ";", ":", "and", "but", "so"}
    comma = max((at for at in range(begin, said) if lows[at] in marks), default=-1)
    return comma + 1 if lows[comma + 1 : comma + 2] in (["i"], ["we"]) else begin


def _preference_end(sentence: TokenizedSentence, begin: int) -> int:
    """Return the end of a preference, before an instruction that follows it."""
    lows = [token.low for token in sentence.tokens]
    orders = (["never"], ["always"], ["please"], ["do", "n't"], ["and", "never"], ["and", "please"])
    for at in range(begin + 2, len(lows)):
        if (
            at + 2 < len(lows)
            and lows[at] == ","
            and (lows[at + 1 : at + 2] in orders or lows[at + 1 : at + 3] in orders)
        ):
            return at
    return len(lows)


def _own_clauses(sentence: TokenizedSentence, begin: int) -> tuple[int, int]:
    """Return begin and end of the instruction in its sentence, without the author's reasons and other news.

    "It's Go with Postgres, and from now on please write Go, I can't read Rust" has "from now on please write Go".
    """
    lows = [token.low for token in sentence.tokens]
    cuts = [at for at, low in enumerate(lows) if low in {",", ";", ":"} and at > begin]
    for cut in reversed(cuts):
        at = cut + 1
        while at < len(lows) and lows[at] in _JOINING | _LEADING:
            at += 1
        rest = " ".join(lows[at : at + 4])
        starts = _find_order(lows[at:], False) == 0 or _NEW_ORDER.match(rest)
        if starts and _is_news(lows[begin:cut]):
            begin = at
            break
    for cut in [*(at for at in cuts if at > begin), *_reasons(lows, begin)]:
        following = lows[cut + 1 : cut + 2]
        if following and following[0] in _SPEAKERS and not _LASTING.search(" ".join(lows[cut:])):
            return begin, cut
    return begin, len(lows)


def _reasons(lows: Sequence[str], begin: int) -> list[int]:
    return [at for at, low in enumerate(lows) if low in {"because", "cos", "cause"} and at > begin]


def _is_news(lows: Sequence[str]) -> bool:
    """Return whether words are a statement, and no condition or time of the instruction after them."""
    return bool({"i", "we", "it", "my", "our"} & set(lows[:6])) and not {
        *("when", "whenever", "if", "unless", "for", "next"),
    } & set(lows[:2])


def _find(
    text: str,
    lows: Sequence[str],
    sentence: TokenizedSentence,
    sentences: Sequence[TokenizedSentence],
) -> tuple[str, Modality] | None:
    if _RELEASED.search(text):
        return INSTRUCTION, Modality.RETRACTION
    if _is_instruction(text, lows, sentence, sentences):
        return INSTRUCTION, Modality.STATEMENT
    if sentence.is_question or not _is_of_author(lows):
        return None
    if _WHEN_YOU.search(text) and not (WORDS["one_off"] - {"it"}) & set(lows):
        return PREFERENCE, Modality.STATEMENT
    if _NO_LONGER_PREFERS.search(text):
        return PREFERENCE, Modality.RETRACTION
    preferring = _PREFERS.search(text) or _AVERSE.search(text)
    if preferring and _is_lasting_thing(text[preferring.end() :].split()):
        return PREFERENCE, Modality.STATEMENT
    if is_restriction(text, lows):
        return RESTRICTION, Modality.STATEMENT
    return (RESTRICTION, Modality.RETRACTION) if ALLOWED.match(text) else None


def _is_lasting_thing(words: Sequence[str]) -> bool:
    """Return whether the words after "I prefer" name something that is not at hand, such as "this version"."""
    at_hand = WORDS["deictic"] & set(words[:3]) or _FOR_NOW & set(words)
    vague = words[:1] and words[0] in WORDS["vague"] - {"to"}
    return bool(words) and words[0][:1].isalnum() and not at_hand and not vague


def _begin(sentence: TokenizedSentence, at: int) -> int:
    """Return the position after words such as "ok so" and "please"."""
    while at < len(sentence.tokens) and sentence.tokens[at].low in _LEADING - {"no"}:
        at += 1
    return at


def _is_of_author(lows: Sequence[str]) -> bool:
    """Return whether a sentence is no condition, wish or report: "if I can't eat nuts", "she says I prefer tea"."""
    unreal = WORDS["unsaid"] | {"used", "might", "hope", "wish"}
    first = next((at for at, low in enumerate(lows) if low in {"i", "we", "ca"}), 0)
    return unreal.isdisjoint(lows[:first])


def _is_instruction(
    text: str,
    lows: Sequence[str],
    sentence: TokenizedSentence,
    sentences: Sequence[TokenizedSentence],
) -> bool:
    lasting = _LASTING.search(text)
    if "jk" in lows or any("kidding" in (token.low for token in each.tokens) for each in sentences):
        return False
    if _is_manner_only(lows) or lows[:2] in (["assume", "i"], ["assume", "that"], ["treat", "me"]):
        return True
    verb_at = _find_order(lows, bool(lasting))
    if verb_at is None or lows[verb_at : verb_at + 2] in (["give", "up"], ["say", "never"]):
        return False
    clause = _LASTING.sub(" ", text).split() if lasting else _clause(lows, verb_at)
    # "Whenever you suggest a café, make sure it is quiet."
    if (WORDS["one_off"] - ({"it"} if lasting else set())) & set(clause):
        return False
    always = {"always", "never", "ever"} & set(lows[:verb_at])
    to_author = {"me", "my", "i"} & set(lows[verb_at:])
    is_task = _asks_for_work(sentence, sentences, WORDS["produced"])
    is_written = _asks_for_work(sentence, sentences, WORDS["creative"], by_question=False)
    if lasting or (always and (to_author or not is_written)):
        return True
    after = _clause(lows, verb_at)[verb_at + 1 :]
    if _NEGATED & set(lows[max(0, verb_at - 2) : verb_at]) and lows[verb_at] in _UNWANTED:
        known = "already know" in " ".join(after) or {"basic", "basics"} & set(after)
        is_to_author = {"me", "my"} & set(after) or (known and lows[verb_at] == "explain")
        return bool(is_to_author) and len(after) > 1 and not _ONE_THING & set(after)
    is_short = sum(len(each.tokens) for each in sentences) <= _MAX_WORDS
    return is_short and not is_task and not sentence.is_question and _is_about_style(lows, verb_at)


def _is_about_style(lows: Sequence[str], at: int) -> bool:
    """Return whether the verb at a position asks for a way of answering: "answer in Danish", "stop apologising"."""
    styles = WORDS["style"]
    if {"n't", "not", "no", "stop", "quit"} & set(lows[:at]):
        styles |= WORDS["formatting"]
    if lows[at] in styles or lows[at - 1 : at] == ["be"]:
        return True
    following = lows[at + 1 : at + 1 + _NEAR]
    if lows[at] == "write" and following[:1] not in (["in"], ["to"], ["with"], ["without"]):
        return False
    in_language = any(
        one in {"in", "to", "speak", "use"} and two in WORDS["languages"]
        for one, two in pairwise([lows[at], *following])
    )
    has_manner = lows[at].removesuffix("ing") in WORDS["manner"]
    return has_manner and (in_language or bool(styles & set(following)))


def _is_manner_only(lows: Sequence[str]) -> bool:
    """Return whether a sentence only says how answers must be: "short answers only please"."""
    own = lows[: lows.index(",")] if "," in lows else list(lows)
    named = {"answers", "replies", "responses", "explanations"} & set(own[:4])
    rest = {"please", "only", "pls"} & set(own)
    return (
        bool(named and rest)
        and len(own) <= _SHORTEST
        and own[0] in WORDS["lasting_length"] | WORDS["lasting_tone"]
    )


def _clause(lows: Sequence[str], at: int) -> Sequence[str]:
    """Return the words before the comma that follows a position."""
    return lows[: next((end for end in range(at, len(lows)) if lows[end] == ","), len(lows))]


def _find_order(lows: Sequence[str], is_lasting: bool) -> int | None:
    """Return the position of the verb, or of the thing, that is asked for; None if nothing is."""
    polite = [at for at in range(1, len(lows)) if lows[at - 1] in _POLITE]
    starts = [
        0,
        *polite,
        *(len(words) for words in _REQUESTS if tuple(lows[: len(words)]) == words),
    ]
    if is_lasting:
        starts += [
            at
            for at in range(1, len(lows))
            if lows[at - 1] in {",", ":", "on", "onwards", "forward", "future", "me", "default"}
        ]
    for start in starts:
        found = _verb_at(lows, start)
        if found is not None:
            return found
    return None


def _verb_at(lows: Sequence[str], at: int) -> int | None:
    negated = False
    while at < len(lows) and lows[at] in _POLITE | {"always", "never", "also", "just", "ever"}:
        at += 1
    if lows[at : at + 1] == ["do"] and lows[at + 1 : at + 2] and lows[at + 1] in _NEGATIVE:
        at, negated = at + 2, True
    elif lows[at : at + 1] and lows[at] in _NEGATIVE and at:
        at, negated = at + 1, True
    if negated and lows[at : at + 1] and lows[at] in _UNWANTED:
        return at
    while negated and lows[at : at + 1] in (["ever"], ["always"], ["please"]):
        at += 1
    if at >= len(lows):
        return None
    low, following = lows[at], lows[at + 1] if at + 1 < len(lows) else ""
    if low in {"stop", "quit", "avoid"} and (
        following.endswith("ing") or following in WORDS["style"]
    ):
        return at + 1
    if low == "no" and following == "more":
        at, following = at + 1, lows[at + 2] if at + 2 < len(lows) else ""
    styles = WORDS["style"] | WORDS["formatting"]
    is_lasting = following.isalpha() and _LASTING.search(" ".join(lows[at:]))
    if low == "no" and (following in styles or is_lasting):
        return at + 1
    if low == "be" and following in WORDS["style"] | {"brief"}:
        return at + 1
    if (low, following) == ("make", "sure"):
        return at
    return at if low in WORDS["directed"] else None


def _asks_for_work(
    sentence: TokenizedSentence,
    sentences: Sequence[TokenizedSentence],
    verbs: AbstractSet[str],
    *,
    by_question: bool = True,
) -> bool:
    """Return whether another sentence of the message asks for something, to which an instruction then belongs."""
    for other in sentences:
        if other is sentence:
            continue
        lows = [token.low for token in other.tokens[_begin(other, 0) :]]
        wants = tuple(lows[:4]) in _REQUESTS or tuple(lows[:5]) in _REQUESTS
        if (other.is_question and by_question) or wants or (lows and lows[0] in verbs):
            return True
    return False
