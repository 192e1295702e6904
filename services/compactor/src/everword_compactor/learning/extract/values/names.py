"""Names: of people, places, employers, jobs, products."""

from __future__ import annotations

from everword.text.common_words import LANGUAGES_OF
from everword_compactor.learning.extract.lexicon import (
    COUNTS,
    NO_NAMES,
    SOFTWARE,
    STOPS,
    WORDS,
    is_drug,
    is_meant,
)
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.read_value import (
    ARTICLES,
    MARKS,
    VAGUE,
    Read,
    ends,
    low,
    names_end,
    phrase,
)
from everword_compactor.learning.extract.values.tastes import of_kind

#: Without a capital these are no place: "living in fear".
_NO_PLACES = WORDS["no_places"] | WORDS["openers"] | WORDS["adverbs"] | WORDS["home"]

_RELATIVES = frozenset(
    word
    for kind in ("partner", "child", "sibling", "parent", "friend", "pet")
    for word in WORDS[kind]
)
#: Words that are not a person's name, although capitalised at the start of a sentence.
_NOBODY = (
    STOPS
    | VAGUE
    | ARTICLES
    | SOFTWARE
    | _NO_PLACES
    | WORDS["no_persons"]
    | WORDS["moods"]
    | WORDS["jobs"]
    | WORDS["orgs"]
    | WORDS["offices"]
    | WORDS["unsaid"]
    | WORDS["unreal"]
    | WORDS["asked_of"]
    | WORDS["nobody"]
    | _RELATIVES
)


#: Words that begin no name, although they are capitalised at the start of a sentence.
_NO_NAME_STARTS = STOPS | VAGUE | ARTICLES | WORDS["asides"] | WORDS["nobody"] | WORDS["asked"]


