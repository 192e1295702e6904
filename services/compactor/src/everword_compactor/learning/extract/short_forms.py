"""Finds short standing instructions: "type hints always", "metric units, thanks", "don't ping me before 9".

They lack words such as "from now on". They are taken as lasting because of their subject: units, spelling, the form of
answers, or hours that recur every day or week.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

import regex

from everword_compactor.learning.extract.lexicon import SOFTWARE, WORDS
from everword_compactor.learning.extract.model import TokenizedSentence


def _any(kind: str) -> str:
    return "|".join(sorted(map(regex.escape, WORDS[kind])))


_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:ends?|days?|nights?)"
_CLOCK = r"(?:\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|h|o'clock)?|noon|midday|midnight|lunch|breakfast|bedtime|work"
_CLOCK += r"|six|seven|eight|nine|ten|eleven|twelve)\b"
#: Recurring times, unlike "tomorrow".
_RECURRING = regex.compile(
    rf"\b(?:before|after|until|till|past|between|by|at) (?:half (?:past )?)?{_CLOCK}"
    rf"|\b(?:on|at|over) (?:the )?(?:{_DAY})\b|\bin the (?:mornings?|evenings?|afternoons?)\b|\bat nights?\b"
    rf"|\b(?:every|each) (?:day|morning|evening|night|week|month|{_DAY})\b|^never (?:on )?(?:{_DAY})$"
    r"|\bduring (?:the )?(?:working hours|work|dinner|lunch|class|lessons|my shifts?|school)\b"
)
#: "Don't ping me before 9", "no meetings on Fridays".
_CONTACT = regex.compile(
    r"^(?:please |just )?(?:do ?n[o']?t|do not|never|no) (?:ever )?(?:ping|message|text|call|ring|notify|remind|contact"
    r"|disturb|bother|wake|e-?mail|schedule|book|plan|send|put|ask|suggest|propose|meetings?|calls?|reminders?"
    r"|notifications?|messages?|pings?|alerts?|e-?mails?|appointments?|\w+ (?:meetings|calls|appointments))\b"
)
#: "Remind me on Thursdays".
_REMINDING = regex.compile(r"^(?:remind|ping|message|text|notify|check in with|wake) me\b")
_VARIETIES = frozenset({"british", "american", "australian", "canadian", "uk", "us", "english"})
_KEYS = WORDS["units"] | WORDS["written_forms"] | {"snake_case"}
#: Words allowed next to units and forms in a fragment without a verb: "24-hour clock, please".
_AROUND = WORDS["around_forms"]
_POLITE_END = regex.compile(r"(?:,? (?:please|pls|plz|thanks|thank you|thx|ok|okay))+$")
#: "Keep it short", "make your answers simpler".
_KEEPING = regex.compile(
    rf"^(?:keep|make) (?:(?P<it>it|this|that|them)|(?:the |your |my |all )?(?:{_any('kept_things')}))"
    rf" (?:\w+ )?(?:(?:{_any('kept_manner')})\b|to the point|to a minimum|(?:under|below|within) [\w-]+ \w+|in \w+)"
)
#: "Keep functions under 40 lines".
_LIMITED = regex.compile(
    r"^(?:keep|make) (?:(?:the|your|my|all) )?\w+ (?:under|below|within) (?:\d+|an?|one|two|three|five|ten|twenty)"
    r" (?:lines?|words?|sentences?|pages?|characters|minutes|paragraphs?)\b"
)
#: "Use conventional commits".
_USED = regex.compile(
    r"^(?:use|prefer|stick (?:to|with)) (?:\w+[ -]){0,3}?(?:commits|quotes|tabs|spaces|indentation|hints"
    r"|docstrings|snake_case|camelcase|clock|times|spelling|units|pronouns|currency|dates|abbreviations|tests)\b"
)
#: "Give prices in euros".
_IN_FORM = regex.compile(
    r"^(?:give|show|write|put|quote|list|state|use|convert|do|format)\b(?: me| us)?(?: \w+){0,3}? in"
    r" (?:latex|bibtex|markdown|json|yaml|csv|grams|metric|celsius|fahrenheit|kilomet(?:re|er)s|miles|kilos|minutes"
    r"|hours|euros|dollars|pounds|rupees|yen|francs|kroner|eur|usd|gbp|inr|lower[ -]?case|upper[ -]?case|capitals|caps"
    r"|bullet points|bullets|utc|24h|24[ -]hour|local time|my time zone)\b"
)
#: "Write emails in French": documents that the user needs repeatedly.
_IN_LANGUAGE = regex.compile(
    rf"^(?:write|draft|send|do|put|keep) (?:\w+ )?(?:{_any('documents')}) in (?P<language>\p{{L}}+)"
)
_CORRECTED = regex.compile(
    r"^(?:please |always )*correct my (?:\w+ )?(?:english|errors?|mistakes?|grammar|spelling|typos|pronunciation"
    r"|french|german|spanish|italian|dutch|portuguese|norwegian|polish|japanese|swedish)\b"
)
_LANGUAGE_ONLY = WORDS["around_languages"]
#: Verbs of repeated work; a clause that begins with "always" or "never" needs one of them.
_WORKED = WORDS["directed"] | WORDS["worked"]
#: The message quotes a rule from elsewhere, or jokes.
_RULE_ELSEWHERE = regex.compile(
    r"\b(?:was|is) (?:the|our|a|my) (?:rule|motto|policy|saying|advice)\b"
    r"|\bmy (?:last|old|former) job\b|\b(?:jk|kidding)\b"
)
#: Words after "no" that do not make an instruction: "no problem".
_NOT_UNWANTED = WORDS["not_unwanted"]
_FORM_WORDS = WORDS["style"] | WORDS["formatting"] | _KEYS
_UNWANTED_THINGS = _FORM_WORDS | WORDS["unwanted_things"]
#: Words of which one must be in an instruction with "only": "vegetarian recipes only please".
_LIMITING = _FORM_WORDS | WORDS["limited_things"]
#: Phrases that may come before an instruction; they are skipped.
_REQUESTS = (
    ("can", "you"),
    ("could", "you"),
    ("would", "you"),
    ("will", "you"),
    ("i", "want", "you", "to"),
    ("i", "need", "you", "to"),
    ("i", "'d", "like", "you", "to"),
)
#: Forms of text that show that a message is addressed to the agent.
_AGENTS_OWN = frozenset(
    {"answers", "replies", "responses", "emoji", "emojis", "markdown", "bullets"}
)
_CLAUSE_MARKS = frozenset({",", ";", ":", "(", ")", "but", "so"})
_SKIPPED = WORDS["openers"] | {"please", "pls", "plz", "kindly", "agent", "assistant", "bot", "hey"}
_ONE_OFF = (WORDS["one_off"] - {"it", "here", "once"}) | {"those"}
_SUBJECTS = frozenset({"i", "we", "he", "she", "they", "it", "you", "there", "that", "this", "who"})
_FINITE = WORDS["auxiliaries"] | {"'s", "'m", "'re", "'ve", "'ll", "'d"}
#: Words. Longer clauses are usually part of a task.
_LONGEST_CLAUSE = 25
#: Words. Longer clauses are full sentences, not fragments.
_MOST_WORDS = 8
#: Words. In a message with more other words, "keep it short" is usually about one task.
_MOST_WORDS_OF_MESSAGE = 40


def addresses_agent(sentences: Sequence[TokenizedSentence], agent: str) -> bool:
    """Return whether a message in a group chat names the agent, or a form of its texts, such as `answers`."""
    words = {token.low.lstrip("@") for each in sentences for token in each.tokens}
    named = {"agent", "assistant", "bot", "ai", *agent.casefold().split()}
    return bool(words & (named | _AGENTS_OWN))


def find_short_forms(
    tokens: Sequence[str], list_others: Callable[[], list[list[str]]], is_question: bool
) -> list[tuple[int, int]]:
    """Return the first and the end position (exclusive) of each instruction in a sentence.

    `list_others` returns the words of the message's other sentences; it is rarely called. All words are in lower case.
    """
    if WORDS["fictions"] & set(tokens):
        return []
    found = list[tuple[int, int]]()
    is_polite = bool({"please", "pls", "plz", "thanks", "thx"} & set(tokens))
    for begin, end in _clauses(tokens):
        at = begin
        while at < end and (tokens[at] in _SKIPPED - {"no"} or tokens[at].startswith("@")):
            at += 1
        own = at
        for words in _REQUESTS:
            if tuple(tokens[at : at + len(words)]) == words:
                own = at + len(words)
        clause = [*tokens[own:end]]
        is_closed = len(tokens) == end + 2 or tokens[end + 2 : end + 3] == [","]
        if [*tokens[end : end + 2]] == [",", "always"] and is_closed:
            clause, end = [*clause, "always"], end + 2
        if not 0 < len(clause) <= _LONGEST_CLAUSE or _ONE_OFF & set(clause):
            continue
        text = " ".join(clause).replace(" n't", "n't").replace(" '", "'")
        text = _POLITE_END.sub("", text)
        is_whole = begin == 0 and not is_question
        is_lasting = _is_lasting(text, text.split(), is_polite, is_whole)
        if not is_lasting and _is_unused(text):
            is_lasting = not _wants_work(list_others())
        if not is_lasting and _KEEPING.search(text):
            is_lasting = _is_kept_short(text, [[*tokens[:begin]], *list_others()])
        if is_lasting:
            found.append((at, end))
    if found:
        sentences = (tokens, *list_others())
        is_elsewhere = any(_RULE_ELSEWHERE.search(" ".join(each)) for each in sentences)
        return [] if is_elsewhere else found
    if is_question:
        return []
    fragment = [each for each in tokens if each not in {",", ".", "-", "("} | _SKIPPED]
    first = next((at for at, low in enumerate(tokens) if low not in _SKIPPED), 0)
    return [(first, len(tokens))] if _is_fragment(fragment) else []


def _clauses(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first and the end position of each clause; "and" before an imperative separates clauses, too."""
    cuts = [-1]
    for at, low in enumerate(tokens):
        is_order = low == "and" and tokens[at + 1 : at + 2] and tokens[at + 1] in _ORDERING
        if low in _CLAUSE_MARKS or is_order:
            cuts.append(at)
    cuts.append(len(tokens))
    return [(one + 1, two) for one, two in pairwise(cuts) if two > one + 1]


