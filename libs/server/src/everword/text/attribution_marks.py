"""Finds quoted text and markup, which count as another person's words."""

from __future__ import annotations

from collections.abc import Iterator

import regex

#: Opening quotation marks, each with its closing marks.
_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "‹": "›", "”": "”", "»": "«"}
#: A quotation that is longer than this many characters has no closing mark.
_LONGEST = 4_000
_OPENING = regex.compile(
    r"(?<![\w\"])\"(?=[^\s\"])|(?<!\w)(?:[“„「『](?=\S)|[«‹])|(?<=\s|^)[”»](?=\w)"
)
_CLOSING = regex.compile(r"(?<=\S)\"(?!\w)")
_SINGLE = regex.compile(
    r"(?<![\p{L}\p{N}])['‘](?!(?:cause|til|till|bout|em|n|tis|twas)\b)(?=\p{L})"
    r"(?:[^'‘’\n]|(?<=\p{L})['’](?=\p{L})){3,400}+['’](?![\p{L}\p{N}])",
    regex.IGNORECASE,
)
_TAG = regex.compile(r"<(?P<name>[A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,2000})?>")
#: "[quote]…[/quote]", as forums write it, and code in a line.
_BRACKET_TAG = regex.compile(
    r"\[(?P<name>quote|code|q|cite|spoiler)(?:=[^\]\n]{0,200})?\]", regex.IGNORECASE
)
_INLINE_CODE = regex.compile(r"(?<!`)`[^`\n]{1,400}+`(?!`)")
#: Fewer words in code are a name: "I work at `Acme`".
_LEAST_CODE_WORDS = 3
#: Tags around words that the author may have formatted.
_FORMATTING = frozenset(
    [
        "a",
        "b",
        "big",
        "br",
        "body",
        "div",
        "em",
        "font",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "html",
        "i",
        "ins",
        "li",
        "main",
        "ol",
        "p",
        "s",
        "section",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "u",
        "ul",
    ]
)


def find_quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between quotation marks. An unclosed quotation ends with its line."""
    at = 0
    while opening := _OPENING.search(text, at):
        begin = opening.end()
        end = _find_end(text, opening[0], begin)
        if end is None:
            newline = text.find("\n", begin)
            at = len(text) if newline < 0 else newline
            yield begin, at
        else:
            # Across lines, the closing mark is included: alone on its line, it would open another quotation.
            is_long = "\n" in text[begin:end]
            yield begin, end + 1 if is_long else end
            at = end + 1
    yield from (found.span() for found in _SINGLE.finditer(text) if " " in found[0])


def _find_end(text: str, mark: str, begin: int) -> int | None:
    if mark == '"':
        found = _CLOSING.search(text, begin, begin + _LONGEST)
        return found.start() if found else None
    ends = (text.find(each, begin, begin + _LONGEST) for each in _PAIRS[mark])
    return min((each for each in ends if each >= 0), default=None)


def find_markup(text: str) -> Iterator[tuple[int, int]]:
    """Yield elements of XML and HTML with all that is in them, but for those that only format words."""
    yield from _find_brackets(text)
    for code in _INLINE_CODE.finditer(text):
        if len(code[0].split()) >= _LEAST_CODE_WORDS:
            yield code.span()
    if "</" not in text:
        return
    unclosed, at = set[str](), 0
    while tag := _TAG.search(text, at):
        name = tag["name"]
        at = tag.end()
        if name.lower() in _FORMATTING or name in unclosed or tag[0].endswith("/>"):
            continue
        close = text.find(f"</{name}", at)
        if close < 0:
            unclosed.add(name)
            continue
        end = text.find(">", close)
        at = len(text) if end < 0 else end + 1
        yield tag.start(), at


def _find_brackets(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    folded = text.lower() if "[/" in text else ""
    while folded and (tag := _BRACKET_TAG.search(text, at)):
        close = folded.find(f"[/{tag['name'].lower()}]", tag.end())
        at = tag.end() if close < 0 else close + len(tag["name"]) + 3
        if close >= 0:
            yield tag.start(), at
