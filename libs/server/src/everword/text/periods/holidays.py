"""The days of a holiday in a year.

Holidays of lunar calendars are listed here, because the package `holidays` has 14 MB, and its calendars are not part of
its public API. Islamic holidays follow the arithmetic calendar, which differs from observed dates by up to a day;
therefore their periods are longer by a day on either side.
"""

from __future__ import annotations

from datetime import date

from everword.text.periods.spans import DAY, Yearly

#: Year of the first entry of each list.
_FIRST_LISTED = 2001
_LISTS = {
    "diwali": """
        1114 1104 1025 1112 1101 1021 1109 1028 1017 1105 1026 1113 1103 1023 1111 1030 1019 1107
        1027 1114 1104 1024 1112 1031 1020 1108 1029 1017 1105 1026 1114 1102 1022 1110 1030
    """,
    "holi": """
        0310 0329 0318 0307 0326 0315 0304 0322 0311 0301 0320 0308 0327 0317 0306 0324 0313 0302
        0321 0310 0329 0318 0308 0325 0314 0304 0322 0311 0301 0320 0309 0327 0316 0305 0324
    """,
    "lunar new year": """
        0124 0212 0201 0122 0209 0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208 0128 0216
        0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131 0219 0208
    """,
    "mid-autumn": """
        1001 0921 0911 0928 0918 1006 0925 0914 1003 0922 0912 0930 0919 0908 0927 0915 1004 0924
        0913 1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916
    """,
    "passover": """
        0408 0328 0417 0406 0424 0413 0403 0420 0409 0330 0419 0407 0326 0415 0404 0423 0411 0331
        0420 0409 0328 0416 0406 0423 0413 0402 0422 0411 0331 0418 0408 0327 0414 0404 0424
    """,
    "rosh hashanah": """
        0918 0907 0927 0916 1004 0923 0913 0930 0919 0909 0929 0917 0905 0925 0914 1003 0921 0910
        0930 0919 0907 0926 0916 1003 0923 0912 1002 0921 0910 0928 0918 0906 0924 0914 1004
    """,
    "yom kippur": """
        0927 0916 1006 0925 1013 1002 0922 1009 0928 0918 1008 0926 0914 1004 0923 1012 0930 0919
        1009 0928 0916 1005 0925 1012 1002 0921 1011 0930 0919 1007 0927 0915 1003 0923 1013
    """,
    "hanukkah": """
        1222 1210 1130 1220 1208 1226 1216 1205 1222 1212 1202 1221 1209 1128 1217 1207 1225 1213
        1203 1223 1211 1129 1219 1208 1226 1215 1205 1225 1213 1202 1221 1210 1128 1217 1207
    """,
}
_LISTED = {name: lines.split() for name, lines in _LISTS.items()}
#: Days of a holiday's period before its main day, and from the main day on. Other holidays have one day.
_DAYS_AROUND = {
    "diwali": (1, 4), "lunar new year": (1, 7), "passover": (0, 8), "rosh hashanah": (0, 2),
    "hanukkah": (0, 8), "ramadan": (0, 30), "eid al-fitr": (1, 4), "eid al-adha": (1, 5),
    "christmas": (1, 3), "new year": (1, 2), "thanksgiving": (0, 4), "easter": (2, 2),
    "easter holidays": (8, 8), "carnival": (5, 7), "pentecost": (1, 2), "golden week": (0, 7), "obon": (0, 4),
    "songkran": (0, 3), "may holidays": (0, 9), "end of the year": (0, 5), "holy week": (0, 8),
    "lent": (0, 46), "christmas holidays": (4, 9), "pentecost holidays": (1, 14), "summer holidays": (0, 77),
    "autumn holidays": (0, 31), "winter holidays": (0, 35), "turn of the year": (3, 3),
    "national day": (0, 7), "mid-autumn": (1, 2),
}  # fmt: skip
#: Month and day.
_FIXED = {
    "new year": (1, 1), "new year's day": (1, 1), "epiphany": (1, 6), "valentine's day": (2, 14), "women's day": (3, 8),
    "st patrick's day": (3, 17), "april fools": (4, 1), "may day": (5, 1), "constitution day": (5, 17),
    "cinco de mayo": (5, 5), "juneteenth": (6, 19), "midsummer": (6, 24), "independence day": (7, 4),
    "bastille day": (7, 14), "assumption": (8, 15), "german unity day": (10, 3), "halloween": (10, 31),
    "all saints": (11, 1), "day of the dead": (11, 2), "guy fawkes": (11, 5), "veterans day": (11, 11),
    "st nicholas": (12, 6), "christmas eve": (12, 24), "christmas": (12, 25), "christmas day": (12, 25),
    "boxing day": (12, 26), "new year's eve": (12, 31), "golden week": (4, 29), "obon": (8, 13),
    "songkran": (4, 13), "may holidays": (5, 1), "victory day": (5, 9), "end of the year": (12, 27),
    "three kings": (1, 6), "national day": (10, 1), "christmas holidays": (12, 25), "summer holidays": (6, 20),
    "autumn holidays": (10, 1), "winter holidays": (1, 25), "turn of the year": (1, 1),
}  # fmt: skip
#: Month, weekday and the week of the month; -1 is the last.
_WEEKDAYS = {
    "martin luther king day": (1, 0, 3), "presidents day": (2, 0, 3), "mother's day": (5, 6, 2),
    "memorial day": (5, 0, -1), "father's day": (6, 6, 3), "labor day": (9, 0, 1), "columbus day": (10, 0, 2),
    "thanksgiving": (11, 3, 4), "canadian thanksgiving": (10, 0, 2),
}  # fmt: skip
#: Days after Easter Sunday; negative before it.
_AROUND_EASTER = {
    "easter": 0, "easter holidays": 0, "good friday": -2, "easter monday": 1, "ash wednesday": -46, "palm sunday": -7,
    "carnival": -47, "ascension": 39, "pentecost": 49, "corpus christi": 60, "holy week": -7,
    "lent": -46, "pentecost holidays": 49, "easter saturday": -1, "easter sunday": 0, "whit sunday": 49,
    "whit monday": 50,
}  # fmt: skip
#: Month and day of the Islamic calendar.
_ISLAMIC = {"ramadan": (9, 1), "eid al-fitr": (10, 1), "eid al-adha": (12, 10), "ashura": (1, 10)}
_ISLAMIC_EPOCH = 227_015
_ISLAMIC_YEAR_DAYS = 354
HOLIDAYS = frozenset(
    {*_LISTED, *_FIXED, *_WEEKDAYS, *_AROUND_EASTER, *_ISLAMIC, "black friday", "advent"}
)