_ORDERING = frozenset({"please", "pls", "do", "never", "always", "no", "keep", "use", "write"})


def _is_lasting(text: str, words: Sequence[str], is_polite: bool, is_whole: bool) -> bool:
    if not words:
        return False
    if _LIMITED.search(text) or _CORRECTED.search(text) or _USED.search(text):
        return True
    if _IN_FORM.search(text):
        return True
    if (found := _IN_LANGUAGE.search(text)) and found["language"] in WORDS["languages"]:
        return True
    if _RECURRING.search(text) and (_CONTACT.search(text) or _REMINDING.search(text)):
        return True
    if words[0] in {"always", "never"} and len(words) > 2 and words[1] in _WORKED:
        return words[1:3] not in (["give", "up"], ["say", "never"], ["open", "on"])
    if words[0] == "no" and len(words) <= _MOST_WORDS - 2:
        return _is_unwanted(words, is_polite)
    if words[-1] == "ever" and words[0] in {"don't", "no", "never"}:
        return len(words) > 2
    if words[-1] == "always" and is_whole and len(words) <= _MOST_WORDS - 2:
        return _is_noun_phrase(words[:-1]) and len(words) > 2
    is_only = words[-1] == "only" or words[0] == "only"
    named = bool(_LIMITING & set(words))
    return is_polite and is_only and named and len(words) <= _MOST_WORDS and _is_noun_phrase(words)


