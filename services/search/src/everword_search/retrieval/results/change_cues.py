"""Phrases of English chats which suggest that a message changes something said before."""

from __future__ import annotations

import re

_DAYS = "today|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|summer"
)
_THINGS = (
    "one|place|number|job|code|address|car|phone|name|date|time|flat|apartment|house|doctor|boss|manager|password|pin|"
    "email|plan|school|team|room|office|gym|teacher|coach|company|owner"
)
#: Regular expressions by meaning; each must match whole words.
_CUES = (
    # Different from now on.
    *("now", "no longer", "any ?more", "no more", "from now on", "as of", "these days", "nowadays"),
    *(rf"(?:from|starting) (?:{_DAYS}|{_MONTHS}|next)", "starting (?:in|with)"),
    *(rf"since (?:the|last|new|we|yesterday|{_DAYS}|{_MONTHS})", "used to", "for good"),
    rf"first (?:day|time|week)|new (?:{_THINGS})|(?:has|have|got|get|is|are) (?:an? |the |myself an? )?new",
    # Something took another one's place.
    *("instead", "rather than", "switch(?:ed|ing)?", "swap(?:ped|s)?", "replac(?:ed|ing|ement)"),
    *("chang(?:ed|ing)", "changes? to", "over to", "rotated", "renamed?", "converted", "traded"),
    *("trading", "upgraded", "downgraded", "t(?:ook|akes?|aken|aking) over", "transferred"),
    *("(?:went|go|gone|going|goes) with", "went (?:for|to|back)", "back (?:to|at|on|in|with)"),
    *("settled (?:on|in)", "decided", "pick(?:ed)? (?:the|a|another)", "signed (?:up|with)"),
    *("joined", "hired", "promoted", "bought", "found (?:an?|another)", "got (?:an?|the|myself)"),
    *("put(?:ting)? (?:the|it|us|me|him|her|them)", "let'?s do"),
    *("we'?re (?:looking at|going|doing)", "(?:looking|aiming) at", "mak(?:e|ing) (?:it|that)"),
    # Something ended.
    *("sold", "stopped", "dropped", "ditched", "dumped", "got rid of", "returned", "left", "quit"),
    *(
        "resigned",
        "handed in",
        "retir(?:ed|ing)",
        "g[ia]v(?:e|es|ing) (?:up|in)",
        "stolen",
        "nicked",
    ),
    *("lost", "broke up", "split up", "divorced", "history", "expired", "ended", "outgr(?:ew|own)"),
    *("(?:done|finished) with", "gone", "closed", "shut down", "fell through", "is a no go"),
    *("(?:is|are|'[sm]|'re) (?:leaving|moving|off|out)", "(?:is|was|are) taken", "hasn'?t"),
    *(r"haven'?t .{1,20} (?:since|in)", "double[ -]booked", "trademark"),
    # A plan or an amount moved.
    *(
        "moved",
        "moving (?:to|in|out)",
        "moves? (?:it|to|us|me|in|out)",
        "resche?duled",
        "rebook(?:ed)?",
    ),
    *("postponed", "push(?:ed|ing)", "shifted", "bumped", "cancell?ed", "called off", "delayed"),
    *("reshuffled", "exten(?:ded|sion)", "more (?:days|weeks|months|time)", "raised", "lowered"),
    *("increased", "reduced", "cut to", "(?:up|down) to", "went up", "goes? up"),
    # What was said before is wrong or withdrawn.
    *("turn(?:s|ed) out", "actually", "scratch that", "scrap(?:ped)?", "correction", "update[d]?"),
    *("forget (?:the|that|it|about|what)", "never ?mind", "nvm", "plot twist", "plans? changed"),
    *("change of plans?", "sorry", "oops", "my bad", "wait", "nope", "typo", "meant", "after all"),
    *(
        "in the end",
        r"not .{1,25} but",
        r"was (?:un\w+|wrong|a joke|too)",
        "(?:is|are) ok",
        "ok(?:ay)? to",
    ),
    # How chats begin news.
    *("so (?:they|s?he|we|its?|we're|i'?m)", "finally", "had to"),
)
_ADDITIONS = ("also", "too", "another", "plus", "as well", "additionally", "besides")
_CHANGE = re.compile(rf"(?<!\w)(?:{'|'.join(_CUES)})\b", re.IGNORECASE)
_ADDITION = re.compile(rf"\b(?:{'|'.join(_ADDITIONS)})\b", re.IGNORECASE)


def suggests_change(text: str) -> bool:
    """Return whether a message suggests that something is different from before."""
    return _CHANGE.search(text) is not None


def adds_something(text: str) -> bool:
    """Return whether a message adds something to what was said before."""
    return _ADDITION.search(text) is not None
