"""Rules about a sentence that a model took a fact from: whose fact it is, and whether the sentence states it.

The words are English; sentences of other languages pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from everword.text.common_words import LANGUAGES_OF, language_of

#: Words for the same relation, one group a line; a word may be in several.
_GROUPS = """
mother mum mom mama mam parent parents folks stepmother stepmom
father dad papa daddy parent parents folks stepfather stepdad
sister sisters sis sibling siblings half_sister stepsister
brother brothers bro sibling siblings half_brother stepbrother
daughter daughters child children kid kids girl girls baby toddler
son sons child children kid kids boy boys baby toddler
husband spouse partner fiance fiancé hubby married
wife spouse partner fiancee fiancée missus married
girlfriend partner gf
boyfriend partner bf
ex ex_husband ex_wife ex_partner ex_girlfriend ex_boyfriend divorced
aunt auntie
uncle
cousin cousins
niece nieces
nephew nephews
grandmother grandma gran granny nan nana oma grandparents
grandfather grandpa granddad grandad opa grandparents
grandchild grandson granddaughter grandkid grandkids grandchildren
mother_in_law father_in_law sister_in_law brother_in_law in_laws
boss manager supervisor
colleague colleagues coworker coworkers co_worker workmate teammate
friend friends mate mates buddy pal pals bestie
neighbour neighbours neighbor neighbors
roommate flatmate housemate
doctor gp dr physician
therapist psychologist counsellor counselor
landlord landlady
"""
_RELATIONS = [frozenset(group.split()) for group in _GROUPS.strip().splitlines()]
_RELATIVES = frozenset(chain.from_iterable(_RELATIONS)) - {"married", "divorced"}
_LIVING = frozenset(
    {
        "pet",
        "cat",
        "dog",
        "horse",
        "animal",
        "pal",
        "name",
        "person",
        "relative",
        "teacher",
        "student",
    }
)
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FIRST = frozenset({"i", "we", "my", "our", "me", "us", "mine", "ours", "myself"})
_THIRD = frozenset({"he", "she", "his", "her", "they", "their", "him", "them", "hers"})
_GUESSES = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|apparently|supposedly|allegedly"
    r"|i (?:think|guess|suspect|hope|wish|bet)"
    r"|(?:would|wouldn't|i'd|we'd|you'd|he'd|she'd) (?:love|like|rather|be|have|buy|move|get|bake|go|never)"
    r"|i'd|if i|want to|wants to|wanna|hoping to|hope to|dream(?:s|ing)? of|thinking (?:of|about)|considering"
    r"|one day|some ?day|wish|not sure|no idea)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^\W*(?:and |but |so |or )?(?:if|unless|suppose|what if)\b", re.IGNORECASE)
_STAGED = re.compile(
    r"\b(?:imagine (?:i|you|that|we)|pretend|role ?-?play|act as|hypothetically|in my (?:novel|story|book)"
    r"|let's (?:play|say|pretend)|write (?:me )?an? (?:story|poem|dialog\w*)|just kidding|jk|only joking)\b",
    re.IGNORECASE,
)
_UNTRUE = re.compile(
    r"\b(?:obviously not|clearly not|as if|yeah,? right|not really|calls? me|telling (?:everyone|everybody|people))\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»")
#: A longer quotation is no title.
_TITLE_WORDS = 4
_OWN_QUESTION = re.compile(
    r"\b(?:my|our|i'm|i am|i've|we've|did i (?:tell|mention)|do you remember|remember)\b|,\s*(?:right|correct)\W*$",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:(?<!m )(?<!re )(?<!am )(?<!is )(?<!are )(?<!get )(?<!got )used to|no longer|formerly|previously"
    r"|not\b[^,.;]*\bany ?more|n't\b[^,.;]*\bany ?more|quit|stopped|gave up|sold|cancell?ed"
    r"|(?:took|taken) (?:me|him|her|us) off|c[ao]me off|switched from|instead of|forget(?: about)?|traded)\b",
    re.IGNORECASE,
)
#: Farther before a value, such words are about something else.
_ENDED_CHARS = 40
_NEGATION = re.compile(
    r"^(?:no|not|never|without|neither|nor|cannot|.+n['’]t|dont|doesnt|cant|isnt|wont)$"
)
#: An attribute or a value with one of these says itself that something is not so.
_NEGATIVE = re.compile(
    r"\b(?:no|not|never|non|without|dislike\w*|hate\w*|avoid\w*|allerg\w*|intoleran\w*|restrict\w*|avers\w*|refus\w*"
    r"|can ?not|can't|cannot|don't|doesn't|isn't|won't|free|former|previous|unable|limit\w*|rule|instruction\w*|fear"
    r"|preference|diet\w*|peeve|stopped|quit|ended)\b",
    re.IGNORECASE,
)
_NEGATED_WORDS = 4
#: A clause with one of these at its beginning denies all of it: "Don't explain how to do it in GoLand".
_FORBIDDING = (["don't"], ["dont"], ["never"], ["do", "not"])
#: "My boss there is called Tamsin": words from a relation to the name.
_NAMED_WORDS = 5
_CLAUSE = re.compile(
    r"[,;:–—(]|\b(?:but|because|since|so|and|which|while|although)\b", re.IGNORECASE
)
_CONTRAST = re.compile(r"[;(]|\b(?:but|because|although|however)\b", re.IGNORECASE)
#: "A workshop would be nicer, I do pottery": a guess ends where a person makes a statement.
_OWN_CLAUSE = re.compile(
    rf"{_CONTRAST.pattern}|,\s+(?=(?:I|we|he|she|they|my|our)\b)", re.IGNORECASE
)
_NAMING = re.compile(r"\b(?:his|her|their|its) name(?:['’]s| is)\W*$", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:from|former\w*|ex|was|were|had|left|until|till?|before|ago|longer|any ?more|previous\w*|back then|as a kid"
    r"|as a child|used to|sold|gave up|quit|lost|lived|worked|studied)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(r"^(?:(?:former|previous|past|old|current)\W+)+", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<=[\w,;] )(?!I\b)[^\W\d_a-zß-ÿ]\w+")
#: A name with a verb in the third person; days and months are names as well.
_NAMED_SUBJECT = re.compile(
    r"(?:^|(?<=[\s(\"]))(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Janu|Febru)ary|March|April|June|July|August"
    r"|(?:Septem|Octo|Novem|Decem)ber)([A-Z][a-zà-ÿ]+)(?:['’]s| (?:also |now |just |still |only |really |never )?"
    r"(?:is|was|has|had|loves|likes|hates|lives|works|turns|wants|plays|eats|needs|teaches|studies|runs|goes|got|moved"
    r"|started|prefers|owns|drives|can['’]?t|does|did|would|says|said|thinks|mostly))\b"
)
_OF_RELATIVE = re.compile(r"^(\w[\w-]*)(?:['’]s)? (.+)$")
_NUMBER = re.compile(r"\d{1,3}(?!\d)")


def tokens_of(text: str) -> list[str]:
    return [match[0].casefold().replace("’", "'") for match in _TOKEN.finditer(text)]


def relation_words(attribute: str) -> frozenset[str]:
    """Return the words for a relation between people, such as `sister`; empty if the attribute is none."""
    name = "_".join(tokens_of(attribute)).replace("-", "_").removesuffix("_name").removesuffix("'s")
    return frozenset(chain.from_iterable(group for group in _RELATIONS if name in group))


def person_before(sentence: str, at: int) -> str:
    """Return the person last mentioned in a sentence before a position.

    That is `user`, the word for a relative ("my brother lives in Rome": `brother`), `other` for he, she and they, or
    an empty string if no person is mentioned.
    """
    if _NAMING.search(sentence[:at]):
        return ""
    clause = _CONTRAST.split(sentence[:at])[-1]
    words = [word.partition("'")[0] for word in tokens_of(clause)]
    place = max((n for n, word in enumerate(words) if word in _FIRST | _THIRD), default=-1)
    if place < 0:
        return ""
    if words[place] in _THIRD:
        return "other"
    owned = words[place + 1 : place + 4] if words[place] in {"my", "our"} else []
    return next((word for word in owned if word.replace("-", "_") in _RELATIVES), "user")


def subject_name(sentence: str, at: int) -> str:
    """Return the name that is the subject of the words before a position, as in "Arjun turns 40"; empty if none is.

    A person who speaks of themselves after the name is the subject then.
    """
    found = list(_NAMED_SUBJECT.finditer(_CONTRAST.split(sentence[:at])[-1]))
    if not found or not is_english(sentence):
        return ""
    last = found[-1]
    after = tokens_of(sentence[:at].rpartition(last[0])[2])
    is_other = (
        last[1].casefold() in LANGUAGES_OF or {word.partition("'")[0] for word in after} & _FIRST
    )
    return "" if is_other else last[1]


def is_guess(sentence: str, at: int) -> bool:
    """Return whether words before a position, or a condition, make the rest a guess or a wish."""
    clause = _OWN_CLAUSE.split(sentence[:at])[-1]
    return bool(_GUESSES.search(clause) or _CONDITION.match(sentence))


def is_introduced(sentence: str, at: int) -> bool:
    """Return whether a relative is named at a position: "I want to go with my husband Arjun" is a guess of no one."""
    before = tokens_of(sentence[:at])[-3:]
    owned = before[before.index("my") + 1 :] if "my" in before else []
    return bool(owned) and all(word.replace("-", "_") in _RELATIVES for word in owned)


def is_untrue(sentence: str) -> bool:
    """Return whether a sentence says of itself that it is not meant."""
    return bool(_UNTRUE.search(sentence))


def is_staged(message: str) -> bool:
    """Return whether a message asks for role play, or is a joke."""
    return bool(_STAGED.search(message))


def is_quoted(message: str, value: str) -> bool:
    """Return whether a value stands within a quotation that is longer than a title."""
    quotations = ("".join(filter(None, each)) for each in _QUOTED.findall(message))
    words = set(tokens_of(value))
    return any(
        len(quoted.split()) > _TITLE_WORDS and words <= set(tokens_of(quoted))
        for quoted in quotations
    )


def is_open_question(sentence: str) -> bool:
    """Return whether a sentence asks, and says nothing of the user's own."""
    return sentence.rstrip().endswith("?") and not _OWN_QUESTION.search(sentence)


