"""The forms of lines by which `attribution` tells who speaks: headers of mails, times, introductions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import regex

from everword.text.attribution_labels import is_own_name
from everword.text.attribution_words import STAMP_ALONE, WORD, WORDS, any_of, label_words

#: A name or an introduction with more words is a sentence of the author.
_MOST_WORDS = 4

FENCE = ("```", "~~~")
#: Marks of a quotation, which has its own end.
QUOTES = ('"', "“", "„", "«", "»", "「", "『", "'", "‘")
_KIND = (
    r"(?:day \d{4}-\d\d-\d\d|week of \d{4}-\d\d-\d\d|month \d{4}-\d\d|year \d{4}"
    r"|(?:leaf|branch|root) summary|significant memory|note|fact|document|node|topic)"
)
_MARKS = r"(?:; [^\]\n]*)?\](?:\d{1,3}%)?"
#: An item of a context that Everword built: "[3; untrusted]82% Ana: …". One that is no message has its kind and may
#: have no speaker: "[4 day 2026-04-18]64% They agreed …".
CONTEXT_ITEM = regex.compile(
    rf"^[ \t]*\[\d{{1,3}}(?: {_KIND}{_MARKS}[ \t]+(?=\S)|{_MARKS}[ \t]+[^\n:]{{0,300}}:(?:\s|$))"
)
_FORWARDED = regex.compile(rf"^\W*(?:{any_of(WORDS['forwards'])})\W*$", regex.IGNORECASE)
_FROM = any_of(WORDS["from_headers"])
_HEADS = any_of(WORDS["headers"])
_HEADER = regex.compile(
    rf"^[ \t>*]*(?:(?P<from>{_FROM})|{_HEADS})\*{{0,2}}\s*[:：]\*{{0,2}}\s*\S", regex.IGNORECASE
)
_MAIL_FROM = regex.compile(rf"^[ \t*]*(?:{_FROM})\*{{0,2}}\s*[:：].*@", regex.IGNORECASE)
#: A person who acts between asterisks plays a part: "*walks in* I live in Rome".
ROLE_PLAY = regex.compile(
    rf"^\s*\*(?:[a-z]+ly )?(?:{any_of(WORDS['acts'])})\b[^*\n]{{0,200}}\*", regex.M
)
SIGNED = regex.compile(
    r"(?:^\s*|[.!?…\"”*]\s+)[—–―]{1,2}\s?(?P<name>\p{Lu}[\w.'’]*(?: \p{Lu}[\w.'’]*){0,2})\s*$"
)
#: The subject of a mail that is forwarded.
_FORWARDED_SUBJECT = regex.compile(
    r"^\s*(?:FWD?|Fwd?|fwd|WG|TR|RV|ENC|Enc|VS|VB|Doorst|DS|PD) ?[:：]\s*\S"
)
#: "Ana Silva <ana@example.com>", alone or before a colon.
_ADDRESSED = regex.compile(r"^(?P<name>[^<>\n]{0,120})<[^<>\s]{1,100}@[^<>\s]{1,100}>\s*[:：]?\s*$")
_FROM_NAME = regex.compile(
    rf"^[ \t*]*(?:{_FROM})\*{{0,2}}\s*[:：]\*{{0,2}}\s*(?P<name>\S.{{0,80}})$", regex.IGNORECASE
)
#: Marks by which programs write whose turn it is, and the times of subtitles.
MACHINE = regex.compile(
    r"^\s*(?:<\|\w{1,30}\|>|<</?SYS>>|\[/?INST\]|#{2,4} (?:Instruction|Response|Input)\b"
    r"|WEBVTT\b|(?:\d{1,2}:)?\d{1,2}:\d{2}[.,]\d{3} +--> )"
)
#: The names of columns above a table: "name,text".
_COLUMNS = regex.compile(
    r"^\s*[\p{L}_]{2,30}(?P<mark>[,;\t|])[\p{L}_]{2,30}(?:(?P=mark)[\p{L}_]{2,30})*\s*$"
)
_UNDER_COLUMNS = regex.compile(r"^\s*\|?\s*:?-{3,}:?\s*\|")
_BEFORE_COLON = r"(?P<before>(?>[^:：\n<]|<[^>\n]{0,100}>|<|(?<=\d):(?=\d)){1,240}?)"
_SAY = [word for word in WORDS["say_verbs"] if word.isascii() or word[0] < "\u3000"]
_SAY_CJK = [word for word in WORDS["say_verbs"] if word not in _SAY]
_SAID = regex.compile(
    rf"(?:\b(?P<verb>{any_of(_SAY)})\b|(?P<cjk>{any_of(_SAY_CJK)}))", regex.IGNORECASE
)
_INTRODUCTION = regex.compile(rf"{_BEFORE_COLON}(?:[:：](?=\s|$|[\"“„«'‘>*\p{{L}}]))")
_OTHERS = any_of(WORDS["others"])
_FOR_OTHERS = regex.compile(
    rf"\b(?:(?:asking|ask|posting|writing|inquiring|enquiring|requesting|checking) (?:this |that )?for"
    rf" (?:an?|my|our|the|one of my|some)?\s?(?:\w+ )?(?:{_OTHERS})\b"
    rf"|(?:(?:question|this|that|it) (?:is |was )?|(?:this|that|it)['’]s )for (?:an?|my) (?:\w+ )?(?:{_OTHERS})"
    r"(?= ?(?:[:—–(-]|[.!]?\s*$))"
    rf"|question for a (?:{_OTHERS})\b|on behalf of\b"
    rf"|frag\w*(?: das)? für (?:ein|mein)\w* |demande pour (?:une?|mon|ma) |pregunt\w+ (?:por|para) (?:una?|mi) "
    rf"|chied\w+ per (?:una? |un'|mi)|pergunt\w+ (?:por|para) (?:uma?|meu|minha) "
    rf"|vra\w+ voor (?:een|mijn) |спрашиваю для )",
    regex.IGNORECASE,
)
#: A quick test: a line without any of these cannot match _FOR_OTHERS.
_HINTS = (" for ", "behalf", " für ", " pour ", " por ", " para ", " per ", " voor ", " для ")
_SOURCES = regex.compile(rf"\b(?:{any_of(WORDS['sources'])})\b", regex.IGNORECASE)
_EARLIER = regex.compile(
    rf"\b(?:{any_of(WORDS['earlier'])}) (?:\w+ )?(?:{any_of(WORDS['talks'])})\b"
    rf"|\b(?:{any_of(WORDS['talks'])}) (?:{any_of(WORDS['earlier'])})\b"
    rf"|\b(?:{any_of(WORDS['talks'])}) (?:history|log|export|between|with|from)\b"
    rf"|(?<!your |deine |ihre |votre )\b(?:{any_of(WORDS['kinds'])}) (?:i got |i received |we got )?"
    r"(?:(?:from|by|von|vom|der|de|di|da|van|от|fra|från) |d['’])"
    r"(?!(?:me|mir|moi|mí|mi|mij|mim|the way|меня)\b)"
    rf"|\baccording to\b|\bfrom (?:a|my) (?:{_OTHERS})\b|\bretrieved\b|\brelevant (?:context|memor\w+|facts)\b"
    rf"|\babout (?:the|this|our) (?:user|customer|client|human|person)\b",
    regex.IGNORECASE,
)
#: "My cousin sent me this:".
_HANDED = regex.compile(
    r"\b(?:(?P<by_others>sent|sends|shared|forwarded|gave|showed|left)\b[^,;.!?]{0,40}?"
    r"|(?:got|received|found|copied)\b)"
    rf" (?:(?:this|these|the following|an?|the)(?: \w+)? (?:{any_of(WORDS['kinds'])})|this|these|the following)"
    r"(?: (?:from|by|in|on|with|about|to|for|today|yesterday|earlier|just now|last|this)\b[^,;.!?]{0,40})?$",
    regex.IGNORECASE,
)
#: "Ana's message:", "my friend's text:".
_POSSESSIVE = regex.compile(
    r"(?<![\p{L}'’])(?P<name>\p{Lu}[\p{L}-]*|(?i:"
    + _OTHERS
    + r"))['’]s? (?:\w+ ){0,2}(?i:"
    + any_of(WORDS["kinds"])
    + r")\b"
)
#: Words that an apostrophe follows, and that own nothing.
_NO_OWNERS = frozenset(
    [
        *("here", "there", "it", "that", "what", "let", "who", "he", "she", "where", "how", "when"),
        *("this", "one", "today", "tonight", "yesterday", "tomorrow"),
    ]
)
_RESUMED = regex.compile(
    r"\W*(?:(?:that|this|those|these)(?: was| is|['’]s| were| are)\b"
    r"|what (?:do|would|does|did|should|can) (?:you|i|we|he|she|they|it|that|this)\b"
    r"|(?:how|when) (?:should|would|can|do) (?:i|we)\b|(?:should|shall|must) (?:i|we)\b"
    r"|(?:can|could|would|will) you (?:please )?"
    r"(?:translate|summari|explain|help|check|correct|rewrite|answer|tell|draft)"
    r"|please (?:translate|summari|explain|check|correct|rewrite|answer|reply|draft|tell)"
    r"|(?:translate|summari[sz]e|explain|rewrite|reply|answer) (?:this|that|it|to)\b"
    r"|as for me\b|in my (?:own )?case\b|for my part\b|unlike (?:him|her|them|that)\b"
    r"|my (?:own )?(?:reply|answer|question)\b"
    r"|anyway\b|end of (?:the )?(?:quote|message|mail|e-?mail|transcript|letter|text)\b"
    r"|(?:das|dies) (?:war|ist)\b|was (?:meinst|hältst) du\b|was soll ich\b|c['’](?:est|était)\b|qu['’]en penses"
    r"|que (?:opinas|piensas|debo)\b|qué (?:opinas|piensas|debo)\b|che ne pensi\b|cosa ne pensi\b)",
    regex.IGNORECASE,
)
#: First characters that never continue a quoted sentence.
_FIRST_WORDS = frozenset(
    ["i", "i'm", "im", "i've", "my", "we", "yes", "no", "yeah", "nope", "ok", "thanks"]
)
_SENTENCE = regex.compile(r"^\s*[\p{L}\p{M}\p{N} ,.!?'’:;%€$£-]+$")
_OWN_VERB = regex.compile(rf"\b(?:{any_of(WORDS['own_verbs'])})\b", regex.IGNORECASE)
_OPENS_DATA = regex.compile(r"^\s*(?:\{\s*(?:$|[\"'])|\[\s*(?:$|[{\[\"']))")


def opens_data(line: str) -> bool:
    """Return whether a line begins a JSON value."""
    return bool(_OPENS_DATA.match(line))


def begins_forwarded(line: str, names: Collection[str]) -> bool:
    """Return whether a single line announces a forwarded or quoted mail."""
    if _FORWARDED.match(line) or _MAIL_FROM.match(line) or _FORWARDED_SUBJECT.match(line):
        return True
    if found := _ADDRESSED.match(line) if "@" in line else None:
        return not is_own_name(found["name"], names)
    found = _FROM_NAME.match(line)
    return found is not None and is_name(found["name"]) and not is_own_name(found["name"], names)


def begins_mail(lines: Sequence[str]) -> bool:
    """Return whether lines begin with the headers of a mail, including its sender."""
    heads = list[regex.Match[str]]()
    for line in lines:
        head = _HEADER.match(line)
        if head is None:
            break
        heads.append(head)
    return len(heads) > 1 and any(head["from"] for head in heads)


def begins_table(line: str, following: str) -> bool:
    """Return whether a line holds the names of the columns of the line below."""
    columns = _COLUMNS.match(line)
    if columns is not None:
        return columns["mark"] in following
    return "|" in line and bool(_UNDER_COLUMNS.match(following))


def continues_quote(before: str, line: str) -> bool:
    """Return whether a line goes on with the sentence of a quoted line above it, which has no end."""
    before, words = before.strip(), WORD.findall(line)
    is_open = before.startswith(">") and before[-1] not in ">.?!…:;"
    return is_open and bool(words) and words[0][0].islower() and words[0] not in _FIRST_WORDS


def is_sentence(line: str) -> bool:
    """Return whether a line has words and the marks between them alone, as no code has."""
    return bool(_SENTENCE.match(line))


def is_stamp(line: str) -> bool:
    """Return whether a line holds a time and nothing else, as below a name in chats."""
    return bool(STAMP_ALONE.match(line))


def is_name(line: str) -> bool:
    """Return whether a line could be a name and nothing else."""
    words = WORD.findall(line)
    return 0 < len(words) <= _MOST_WORDS and all(word[0].isupper() or "_" in word for word in words)


def is_asked_for_another(line: str) -> bool:
    """Return whether a line asks for another person: "asking for a friend"."""
    low = line.casefold()
    return any(hint in low for hint in _HINTS) and bool(_FOR_OTHERS.search(line))


def introduces_quote(line: str, names: Collection[str] = ()) -> int | None:
    """Return the offset in a line at which quoted words begin, as after "Ana wrote:"; None without a quotation."""
    found = _INTRODUCTION.match(line) if ":" in line or "：" in line else None
    if found is None:
        return None
    before = found["before"]
    words = label_words(before)
    said = list(_SAID.finditer(before))
    # Only the addressee may come between the verb and the colon: "my friend wrote me:".
    if (
        said
        and _has_other_subject(before[: said[-1].start()], bool(said[-1]["cjk"]))
        and len(WORD.findall(before[said[-1].end() :])) <= _MOST_WORDS
    ):
        return found.end()
    if _announces_forwarded_message(before, names):
        return found.end()
    source = _SOURCES.search(before) or _EARLIER.search(before)
    if source and not (_OWN_VERB.search(before) and source[0].lower() not in ("recalled",)):
        return found.end() if len(words) <= 24 else None
    return None


def _announces_forwarded_message(before: str, names: Collection[str]) -> bool:
    """Return whether a line announces a message of another person: "my cousin sent me this", "Ana's message"."""
    handed = _HANDED.search(before)
    if handed:
        by_others = handed["by_others"] is not None
        return not by_others or _has_other_subject(before[: handed.start()], is_cjk=False)
    owner = _POSSESSIVE.search(before)
    return owner is not None and not (
        owner["name"].casefold() in _NO_OWNERS or is_own_name(owner["name"], names)
    )


def is_resumed(line: str) -> bool:
    """Return whether a paragraph begins with words about the pasted text before it: "What do you think?"."""
    return bool(_RESUMED.match(line))


def _has_other_subject(before: str, is_cjk: bool) -> bool:
    """Return whether the subject of a verb of saying is another person than the author."""
    words = label_words(before)
    if not words:
        return is_cjk
    return not (set(words[-2:]) & WORDS["subjects"]) and words[-1] not in {
        "as",
        "wie",
        "comme",
        "como",
        "come",
    }


def find_depth(line: str, depth: int) -> int:
    """Return how many brackets are open after a line."""
    depth += sum(line.count(mark) for mark in "{[") - sum(line.count(mark) for mark in "}]")
    return max(0, depth)
