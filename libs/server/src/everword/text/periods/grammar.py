"""Combine tagged words into times by rules.

A rule is a regular expression over the tags, which `lexicon` lists, and a function that computes the time. The matched
tokens are replaced by one token with the tag X, which later rules combine with the words around it.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from everword.text.periods import dates, parts, relative_times
from everword.text.periods.lexicon import Token
from everword.text.periods.match import Builder, Match
from everword.text.periods.spans import Clock, Span

#: Lookbehind: the tags after which a word with several meanings, such as `spring`, names a time.
_BEFORE = "(?<=[iLTNpSBFuRrb&oedl.gG])"
#: Languages with `last` after its noun: `la semana pasada`.
_POSTPOSED = frozenset({"es", "fr", "it", "pt", "ar"})
Rule = tuple[regex.Pattern[str], Builder]


def _rule(pattern: str, build: Builder) -> Rule:
    return regex.compile(pattern), build


WORDS: Sequence[Rule] = (
    _rule("D", relative_times.read_day),
    _rule("Dg[nv]U|[nv]UgD", relative_times.read_day_ago),
    _rule("kn|jk", dates.read_calendar_week),
    _rule("Z", relative_times.read_moment),
    _rule("C", relative_times.read_calendar_unit),
    _rule("I", dates.read_digits),
    _rule("[LTN][UK]", relative_times.read_relative_unit),
    _rule("(?<=i)K(?![oRFBgi])", relative_times.read_bare_weekend),
    _rule("L[UK][oi][Mm](?:o?Y)?", parts.take_last_of_month),
    _rule("[edl]o?U(?!o)|jho?U(?!o?[oY])", parts.take_part_of_current),
    _rule("f[UKW]|[UKW]f", relative_times.read_before_last),
    _rule("(?:[LpT][nv]|[nv]?p|n[L])U", relative_times.read_rolling),
    _rule("i?[nv]?U[gG]", relative_times.read_ago),
    _rule("[gG][nv]?U(?![oBFM])", relative_times.read_ago),
    _rule("[io][nv]U(?![gGLBF])", relative_times.read_ahead),
    _rule("Wj|(?<=i)j", dates.read_day_of_month),
    _rule("n[VW]g", relative_times.read_weekdays_ago),
    _rule("[TN]W|(?<![jLn])W|LW(?!o)", relative_times.read_weekday),
    _rule("[LT]P", relative_times.read_part_of_today),
    _rule("(?:[LTN]|(?<=[iSuR]))w", relative_times.read_weekday),
    _rule("UW", dates.with_unit(relative_times.read_weekday)),
    _rule("[LTN]?M(?:o?Y)?", dates.read_month),
    _rule(f"(?:[LTN]|{_BEFORE})m(?:o?Y)?|mo?Y", dates.read_month),
    _rule("Uo?M(?:o?Y)?", dates.with_unit(dates.read_month)),
    _rule("[Mm][nj](?:[r&][nj])?(?:o?Y)?", dates.read_date),
    _rule("(?:[SR]?[nj][ur&])?[nj]o?[Mm](?:o?Y)?", dates.read_date),
    _rule(f"(?:[LTN]|{_BEFORE})[Aa](?:o?Y)?|[Aa]o?Y", dates.read_season),
    _rule("[LTN]?[Aa]U(?:o?Y)?", dates.read_term),
    _rule("[LTN]?H(?:o?Y)?", dates.read_holiday),
    _rule(f"{_BEFORE}Y", dates.read_year),
    _rule("Uo?Y", dates.with_unit(dates.read_year)),
    _rule("y", dates.read_decade),
    _rule("(?:q|jU)(?:o?Y)?", dates.read_quarter),
)
POSTPOSED_WORDS: Sequence[Rule] = (
    *WORDS,
    _rule("[UK][LTN]", relative_times.read_relative_unit),
    _rule("nUL|UnL", relative_times.read_rolling),
    _rule("U?W[LN]", relative_times.read_weekday),
    _rule("M[LN]", dates.read_month),
    _rule("[Aa][LTN]", dates.read_season),
    _rule("H[LN]", dates.read_holiday),
)
#: Languages without prepositions before seasons.
_BARE_SEASONS = frozenset({"ja", "zh", "ko", "hi"})
BARE_SEASON_WORDS: Sequence[Rule] = (*WORDS, _rule("A", dates.read_season))
THAI_WORDS: Sequence[Rule] = (
    _rule("[nv]UL", relative_times.read_ago),
    _rule("Wg", relative_times.read_weekday),
    *POSTPOSED_WORDS,
    _rule("A", dates.read_season),
)
TIMES: Sequence[Rule] = (
    _rule("(?:[edl][oi]?X|X[123])", parts.take_third),
    _rule("Xi?P|P[oi]?X", parts.take_part_of_day),
    _rule("P[Ro]?XrX|PrX", parts.take_night_between),
    _rule("KX|XK", parts.take_weekend_of_week),
    _rule("(?:j[UKWh][oi]?|L[UKWh][oi])X", parts.take_nth),
    _rule("[jL]nU[oi]?X", parts.take_several),
    _rule("(?<![njLv])[UK][oRS]X", parts.take_containing_unit),
    _rule("[nv]?U[BFg]X", parts.shift),
    _rule("X[BF]X", parts.take_adjacent_weekday),
)
#: Runs before TIMES: in `late June last year`, June is first combined with its year, and `late` takes a part of it.
INNER: Sequence[Rule] = (_rule("X[oi]?X", parts.combine),)
RELATIONS: Sequence[Rule] = (
    _rule("bX&X|[Ro]?XrX|RXuX|X[sr]Xt?", parts.join_range),
    _rule("[Bug]X|X[ct]|Xg", parts.open_start),
    _rule("[SGF]X|X[sz]", parts.open_end),
)


def words_rules(language: str) -> Sequence[Rule]:
    if language == "th":
        return THAI_WORDS
    if language in _BARE_SEASONS:
        return BARE_SEASON_WORDS
    return POSTPOSED_WORDS if language in _POSTPOSED else WORDS


def reduce_tokens(
    tokens: list[Token], rules: Sequence[Rule], clock: Clock, language: str
) -> list[Token]:
    """Replace matched tokens by tokens with the times that they name. Matches start at the left; the longest wins."""
    tags = "".join(each.tag for each in tokens)
    reduced: list[Token] = []
    index = 0
    while index < len(tokens):
        found = (
            None if tags[index] in "x." else _longest(tokens, tags, index, rules, clock, language)
        )
        if found is None:
            reduced.append(tokens[index])
            index += 1
            continue
        end, span = found
        matched = tokens[index:end]
        reduced.append(Token("X", span, matched[0].start, matched[-1].end, ""))
        index = end
    return reduced


def _longest(
    tokens: list[Token], tags: str, index: int, rules: Sequence[Rule], clock: Clock, language: str
) -> tuple[int, Span] | None:
    ends = [
        (match.end(), build) for pattern, build in rules if (match := pattern.match(tags, index))
    ]
    for end, build in sorted(ends, key=lambda each: -each[0]):
        around = tokens[index - 1] if index else None, tokens[end] if end < len(tokens) else None
        try:
            span = build(Match(tokens[index:end], *around, clock, language))
        except (ValueError, OverflowError, LookupError):
            continue  # An impossible date, such as 31 February.
        if span is not None and span.start < span.end:
            return end, span
    return None