def attribute_at(attribute: str, sentence: str, at: int) -> str:
    """Return an attribute with `former` if the sentence says that the value at a position is so no more.

    Without a word of the past in the sentence, a model's `former` is removed.
    """
    ended = any(
        each.start() < at and at - each.end() < _ENDED_CHARS for each in _ENDED.finditer(sentence)
    )
    plain = _FORMER.sub("", attribute)
    is_former = plain != attribute and not attribute.casefold().startswith("current")
    if ended or (is_former and _PAST.search(sentence)):
        return f"former {plain}"
    return plain


def is_negated(sentence: str, at: int, claim: str) -> bool:
    """Return whether a sentence denies the value at a position, and the claim about it does not."""
    words = tokens_of(_CLAUSE.split(sentence[:at])[-1])
    is_order = words[:1] in _FORBIDDING or words[:2] in _FORBIDDING
    near = words if is_order else words[-_NEGATED_WORDS:]
    return any(map(_NEGATION.match, near)) and not _NEGATIVE.search(claim)


def is_other_number(attribute: str, value: str, sentence: str) -> bool:
    """Return whether the value is an age that the sentence gives to something else, such as years of marriage."""
    if tokens_of(attribute)[-1:] != ["age"]:
        return False
    number = _NUMBER.search(value)
    if number is None:
        return False
    be = r"(?:\b(?:am|is|are|be|aged?|turn\w*|old)|['’](?:m|s|re))"
    age = rf"{be}\s+(?:\w+\s+){{0,2}}{number[0]}\b(?!\s*(?:%|years? (?!old)))"
    old = rf"\b{number[0]}[- ]?(?:years?|months?|weeks?|yrs?)[- ]?old|\b{number[0]} ?yo\b"
    return not re.search(f"{age}|{old}", sentence, re.IGNORECASE)


