"""Finds statements of a text that follow an order in a source, instead of reporting the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from everword.text.statements.clauses import iter_sentences, stems_of
from everword.text.values.fold_text import normalise

# An order to the reader: to ignore other orders, or what to write in a summary or an answer.
_ORDER = regex.compile(
    r"\b(?:ignore|disregard|forget|override|overlook|bypass)\b[^.!?\n]{0,40}"
    r"\b(?:instructions?|rules?|prompts?|above|previous|prior|guidelines|orders|directions|everything|context)\b"
    r"|\b(?:ignorier\w*|vergiss|vergesst|missachte\w*)\b[^.!?\n]{0,40}\b(?:anweisung\w*|regeln?|befehle?|alles|vorherig\w*)\b"
    r"|\b(?:oubli\w+|ignor\w+)\b[^.!?\n]{0,40}\b(?:consignes?|instructions?|règles?|précédent\w*)\b"
    r"|\b(?:ignora\w*|olvida\w*|dimentica\w*|esquece\w*|esqueça\w*)\b[^.!?\n]{0,40}"
    r"\b(?:instruc\w+|istruzion\w+|reglas|regole|regras|anterior\w*|precedent\w*)\b"
    r"|\b(?:negeer|vergeet)\b[^.!?\n]{0,40}\b(?:instructies|regels|voorgaande|vorige)\b"
    r"|\b(?:summari[sz]ers?|summari[sz]ing (?:model|assistant|ai|bot))\b"
    r"|\b(?:when|while|if) (?:you|the (?:ai|assistant|model|bot)) (?:summari[sz]e|answer|write|process)s?\b"
    r"|\b(?:the|your|any) (?:summary|answer|reply|response) (?:must|should|has to|shall)\b"
    r"|\b(?:to|in|into) (?:your|the) (?:summary|summaries)\b"
    r"|\b(?:ai|llm|language model|chatbot)s?(?: assistants?| agents?| models?)?\b[^.!?\n]{0,40}"
    r"\b(?:must|should|shall|have to|are to|do not|need to)\b"
    r"|\b(?:llm|ai|assistant|system)\s*:\s*(?:do not|you must|write|say|output|always|never)\b"
    r"|\bfrom now on\b[^.!?\n]{0,20}\byou\b|\byou must (?:now )?(?:only )?(?:answer|reply|say|write|output|respond)\b"
    r"|\byour new (?:task|role|instructions?|job)\b|\bnew instructions?\s*:"
)
#: Words that report an order instead of following it.
_REPORTS = regex.compile(
    r"\b(?:instruct\w*|inject\w*|prompt\w*|order(?:ed|s)?|told|tells?|ask(?:ed|s)?|demand\w*|request\w*|tried|attempt\w*"
    r"|claim\w*|said|says?|stat(?:ed|es)|want(?:ed|s)?|pretend\w*|malicious"
    r"|anweisung\w*|aufforder\w*|forder\w*|verlang\w*|sagte?|bat|schrieb|behauptet\w*"
    r"|demand\w+|consigne\w*|dit|écrit|pid\w+|instrucc\w+|dice|dijo|chied\w*|istruzion\w*|ped\w+|vraagt|vroeg|zegt)\b"
)
#: Characters after an order that belong to it: the rest of its line, and the next one if that is short.
_REACH = 400
_SHORT = 15
#: Share of a sentence's words that come from the order.
_SAME = 0.8
#: Sentences that are looked for elsewhere; each is held against all that the sources say.
_MAX_QUERIED_TOKENS = 20


def find_obeyed_sentences(text: str, sources: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of a text that a source ordered, and that no other part of a source states."""
    ordered, rest = _split_orders(sources)
    if not ordered:
        return
    candidates = []
    for sentence in iter_sentences(normalise(text)):
        folded = sentence.lower()
        words = stems_of(folded)
        if words and not _REPORTS.search(folded) and not _ORDER.search(folded):
            share = max(len(words & each) for each in ordered)
            if share >= _SAME * len(words):
                candidates.append((sentence.strip(" -*•"), words, share))
    elsewhere = [stems_of(sentence) for piece in rest for sentence in iter_sentences(piece)]
    for sentence, words, share in candidates[:_MAX_QUERIED_TOKENS]:
        if all(len(words & each) < share for each in elsewhere):
            yield sentence


def _split_orders(sources: Iterable[str]) -> tuple[list[frozenset[str]], list[str]]:
    """Return the stems of each order, and the lower-case texts around the orders."""
    ordered: list[frozenset[str]] = []
    rest: list[str] = []
    for source in sources:
        folded = normalise(source).lower()
        start = 0
        for match in _ORDER.finditer(folded):
            if match.start() < start:
                continue
            rest.append(folded[start : match.start()])
            start = _end_of_order(folded, match.end())
            ordered.append(stems_of(folded[match.start() : start]))
        rest.append(folded[start:])
    return ordered, rest


def _end_of_order(folded: str, start: int) -> int:
    last = min(start + _REACH, len(folded))
    end = folded.find("\n", start, last)
    if 0 <= end - start < _SHORT:
        end = folded.find("\n", end + 1, last)
    return end if end >= 0 else last
