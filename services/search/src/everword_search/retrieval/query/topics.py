"""The topic of a request for a summary or for an order of events.

In “Can you give me a summary of how my weather app developed throughout our conversations?”, the words around the topic
occur in few answers, but would make up most of the query's vector.
"""

from __future__ import annotations

import re

from everword.text.analysis import folded_words
from everword.text.common_words import LANGUAGES_OF

#: Maximum characters of a request; a longer text is searched as it is.
_LONGEST = 1000
_ADJECTIVES = r"(?:[\w-]+\ ){0,3}?"
#: The beginning of a request for a summary or for an order, in English, German, Spanish and French.
_REQUEST = re.compile(
    rf"""\W*
    (?: (?:(?:can|could|would|will)\ you\ |please\ |i(?:['’]d|\ would)\ like\ |i\ (?:want|need)\ )*
        (?: (?:to\ )?(?:(?:give|provide|list|tell|show|walk|write|make|create|get|see|have)\ )?(?:me\ |us\ )?
            (?:with\ |through\ |out\ )?(?:(?:an?|the)\ {_ADJECTIVES})?
            (?:summary|overview|recap|timeline|order|chronology|sequence)\ (?:of|in\ which|on|about)
          | (?:to\ )?(?:summari[sz]e|recap|sum\ up) )
      | (?:in\ )?(?:what|which)\ (?:is\ |was\ )?(?:the\ )?order\ (?:in\ which|did|do|have)
      | (?:kannst\ du\ |können\ sie\ |gib\ |bitte\ )*(?:mir\ )?(?:bitte\ )?(?:(?:eine?n?|die|den)\ {_ADJECTIVES})?
        (?:zusammenfassung|überblick|chronologie)\ (?:von|über|der|des|davon)
      | (?:fass(?:e|t)?|kannst\ du)\ (?:mir\ )?(?:bitte\ )?zusammen
      | (?:(?:puedes|podrías|quiero)\ )?(?:darme\ |dame\ |hazme\ |hacerme\ |hacer\ )?(?:un\ |el\ ){_ADJECTIVES}
        (?:resumen|cronología|orden)\ (?:de|del|sobre|en\ que)
      | (?:(?:peux-tu|pouvez-vous|pourrais-tu)\ )?(?:me\ )?(?:faire\ |donner\ |fais-moi\ |donne-moi\ )?
        (?:un\ |une\ |le\ ){_ADJECTIVES}(?:résumé|récapitulatif|chronologie|aperçu)\ (?:de|du|des|sur)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
#: Words after the beginning that say nothing of the topic.
_LEAD = re.compile(
    r"""\W*(?:how|what|when|everything|all)?\ ?
    (?:(?:i|we|you)(?:['’]ve|\ have)?\ (?:brought\ up|bring\ up|mention(?:ed)?|discuss(?:ed)?|raised?|covered?
        |(?:talked?|asked?|learn(?:ed|t)?)(?:\ about)?|worked\ on|handled)\ )?(?:about\ |on\ )?
    (?:(?:the|different|various|several)\ )*
    (?:(?:aspects?|topics?|parts?|concepts?|things?|points?|steps?|ideas?)\ (?:of|about|related\ to|in|on|for)\ )?""",
    re.IGNORECASE | re.VERBOSE,
)
#: Words that name the stored conversations as a whole, and instructions on the form of the answer.
_REST = re.compile(
    r"""(?:,\ )?(?:(?:throughout|across|in|through|during|over)\ )?\b(?:all\ )?(?:of\ )?our\ (?:\w+\ )?
      (?:conversations?|discussions?|chats?|sessions?)
    | (?:that\ )?(?:we|i)(?:['’]ve|\ have)\ (?:discussed|covered|talked\ about|worked\ (?:on|through))
    | \bso\ far\b | ,?\ in\ (?:chronological\ )?order\b | \b(?:has|have)\ (?:progressed|developed|evolved)\b
    | \bincluding\b(?:\ the\b)?(?:\ (?:key|main)\b)?
    | (?<=[.?!])\ (?:please\ )?(?:mention|list|name|include|use|limit|keep)\b[^.?!]*
      \b(?:only|exactly|at\ most|items?|points?|sentences|words)\b[^.?!]*""",
    re.IGNORECASE | re.VERBOSE,
)


def topic_of(text: str) -> str:
    """Return the topic of a request for a summary or an order; other texts, and requests without topic, unchanged."""
    begin = _REQUEST.match(text) if len(text) <= _LONGEST else None
    if begin is None:
        return text
    lead = _LEAD.match(text, begin.end())
    topic = " ".join(_REST.sub(" ", text[lead.end() if lead else begin.end() :]).split())
    if all(word in LANGUAGES_OF for word in folded_words(topic)):
        return text
    # In a question, there are no operators.
    return f"{topic.rstrip(' ?.')}?" if "?" in text else topic