def name(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a person's name: `Anna`, `Anna Maria Berg`."""
    end = names_end(sentence, at, 3, frozenset())
    if end == at or any(t.low in NO_NAMES or not t.text.isalpha() for t in sentence.tokens[at:end]):
        return None
    first = sentence.tokens[at].low
    if first in _NO_NAME_STARTS or (at == 0 and first in _RELATIVES):
        return None
    if any(t.text.isupper() and len(t.text) > 1 for t in sentence.tokens[at:end]):
        return None
    return [sentence.slice(at, end)], end


def called(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name after "is called"; one word in messages without capitals."""
    term = low(sentence, at)
    if not sentence.is_small:
        return name(sentence, at)
    if not term.isalpha() or term in STOPS | VAGUE | ARTICLES | NO_NAMES or len(term) < 2:
        return None
    return ([sentence.slice(at, at + 1)], at + 1) if ends(sentence, at + 1) else None


def small_name(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a relative's name in a text without capitals: an uncommon word before a verb, `jade` before "says"."""
    term, following = low(sentence, at), low(sentence, at + 1)
    if not sentence.is_small or not term.isalpha() or not 2 < len(term) < 12:
        return None
    if term in STOPS | VAGUE | ARTICLES | NO_NAMES | _NOBODY or term in LANGUAGES_OF:
        return None
    is_word = term.endswith(("ed", "ing", "ly", "s")) or term in WORDS["adjectives"]
    return ([term], at + 1) if not is_word and following in WORDS["after_a_name"] else None


def person(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the author's name in "I'm Ana", unless the word is a faith or a star sign."""
    found = name(sentence, at)
    return None if found and found[0][0].lower() in WORDS["no_persons"] | WORDS["moods"] else found


def other_person(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of a mentioned person, but no relative without a name, group or product."""
    found = name(sentence, at)
    if found is None or sentence.is_small:
        return None
    # A token may replace a pronoun, so the name need not be in the text.
    tokens = sentence.tokens[at : found[1]]
    words = {token.low for token in tokens}
    if words & _NOBODY or any(word in LANGUAGES_OF for word in words):
        return None
    return [" ".join(token.text for token in tokens)], found[1]


def project(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of a project that begins a sentence: one word or two, of which none is a product's."""
    end = names_end(sentence, at, 2, frozenset())
    words = {token.low for token in sentence.tokens[at:end]}
    if end == at or words & (_NOBODY | SOFTWARE) or any(word in LANGUAGES_OF for word in words):
        return None
    return [sentence.slice(at, end)], end


def title(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a name of up to five words that begins a sentence."""
    end = names_end(sentence, at, 5)
    if at or end == at or sentence.tokens[at].low in STOPS | VAGUE | {"one", "which", "painting"}:
        return None
    return [sentence.slice(at, end)], end


def place(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of a place: `Lisbon`, `New York City`, `Portland, Oregon`, `the Netherlands`."""
    if low(sentence, at) == "the" and names_end(sentence, at + 1, 3) > at + 1:
        at += 1
    end = names_end(sentence, at, 5)
    if end == at:
        known = of_kind("places")(sentence, at) if sentence.is_small else None
        return known if known and ends(sentence, known[1]) else None
    term = sentence.slice(at, end).lower()
    first = sentence.tokens[at]
    is_closed = ends(sentence, end) or low(sentence, end) in COUNTS
    odd = any(character.isupper() for character in first.text[2:]) or not first.text[0].isalpha()
    if term in SOFTWARE or first.low in NO_NAMES | SOFTWARE or odd or not is_closed:
        return None
    if any(len(token.text) == 1 for token in sentence.tokens[at:end]):
        return None
    state = names_end(sentence, end + 1, 2) if low(sentence, end) == "," else end
    if state > end + 1 and (state == len(sentence.tokens) or low(sentence, state) == ","):
        end = state
    return [sentence.slice(at, end)], end


def new_home(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the new place of a move: a known place, or one in a sentence with a word for homes or another place.

    People move to a program, a team or a plan as well: "I moved to Teams".
    """
    found = place(sentence, at)
    if found is None:
        return None
    lows = [token.low for token in sentence.tokens]
    words = found[0][0].lower().replace(",", " ").split()
    others = lows[:at] + lows[found[1] :]
    is_known = found[0][0].lower() in WORDS["places"] or any(w in WORDS["places"] for w in words)
    has_home = bool((WORDS["home"] | WORDS["homely"]) & set(others))
    return found if is_known or has_home or bool(WORDS["places"] & set(others)) else None


def _small_place(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a name in a text without capitals: one word, followed by the end, a mark or another clause."""
    term = low(sentence, at)
    if not sentence.is_small or not term.isalpha() or term in STOPS | VAGUE | ARTICLES | SOFTWARE:
        return None
    if len(term) < 4 or term in NO_NAMES | _NO_PLACES or not ends(sentence, at + 1):
        return None
    return [sentence.slice(at, at + 1)], at + 1


def origin(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a person's place of origin, not their department: `Quimper`, and not `Accounting`."""
    found = place(sentence, at)
    words = {word.lower() for word in found[0][0].split()} if found else set()
    return None if words & (_NOBODY | WORDS["industries"] | WORDS["fields"]) else found


def near_place(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a place that is near the one named: `near Bologna`, `just outside of Leeds`."""
    begin = at
    while low(sentence, at) in {"near", "just", "outside", "close", "to", "of"}:
        at += 1
    found = place(sentence, at) if at > begin else None
    return ([sentence.slice(begin, found[1])], found[1]) if found else None


def known_place_name(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a well-known place, after any verb."""
    found = place(sentence, at)
    return found if found and found[0][0].lower() in WORDS["places"] else None


def organisation(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an employer: `Acme`, `Danske Bank`, `a small law firm`, `a firm called Acme`."""
    if low(sentence, at) in {"a", "an", "the"}:
        for end in range(at + 2, min(at + 6, len(sentence.tokens) + 1)):
            word = sentence.tokens[end - 1]
            if word.low in WORDS["orgs"] and low(sentence, end) in {"called", "named"}:
                return organisation(sentence, end + 1)
            # "A practice" names no employer, "a small law firm" tells something of it.
            if word.low in WORDS["orgs"] and ends(sentence, end) and end > at + 2:
                return ([sentence.slice(at, end)], end) if not word.is_capital else None
            if word.low in STOPS | MARKS:
                break
    start = at + 1 if low(sentence, at) == "the" else at
    end = names_end(sentence, start, 5)
    if end == start or sentence.tokens[start].low in NO_NAMES or not ends(sentence, end):
        return None
    found = sentence.slice(start, end)
    if found.lower() in WORDS["places"] or _is_only_used(sentence, found):
        return None
    return [found], end


def _is_only_used(sentence: TokenizedSentence, found: str) -> bool:
    """Return whether a company is named as its program, without a word of work: "I joined Slack"."""
    at_work = WORDS["work_words"] & {token.low for token in sentence.tokens}
    return found.lower() in SOFTWARE and not at_work


def campus(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a university, which is often named by its town alone: `Leeds`."""
    return organisation(sentence, at) or known_place_name(sentence, at)


def workplace(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an employer, also in a message without capitals."""
    return organisation(sentence, at) or _small_place(sentence, at)


def firm(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an employer after a word that may introduce a program, too, such as "with"; None for known programs."""
    found = organisation(sentence, at)
    return found if found and found[0][0].lower() not in SOFTWARE - WORDS["apps"] else None


def company(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of an organisation, and no club of any kind that is joined."""
    return None if low(sentence, at) in ARTICLES else organisation(sentence, at)


def job(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an occupation: up to three words, and then one that names a job.

    A word that also names a pastime or an office, such as "swimmer" or "captain", needs one that makes it an
    occupation, as in "swimming coach". Praise of a skill is no occupation: "a decent cook".
    """
    if low(sentence, at - 1) in WORDS["evaluative"]:
        return None
    for end in range(at + 1, min(at + 5, len(sentence.tokens) + 1)):
        term = sentence.tokens[end - 1].low
        if term in STOPS | MARKS | ARTICLES | WORDS["evaluative"]:
            return None
        if term in WORDS["jobs"] and (ends(sentence, end) or low(sentence, end) == "of"):
            return ([sentence.slice(at, end)], end) if _is_paid(sentence, at, end) else None
    return None


def _is_paid(sentence: TokenizedSentence, at: int, end: int) -> bool:
    """Return whether the words before `end` name a paid occupation."""
    if low(sentence, end - 1) not in WORDS["pastime_jobs"]:
        return True
    around = {token.low for token in sentence.tokens[max(at - 3, 0) : end - 1]}
    living = sentence.slice(end, len(sentence.tokens)).lower() if end < len(sentence.tokens) else ""
    is_living = living.startswith(("by trade", "by profession", "for a living"))
    is_employed = living[:3] in {"at ", "for"} and sentence.tokens[end + 1].is_capital
    return bool(around & WORDS["occupational"]) or is_living or is_employed


def student(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a kind of student: `PhD student`."""
    found = job(sentence, at)
    return found if found and found[0][0].split()[-1].lower() in WORDS["students"] else None


def paid_job(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an occupation at an employer, which is not that of a student."""
    return None if student(sentence, at) else job(sentence, at)


def contact(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read whom an appointment is with: `Sam`, `Dr. Lee`, `my dentist`."""
    while low(sentence, at) in WORDS["abbreviations"] | {"."} | ARTICLES:
        at += 1
    known = low(sentence, at) in WORDS["offices"] | WORDS["medics"] | WORDS["jobs"]
    return ([sentence.slice(at, at + 1)], at + 1) if known else name(sentence, at)


def role(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a role at work: up to four words."""
    return job(sentence, at) or phrase(sentence, at, 4, capitals=True)


def car(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a make or a model that is known."""
    return _product(sentence, at, "vehicles")


def model(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a make or a model in a context without other meanings: "I drive a …"."""
    end = names_end(sentence, at, 3, frozenset())
    known = _product(sentence, at, "vehicles")
    if known or end == at or sentence.tokens[at].low in NO_NAMES or not ends(sentence, end):
        return known
    return [sentence.slice(at, end)], end


def device(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of a device that is known, with its number: `Pixel 9`, `MacBook Pro`."""
    return _product(sentence, at, "devices")


def _product(sentence: TokenizedSentence, at: int, kind: str) -> Read | None:
    """Read up to four words, one of which is the name of a product of a kind."""
    end = at
    while end < len(sentence.tokens) and end - at < 4 and not ends(sentence, end):
        if low(sentence, end) in ARTICLES | _RELATIVES:
            return None
        end += 1
    known = any(token.low in WORDS[kind] and is_meant(token) for token in sentence.tokens[at:end])
    return ([sentence.slice(at, end)], end) if known else None


def software(sentence: TokenizedSentence, at: int) -> Read | None:
    term = low(sentence, at)
    known = term in SOFTWARE and is_meant(sentence.tokens[at])
    return ([sentence.slice(at, at + 1)], at + 1) if known else None


def product(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a product with a version: a known program, or a name before a number such as `2.1`."""
    end = names_end(sentence, at, 1)
    number = low(sentence, at + 1).lstrip("v")
    dotted = number[:1].isdigit() and "." in number
    if end > at and dotted and sentence.tokens[at].text[:1].isalpha():
        return [sentence.slice(at, at + 1)], at + 1
    return software(sentence, at)


def medicine(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the name of a medicine after its dose: any word."""
    term = low(sentence, at)
    known = is_drug(term) or (len(term) > 5 and term.isalpha() and ends(sentence, at + 1))
    return ([term], at + 1) if known and term not in STOPS | VAGUE else None


def drug(sentence: TokenizedSentence, at: int) -> Read | None:
    term = low(sentence, at)
    if term == "vitamin" and len(low(sentence, at + 1)) in (1, 2, 3):
        return [sentence.slice(at, at + 2)], at + 2
    return ([term], at + 1) if is_drug(term) else None
