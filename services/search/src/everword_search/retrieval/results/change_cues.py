"""Phrases of English chats that suggest a change of an earlier statement."""

from __future__ import annotations

import re

#: Regular expressions of whole words, separated by semicolons. These hardly occur without a change.
_STRONG = r"""
now; no longer; any ?more; no more; as of; these days; nowadays; used to; instead; rather than
(?:from|starting) (?:now on|today|tomorrow|next|\w+day|january|february|march|april|may|june|july|august|summer)
(?:from|starting) (?:september|october|november|december); starting (?:in|with)
since (?:this|the|last|new|we|yesterday|\w+day|january|february|march|april|may|june|july|august|summer)
new (?:one|place|number|job|code|address|car|phone|name|date|time|flat|apartment|house|doctor|boss|manager|password)
new (?:pin|email|plan|school|team|room|office|gym|teacher|coach|company|owner)
switch(?:ed|ing)?; swap(?:ped|s)?; replac(?:ed|ing|ement); chang(?:ed|ing); changes? to; over to; rotated; renamed?
converted; traded; trading; upgraded; downgraded; t(?:ook|akes?|aken|aking) over; transferred; promoted; hired
(?:went|go|gone|going|goes) with; went (?:for|back); back (?:to|on|with); settled (?:on|in)
pick(?:ed)? (?:the|a|another); signed (?:up|with); regist(?:er|ered) us
put(?:ting)? (?:the|it|us|me|him|her|them); let'?s do; we'?re (?:looking at|going|doing); (?:looking|aiming) at
mak(?:e|ing) (?:it|that); sold; stopped; dropped; ditched; dumped; got rid of; returned; quit; resigned; handed in
retir(?:ed|ing); g[ia]v(?:e|es|ing) (?:up|in); stolen; nicked; broke up; split up; divorced; outgr(?:ew|own)
(?:done|finished) with; shut down; fell through; is a no go; (?:is|are) (?:out|over|dead); double[ -]booked
moved; moving (?:to|in|out); moves? (?:it|to|us|me|in|out); resche?duled; rebook(?:ed)?; postponed; push(?:ed|ing)
shifted; bumped; cancell?ed; called off; delayed; reshuffled; exten(?:ded|sion); more (?:days|weeks|months|time)
raised; lowered; increased; reduced; cut to; (?:up|down) to; went up; goes? up; instead of
turn(?:s|ed) out; scratch that; scrap(?:ped)?; correction; updated?; forget (?:the|that|it|about|what)
never ?mind; nvm; plot twist; plans? changed; change of plans?; my bad; nope; typo; after all; not .{1,25} but
was (?:un\w+|wrong|a joke|too); broke down; went bust; stick(?:ing)? with; \w+day then; it is(?= *(?:[.!,]|$))
"""
#: These often occur without a change.
_WEAK = r"""
(?:has|have|got|get|is|are) (?:an? |the |myself an? )?new; bought; found (?:an?|another); got (?:an?|the|myself)
lost; gone; left; joined; history; expired; ended; closed; trademark; (?:is|was|are) taken; sorry; oops; wait; meant
actually; finally; had to; so (?:they|s?he|we|its?|we're|i'?m); for good; in the end; decided; went to; back (?:at|in)
first (?:day|time|week); hasn'?t; haven'?t .{1,20} (?:since|in); (?:is|are) ok; ok(?:ay)? to
(?:is|are|'[sm]|'re) (?:leaving|moving|off|out)
"""
_ADDITIONS = "also; too; plus; as well; additionally; besides"


def _pattern(phrases: str) -> re.Pattern[str]:
    forms = [form for line in phrases.splitlines() for form in line.split("; ") if form]
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})\b", re.IGNORECASE)


_STRONG_CUE, _WEAK_CUE, _ADDITION = map(_pattern, (_STRONG, _WEAK, _ADDITIONS))


def measure_change(text: str) -> float:
    """Return how clearly a message speaks of a change: 1, .5, or 0 if it does not."""
    if _STRONG_CUE.search(text):
        return 1.0
    return 0.5 if _WEAK_CUE.search(text) else 0.0


def adds_something(text: str) -> bool:
    """Return whether a message adds something to earlier ones."""
    return _ADDITION.search(text) is not None
