"""The most common words of some languages: they identify the language of a text, and say nothing about its topic."""

from __future__ import annotations

from collections.abc import Iterable

_LINES = {
    "en": """
the and of to in is was for that it with on as at by be are from this has have had not he she his her they their them
but or an which who will would can could should been were when where what about after before into than then there
these those while because so if its it's i you we my your our me him us do does did got get all any some more most no
also just only other over same such very too up out off per via near between during since until during both each few
own still
""",
    "de": """
der die das und ist nicht ein eine einen einem einer den dem des im mit auf für sich von zu war hat auch wird bei nach
er sie es ich wir ihr aus an als dass wie oder aber noch nur so um am zur zum haben sind sein seine ihre werden wurde
kein keine wenn über vor bis durch mein dein dann da was wer in
""",
    "fr": """
le la les des et est un une dans que qui pour pas sur avec du au aux elle il ils elles ont a été son sa ses par ce
cette ces de d l je tu nous vous on en ne se plus ou où mais comme sont être avoir mon ton dit y leur leurs
""",
    "es": """
el la los las y es un una en que de por para con no su sus se lo del al fue ha han más como pero o yo tú él ella
nosotros mi tu me te le les este esta son ser está muy ya hay
""",
    "it": """
il lo la gli le i e è un una di che in per con non si del della dei delle al alla ai ha sono nel nella suo sua dal da
ma o come più mi ti io tu lui lei noi anche questo questa
""",
    "pt": """
o a os as e é um uma em que de para com não se do da dos das no na nos nas foi ao por mais seu sua mas ou como eu ele
ela nós me este esta são ser está muito já
""",
    "nl": """
de het een en is van in dat op te zijn voor met niet aan er om was bij ook heeft naar hij ze ik we wij maar of als die
dit deze uit worden werd mijn zijn haar nog
""",
}
#: Languages by word, in lower case.
LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _LINES.items():
    for _word in set(_words.split()):
        LANGUAGES_OF[_word] = (*LANGUAGES_OF.get(_word, ()), _language)


def language_of(words: Iterable[str]) -> str:
    """Return the language whose common words occur most among lower-case words; empty if none do."""
    counts = dict.fromkeys(_LINES, 0)
    for word in words:
        for language in LANGUAGES_OF.get(word, ()):
            counts[language] += 1
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else ""
