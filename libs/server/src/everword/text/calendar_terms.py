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
