"""Words of the calendar: names of months, days and seasons, small numbers, and words for the days around today."""

from __future__ import annotations

#: English, from January.
MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
#: English, from Monday.
WEEKDAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: First month of a season in the north, by its English name.
SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
#: English numbers from one to twelve.
COUNT_WORDS = {
    word: number
    for number, word in enumerate(
        [
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        start=1,
    )
}
_LINES = (
    " ".join(MONTH_NAMES),
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feber mrz apr mai jun jul aug sept okt nov dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
)
#: Month from 1 to 12 by name, in some languages.
MONTHS = {name: month for line in _LINES for month, name in enumerate(line.split(), start=1)}
#: Words before "month" or "year" that count from the present one.
_NEXT_WORDS = """
next following coming nächster nächsten nächstes nächste prochain prochaine próximo próxima prossimo volgende
"""
_LAST_WORDS = """
last previous past letzter letzten letztes letzte vorigen dernier dernière pasado passado scorso afgelopen vorige
"""
NEXT = frozenset(_NEXT_WORDS.split())
LAST = frozenset(_LAST_WORDS.split())
MONTH_WORDS = frozenset(["month", "monat", "mois", "mes", "mese", "mês", "maand"])
YEAR_WORDS = frozenset(["year", "jahr", "année", "an", "año", "anno", "ano", "jaar"])
#: Days from today, by word.
NEAR_DAYS = {
    **dict.fromkeys(
        ["yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "gisteren", "昨"], -1
    ),
    **dict.fromkeys(["tomorrow", "morgen", "demain", "mañana", "domani", "amanhã", "明"], 1),
}
