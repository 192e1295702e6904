"""Detects negation of a clause: by a word such as `not`, or by an opposite, such as `refused` for `accepted`."""

from __future__ import annotations

from collections.abc import Callable

import regex

_NEGATIONS = """
not never no none nobody nothing neither nor without cannot hardly no_longer isn't aren't wasn't weren't don't doesn't
didn't won't wouldn't can't couldn't shouldn't hasn't haven't hadn't ain't isnt dont doesnt didnt wont cant unable
nicht nie niemals kein keine keinen keinem keiner keines ohne nichts niemand
jamais sans aucun aucune pas rien
nunca sin jamás ningún ninguna nadie
nessun nessuno nessuna senza
não sem nenhum nenhuma
niet geen nooit zonder
"""
#: A name for each pair of opposites, with writings of either.
_OPPOSITES = """
accept: accept accepted accepts accepting agree agreed agrees | refuse refused refuses decline declined declines
accept: akzeptiert angenommen zugesagt | reject rejected rejects turned_down turn_down abgelehnt abgesagt refusé
succeed: succeed succeeded succeeds success successful successfully | fehlgeschlagen
succeed: pass passed passes passing | fail failed fails failing failure
open: open opened opens reopened | closed close closes shut
always: always | never
allow: allow allowed allows permit permitted | forbid forbidden forbids prohibited banned disallowed
approve: approve approved approves | disapproved vetoed denied deny
enable: enable enabled enables | disable disabled disables
like: like likes liked love loved loves enjoy enjoyed | dislike disliked dislikes hate hated hates
keep: keep kept keeps | remove removed removes delete deleted deletes
increase: increase increased increases | decrease decreased decreases
connect: connected online reachable | disconnected offline unreachable
healthy: healthy | unhealthy
able: able | unable
safe: safe | unsafe dangerous
possible: possible | impossible
married: married | divorced
remember: remember remembered remembers | forget forgot forgets forgotten
include: include included includes including | exclude excluded excludes excluding
"""
_CANONICAL: dict[str, str] = {}
_OPPOSED: set[str] = set()
for _line in _OPPOSITES.strip().splitlines():
    _name, _writings = _line.split(": ")
    _same, _opposed = _writings.split(" | ")
    for _writing in _same.split():
        _CANONICAL[_writing.replace("_", " ")] = _name
    for _writing in _opposed.split():
        _CANONICAL[_writing.replace("_", " ")] = _name
        _OPPOSED.add(_writing.replace("_", " "))
_ONE_OF = "|".join(regex.escape(word) for word in sorted(_CANONICAL, key=len, reverse=True))
_CANONICAL_WORD = regex.compile(rf"(?<![\p{{L}}'])(?:{_ONE_OF})(?![\p{{L}}'])")
#: "stopped smoking" means: does not smoke any more.
_STOPPING = r"(?:stop|stops|stopped|quit|quits|gave up|given up) (?=\p{L}+ing\b)|"
_NEGATION = regex.compile(
    "(?<![\\p{L}'])(?:"
    + _STOPPING
    + "|".join(
        regex.escape(word.replace("_", " "))
        for word in sorted(_NEGATIONS.split(), key=len, reverse=True)
    )
    + ")(?:(?<=\\s)|(?![\\p{L}']))"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")
#: "not only", "no. 5", and questions of degree deny nothing.
_NO_NEGATION = regex.compile(
    r"\b(?:not only|no problem|no doubt|nothing but|not least|nicht nur|no\. ?[0-9])"
)


def is_denied(folded: str) -> bool:
    """Return whether a lower-case clause is negated; two negations cancel."""
    plain = _NO_NEGATION.sub(" ", folded)
    count = len(_NEGATION.findall(plain))
    count += sum(
        1
        for word in _CANONICAL_WORD.findall(plain)
        if word in _OPPOSED and not _NEGATION.fullmatch(word)
    )
    return count % 2 == 1


def denied_words(folded: str, is_content: Callable[[str], bool]) -> list[str]:
    """Return the first word of content that each negation of a lower-case clause is followed by, and opposites.

    Of "I can't come to the party" it is `come`. All words, if nothing follows a negation, as in German main clauses.
    """
    plain = _NO_NEGATION.sub(" ", folded)
    found = [_CANONICAL[word] for word in _CANONICAL_WORD.findall(plain) if word in _OPPOSED]
    for match in _NEGATION.finditer(plain):
        after = _WORD.findall(neutral(plain[match.end() :]))
        found += [word for word in after if is_content(word)][:1] or after or _WORD.findall(plain)
    return found


def neutral(folded: str) -> str:
    """Return a clause in lower case without denials, and with one word for each pair of opposites."""
    plain = _CANONICAL_WORD.sub(lambda match: _CANONICAL[match[0]], folded)
    return _NEGATION.sub(" ", plain)
