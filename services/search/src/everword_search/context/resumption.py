"""Recognise questions for the end of the last conversation that name no topic, such as `Where were we?`. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from everword.text.analysis import folded_words
from everword.text.attribution_words import WORDS
from everword.text.common_words import LANGUAGES_OF

#: Maximum words of such a question.
_MOST_WORDS = 15


@dataclass(frozen=True)
class _Language:
    #: Words of a greeting, besides `WORDS` and the most common words of the language.
    greeting: frozenset[str]
    #: Phrases that ask for the last conversation, cut at apostrophes.
    phrases: tuple[str, ...]
    #: Words without a topic that may be in a question with such a phrase.
    neutral: frozenset[str]


def _language(greeting: str, phrases: str, neutral: str) -> _Language:
    listed = tuple(phrase.strip() for phrase in phrases.split("|"))
    own = {word for phrase in listed for word in phrase.split()}
    return _Language(
        frozenset(greeting.split()), listed, frozenset([*greeting.split(), *neutral.split(), *own])
    )


_LANGUAGES = {
    "en": _language(
        "again afternoon day evening everyone how let ll m morning night now ok okay re s so there today"
        " ve welcome yes",
        "last time | last session | last conversation | last chat | last discussion | left off | leave off"
        " | let s go on | continue | carry on | pick up | resume | recap | catch me up | did we stop | we stopped"
        " | we were doing | we were at | were we doing | were we working | were we talking | were we discussing"
        " | were we saying | did we decide | did we discuss | did we talk | did we agree | what s next"
        " | what is next | next step | what s open | what s left | previous session | previous conversation",
        "ago agreed back can could d discussed done end finish finished forget forgot go going had have last please"
        " ready remember remind said say start still stop stopped summarise summarize summary t talked tell things"
        " think tasks todo want where working worked yesterday",
    ),
    "de": _language(
        "abend guten heute hi ja jetzt morgen mal nochmal ok okay tag wieder wo",
        "letztes mal | letzten mal | letzte sitzung | letzten sitzung | letztes gespräch | letzten gespräch"
        " | waren wir | waren wir stehen geblieben | stehen geblieben | stehengeblieben | aufgehört | weitermachen"
        " | machen wir weiter | geht es weiter | lass uns weiter | haben wir besprochen | haben wir zuletzt"
        " | zusammenfassung",
        "besprochen bitte es gemacht geredet gesprochen gerade gestern hatten kannst mich mir nächstes offen uns"
        " unsere unser weiter woran worüber zu zuletzt zurück",
    ),
    "fr": _language(
        "bonjour bonsoir encore matin oui soir où maintenant",
        "dernière fois | dernière session | dernière conversation | en étions | en était | continuons | on continue"
        " | reprenons | reprendre | nous étions nous arrêtés | résumé",
        "avons arrêtés arrêté discuté dit décidé fait hier nous parlé peux quoi rappelle étions était",
    ),
    "es": _language(
        "ahora buenas buenos días hola noches tardes todo",
        "última vez | última sesión | última conversación | nos quedamos | lo dejamos | continuemos | continuamos"
        " | sigamos | seguimos | dónde estábamos | donde estabamos | resumen",
        "ayer decidimos dejamos dijimos dónde donde estábamos hablamos hicimos qué recuérdame",
    ),
    "it": _language(
        "adesso buonasera buongiorno giorno ora sì",
        "ultima volta | scorsa volta | ultima sessione | ultima conversazione | eravamo rimasti | dove eravamo"
        " | continuiamo | riprendiamo | riassunto",
        "abbiamo ci cosa detto deciso dove eravamo fatto ieri l parlato ricordami",
    ),
    "pt": _language(
        "agora boa bom dia hoje noite tarde",
        "última vez | última sessão | última conversa | paramos | onde estávamos | continuemos | continuamos | resumo",
        "decidimos dissemos estávamos falamos fizemos lembra me onde ontem",
    ),
    "nl": _language(
        "avond dag goede goedemorgen ja middag nu vandaag waar weer",
        "vorige keer | laatste keer | vorige sessie | vorige gesprek | waren we gebleven | gingen we verder"
        " | we verder | samenvatting | doorgaan",
        "besproken deden gebleven gedaan gezegd gisteren hadden hebben laten waar waren wat we",
    ),
}


def asks_to_resume(text: str, names: Iterable[str]) -> bool:
    """Return whether a question asks for the last conversation or only greets, in one of the languages above.

    Parts of `names`, such as the agent's name, are no topic.
    """
    words = [word for word in folded_words(text) if not word.isdecimal()]
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    known = {word for name in names for word in folded_words(name)} | WORDS["greetings"]
    joined = f" {' '.join(words)} "
    for code, language in _LANGUAGES.items():
        unknown = {w for w in words if w not in known and code not in LANGUAGES_OF.get(w, ())}
        if unknown <= language.greeting:
            return True
        if unknown <= language.neutral and any(f" {each} " in joined for each in language.phrases):
            return True
    return False