#: Forms whose exclusion needs no "please". "No answers" without "please" may be news.
_NEVER_WANTED = frozenset(
    {"emoji", "emojis", "smileys", "jargon", "bullet", "bullets", "semicolons", "markdown", "slang"}
)


def _is_unused(text: str) -> bool:
    """Return whether a clause forbids a form in answers: "don't use italics"."""
    words = text.split()
    is_order = words[:1] == ["don't"] and words[1:2] in (["use"], ["add"], ["include"])
    return is_order and len(words) < _MOST_WORDS and bool(_UNWANTED_THINGS & set(words))


def _is_unwanted(words: Sequence[str], is_polite: bool) -> bool:
    """Return whether a clause with "no" forbids something in answers or in the work: "no React please"."""
    named = set(words[1:])
    if not named or words[1] in _NOT_UNWANTED or not _is_noun_phrase(words[1:]):
        return False
    if named & _UNWANTED_THINGS:
        return is_polite or bool(named & _NEVER_WANTED)
    return is_polite and bool(named & _TECHNICAL)


_TECHNICAL = SOFTWARE | {"react", "jquery", "typescript"}


def _is_noun_phrase(words: Sequence[str]) -> bool:
    """Return whether words are not a sentence or a comparison, such as "it is" and "as" before "always"."""
    unfit = (
        _SUBJECTS
        | _FINITE
        | {"as", "like", "same", "almost", "not", "nearly", "since", "n't", "my", "your"}
    )
    return not unfit & set(words)


def _is_kept_short(text: str, others: Sequence[Sequence[str]]) -> bool:
    found = _KEEPING.search(text)
    if found is None or _wants_work(others):
        return False
    return not found["it"] or (
        text.startswith("keep") and sum(map(len, others)) <= _MOST_WORDS_OF_MESSAGE
    )


def _wants_work(others: Sequence[Sequence[str]]) -> bool:
    """Return whether another sentence asks for a text, so that "keep it short" is about that text only."""
    verbs: AbstractSet[str] = WORDS["produced"] | WORDS["creative"]
    for lows in others:
        words = [each for each in lows if each not in _SKIPPED]
        asked = words[:2] in (["can", "you"], ["could", "you"], ["will", "you"], ["i", "need"])
        if words[:1] and ("this" in words or words[0] in verbs or asked or verbs & set(words)):
            return True
    return False


def _is_fragment(words: Sequence[str]) -> bool:
    """Return whether a sentence consists of words for units, spelling or a language: "Fahrenheit and miles"."""
    content = [each for each in words if each not in {"none", "of", "that", "business"}]
    if not 2 <= len(content) <= _MOST_WORDS:
        return False
    named = set(content)
    if named <= _KEYS | _AROUND | _VARIETIES and named & _KEYS:
        return True
    quoted = named & {"single", "double"} and named & {"quotes"} and named <= _AROUND
    hours = (
        named & {"24", "12"}
        and named & {"hour", "hours", "clock", "time", "times"}
        and named <= _AROUND
    )
    speaking = named & WORDS["languages"] and named <= _LANGUAGE_ONLY | WORDS["languages"]
    return bool(
        quoted or hours or (speaking and named & {"please", "pls", "only", "always", "thanks"})
    )