def days_around(name: str) -> tuple[int, int]:
    """Return the number of days of a holiday's period before its main day, and from the main day on."""
    return _DAYS_AROUND.get(name, (0, 1))


def holiday_days(name: str) -> Yearly:
    """Return a function from a year to the days of a holiday.

    The function raises LookupError or ValueError if the day in that year is unknown.
    """
    before, after = days_around(name)

    def of_year(year: int) -> tuple[date, date]:
        if name == "advent":
            christmas = date(year, 12, 25)
            return christmas - (22 + christmas.weekday()) * DAY, christmas
        day = _day(name, year)
        return day - before * DAY, day + after * DAY

    return of_year


def _day(name: str, year: int) -> date:
    if name in _LISTED:
        if year < _FIRST_LISTED:
            raise LookupError(year)
        listed = _LISTED[name][year - _FIRST_LISTED]
        return date(year, int(listed[:2]), int(listed[2:]))
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name in _AROUND_EASTER:
        return easter(year) + _AROUND_EASTER[name] * DAY
    if name in _ISLAMIC:
        return _islamic(year, *_ISLAMIC[name])
    if name == "black friday":
        return nth_weekday(year, 11, 3, 4) + DAY
    return nth_weekday(year, *_WEEKDAYS[name])


def nth_weekday(year: int, month: int, weekday: int, week: int) -> date:
    """Return the n-th weekday of a month; the last for -1."""
    first = date(year, month, 1)
    day = first + (weekday - first.weekday()) % 7 * DAY + (week - 1 if week > 0 else 4) * 7 * DAY
    if day.month != month:
        if week > 0:
            raise ValueError("the month has no such week")
        day -= 7 * DAY
    return day


def easter(year: int) -> date:
    """Return Easter Sunday by the Gregorian calendar (Anonymous Gregorian algorithm)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7  # noqa: E741 - named as in the algorithm
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def _islamic(year: int, month: int, day: int) -> date:
    """Return the first such day of the arithmetic Islamic calendar in a Gregorian year."""
    islamic = (year - 622) * 33 // 32 - 1
    while True:
        before_month = 29 * (month - 1) + month // 2
        number = day + before_month + _ISLAMIC_YEAR_DAYS * (islamic - 1) + (3 + 11 * islamic) // 30
        found = date.fromordinal(_ISLAMIC_EPOCH + number - 1)
        if found.year >= year:
            return found
        islamic += 1
