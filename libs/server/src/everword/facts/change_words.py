"""Recognises sentences that say themselves that something has changed, in English."""

from __future__ import annotations

import re

#: Words of a change. A sentence without any of them, such as "I'm a decent cook", only describes.
_CHANGE = re.compile(
    r"""\b(?:
        now | nowadays | currently | these\ days | at\ the\ moment | recently | lately | finally | since | as\ of
        | from\ (?:now|today|next)\b | starting | effective | today | yesterday
        | last\ (?:week|month|year|spring|summer|autumn|fall|winter)
        | any\ ?more | any\ longer | no\ longer | used\ to | instead | not\ .{1,40}\ but
        | new(?!\ (?:york|zealand|orleans|jersey|delhi|mexico|england|hampshire|south)\b)
        | different | change[ds]? | changing | update[ds]? | correct(?:ed|ion) | actually
        | move[ds]? | moving | relocat(?:e|ed|ing) | settled | transferr?ed | migrat(?:ed|ing)
        | switch(?:ed|ing)? | replac(?:ed|ing) | trad(?:ed|ing) | swapp?ed | sold | bought | adopted
        | became | become | becoming | turned | convert(?:ed|ing) | renamed
        | start(?:ed|s)? | began | begun | join(?:ed|ing) | hired | promoted | landed | accepted
        | left | leaving | quit(?:ting)? | resign(?:ed|ing) | retir(?:ed|ing) | fired | laid\ off | stopped | gave\ up
        | ended | over | ex | former(?:ly)? | previous(?:ly)?
        | (?:got|just|been|am|are|were|is|'ve|'m)\ (?:re)?(?:married|engaged|divorced|separated|widowed)
        | (?:married|divorced|split|broke\ up|separated|widowed)
        | back\ (?:in|to|at|with) | again
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def is_change(sentence: str) -> bool:
    """Return whether a sentence says that something has changed or has just begun."""
    return _CHANGE.search(sentence) is not None