def owner_in(attribute: str) -> tuple[str, str]:
    """Return the relative that an attribute names, and the rest: `dad`, `operation` of "dad's operation"."""
    found = _OF_RELATIVE.match(attribute)
    is_relative = found is not None and found[1].casefold() in _RELATIVES
    if found is None or not is_relative or found[2].casefold() == "name":
        return "", attribute
    return found[1], found[2]


def is_relative(word: str) -> bool:
    return word.casefold().replace("-", "_") in _RELATIVES


def is_living(attribute: str) -> bool:
    """Return whether the values of an attribute are people or animals."""
    return any(is_relative(part) or part in _LIVING for part in attribute.split("_"))


def is_english(text: str) -> bool:
    language = language_of(tokens_of(text))
    return language == "en" or (not language and text.isascii())


def canonical_relation(name: str) -> str:
    """Return one word for `dad` and `father`; other names are returned as they are."""
    word = name.casefold().replace("-", "_")
    groups = [group.split() for group in _GROUPS.strip().splitlines()]
    found = [group[0] for group in groups if word in group]
    return found[0] if len(found) == 1 else name


def has_name(text: str) -> bool:
    """Return whether a part of a sentence has a capitalised word behind its first one."""
    return bool(_CAPITALISED.search(text))


def is_apart(relation: Iterable[str], value: str, sentence: str) -> bool:
    """Return whether a sentence has a relation and a value, but too far from each other to name one by the other."""
    words = [word.partition("'")[0].replace("-", "_") for word in tokens_of(sentence)]
    named = {word.partition("'")[0] for word in tokens_of(value)}
    relatives = [place for place, word in enumerate(words) if word in set(relation)]
    values = [place for place, word in enumerate(words) if word in named]
    pairs = [abs(one - other) for one in relatives for other in values]
    return bool(pairs) and min(pairs) > _NAMED_WORDS


def names_any(words: Iterable[str], text: str) -> bool:
    """Return whether a text has one of some words, such as those of a relation."""
    said = {word.partition("'")[0].replace("-", "_") for word in tokens_of(text)}
    return not said.isdisjoint(words)
