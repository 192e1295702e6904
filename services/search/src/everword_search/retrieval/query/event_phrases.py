"""Decide whether the words after `before` or `after` in a question name an event. Pure.

`After the wedding` names a time; `after the login page` names a place in a sequence. Only the former is worth another
search. Clauses (`after I moved`) and phrases with a distance (`the week after the launch`) always name a time.
"""

from __future__ import annotations

import regex

from everword.text.analysis import folded_words
from everword.text.periods import Event

#: Nouns of events, by which a question in the present tense names a time: "What do I eat since my surgery?"
_EVENT_NOUNS = """
accident appointment birth birthday breakup call campaign ceremony conference concert crash cutover death deployment
diagnosis dinner divorce election emergency exam festival fire flight flood funeral game graduation holiday honeymoon
illness incident injury interview launch lockdown lunch marathon match meeting merger migration move offsite operation
outage pandemic party pregnancy presentation promotion race release retirement roadtrip show storm strike surgery tour
tournament training treatment trip upgrade vacation visit walk war wedding workshop
"""
#: Nouns of things that follow one another on a screen, in a text or program, or along a way.
_THING_NOUNS = """
article banner block box bracket bridge brackets button callback cell chapter character checkbox church colon column
comma component corner dialog directory element entry field file footer form frame function gateway handler header
heading icon image input item junction key label layer letter line link list login logo loop menu method middleware
modal module name navbar node number option page panel paragraph parameter parser part path picture popup prefix prompt
proxy query question record roundabout route row screen section semicolon sentence server sidebar sign slash slide space
statement station step string suffix symbol tab table tag text title token toolbar url value variable wall widget window
word absatz abschnitt ansicht auffassung ausfahrt bahnhof bild brücke buchstabe datei doppelpunkt ecke eintrag feld
formular funktion kapitel klammer knopf komma kopfzeile kreuzung leerzeichen liste meinung menü name punkt satz
schaltfläche schritt seite spalte tabelle taste titel überschrift wort zahl zeile zeichen botón campo capítulo coma
columna estación fila formulario función línea menú opción página palabra pantalla paso puente sección tabla título
bouton champ chapitre colonne écran étape fichier fonction formulaire gare ligne mot pont titre virgule felt knapp
kapittel kolonne komma linje ord rad side skjema skjerm stasjon steg
"""
#: First words of a clause, whose verb says that something happened.
_SUBJECT_WORDS = (
    "i we he she they ich wir er sie yo me mudarme irme casarme je nous il elle jeg vi han hun"
)
#: The noun of a phrase is before these words: `the page of the wedding`, `the form that I sent`.
_WORDS_AFTER_NOUN = """
at by for from in of on that to when where which who with von vom mit für im am zu zum der des que de del en con para
qui dans avec pour som av med på i til
"""
_EVENTS, _THINGS, _SUBJECTS, _AFTER_NOUN = (
    frozenset(words.split())
    for words in (_EVENT_NOUNS, _THING_NOUNS, _SUBJECT_WORDS, _WORDS_AFTER_NOUN)
)
#: A question in the present tense is about a sequence, unless its words name an event.
_PRESENT = regex.compile(
    r"\b(?:is|are|do|does|comes?|goes|go|shows?|happens|runs?|follows?|appears?|should|can|must)\b",
    regex.IGNORECASE,
)
_PAST = regex.compile(
    r"\b(?:did|was|were|had|has|have|happened|said|told|went|\p{L}{2,}ed)\b", regex.IGNORECASE
)
_SENTENCE_END = regex.compile(r"[.!?。！？؟…](?=\s|$)")


def names_event(question: str, event: Event) -> bool:
    """Return whether the words that `find_event` found in a question name something that happened."""
    if not _is_asked(question, event.words):
        return False
    words = folded_words(event.words)
    if event.unit or not words or words[0] in _SUBJECTS:
        return True
    noun_phrase = _noun_phrase(words)
    if not _EVENTS.isdisjoint(noun_phrase):
        return True
    before = question[: question.find(event.words)]
    return _THINGS.isdisjoint(noun_phrase) and not (
        _PRESENT.search(before) and not _PAST.search(question)
    )


def _is_asked(text: str, words: str) -> bool:
    """Return whether the words are in a question, or in a text without one, such as `notes before the launch`."""
    if "?" not in text:
        return not _SENTENCE_END.search(text.strip()[:-1])
    end = _SENTENCE_END.search(text, text.find(words) + len(words))
    return end is not None and end[0] == "?"


def _noun_phrase(words: list[str]) -> list[str]:
    """Return the words up to the noun; the article and a preposition that begins the phrase are no limit."""
    for place, word in enumerate(words[1:], 1):
        if word in _AFTER_NOUN:
            return words[:place]
    return words
