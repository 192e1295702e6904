"""The lines of a summary as a context shows them: without ids and repeated sentences. Pure.

An extractive summary has a line `[2026-04-18T12:00Z] [via:phone]` above the sentences of one hour. Below it come lines
`- Emi: sentence`, and indented ones for the speaker's next sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_CHAT = re.compile(r" ?\[chat:[0-9a-f-]{36}\]")
_INDENT = "  "
_GROUP = re.compile(r"\[\d{4,}-\d\d-\d\dT[^\]\n]*\].*|\[via:.*")
_VIA = re.compile(r" ?\[via:.*")


def without_conversations(text: str) -> str:
    """Return a summary without the conversation ids in its lines."""
    lines = ((line, _CHAT.sub("", line)) for line in text.split("\n"))
    return "\n".join(shown for line, shown in lines if shown or not line)


def without_repeated_text(text: str, is_said: Callable[[str], bool]) -> str:
    """Return a summary without the sentences for which `is_said` returns True; empty if none remains."""
    retained, group, speaker = list[str](), "", ""
    follows = False
    for line in text.split("\n"):
        if _GROUP.fullmatch(line):
            # A place that was named in a group without remaining lines applies to the next group, too.
            place = _VIA.search(group) if group else None
            group = line if not place or _VIA.search(line) else line + place[0]
            follows = False
            continue
        is_bullet, goes_on = line.startswith("- "), line.startswith(_INDENT) and bool(speaker)
        if is_bullet:
            speaker, colon, said = line[2:].partition(": ")
            speaker, said = (speaker, said) if colon else ("", line[2:])
        else:
            said = line.strip()
        if not said or is_said(said):
            follows = follows and not said
            continue
        retained += [group] if group else []
        retained.append(f"- {speaker}: {said}" if goes_on and not follows else line)
        group, follows = "", True
    return "\n".join(retained)
