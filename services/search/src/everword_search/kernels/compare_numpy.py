"""Fallback for `compare.pyx` in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from everword_search.kernels.arrays import Floats, Ints, known

#: Maximum number of words of a question: one bit each.
MOST_WORDS = 64
_FARTHEST_PAIR = 8
#: Names of the features that `describe_turns` returns, in this order.
DESCRIBED = (
    *("sb", "de", "cov", "bg", "m_mention", "covm", "covw", "cov3", "cov_rare", "m_hit", "m_unk"),
    *("sb_p1", "de_p1", "sb_n1", "de_n1", "sb_p2", "de_p2", "sb_n2", "de_n2"),
    *("d_len", "d_q", "d_prevlen", "d_prevq", "d_pos", "d_last"),
)
Bits = npt.NDArray[np.uint64]


def match_words(
    words: npt.NDArray[np.uint32],
    begins: Ints,
    counts: Ints,
    asked: npt.NDArray[np.uint32],
    weights: Floats,
    pairs: Ints,
    names: npt.NDArray[np.uint32],
    k1: float,
    b: float,
    mean_length: float,
    pair_distance: int,
) -> tuple[Floats, Floats, Bits, Floats, Floats]:
    """Compare passages with a question; see `compare.pyx` for arguments and results."""
    passages, width = len(begins), len(asked)
    _check_words(len(words), begins, counts, (width, len(weights), *pairs.shape), pair_distance)
    # Passages may overlap and be in any order, so their words are copied into one array, passage after passage.
    passage_of = np.repeat(np.arange(passages), counts)
    before = np.cumsum(counts) - counts
    here = words[np.arange(len(passage_of)) + (begins - before)[passage_of]]
    columns = _columns(here, asked)
    occurring = columns >= 0
    slots = columns[occurring] * passages + passage_of[occurring]
    frequencies = np.bincount(slots, minlength=width * passages).reshape(width, passages)
    norm = k1 * (1 - b + b * counts / mean_length)
    weight = weights[:, None]
    total = weights.sum() or 1.0
    occurs = frequencies > 0
    told = weight * frequencies * (k1 + 1)
    bm25 = np.divide(told, frequencies + norm, out=told, where=occurs).sum(axis=0)
    coverage = (weight * occurs).sum(axis=0)
    bits = np.uint64(1) << np.arange(width, dtype=np.uint64)
    present = np.bitwise_or.reduce(occurs * bits[:, None], axis=0)
    close = _count_pairs(columns, passage_of, passages, pairs, pair_distance)
    mentions = np.zeros(passages)
    mentions[passage_of[np.isin(here, names)]] = 1.0
    return bm25 / (total * (k1 + 1)), coverage / total, present, close, mentions


def _check_words(
    words: int, begins: Ints, counts: Ints, sizes: tuple[int, ...], pair_distance: int
) -> None:
    """Raise ValueError for arrays of inconsistent sizes, and IndexError for words out of range."""
    width = sizes[0]
    if width > MOST_WORDS or set(sizes) != {width}:
        raise ValueError(
            f"{width} words: at most {MOST_WORDS} are compared, each with a weight and its pairs"
        )
    if len(counts) != len(begins):
        raise ValueError("each passage has a beginning and a number of words")
    if not 0 <= pair_distance <= _FARTHEST_PAIR:
        raise ValueError(
            f"pairs are looked for at a distance of up to {_FARTHEST_PAIR}, not {pair_distance}"
        )
    wrong = np.flatnonzero((begins < 0) | (counts < 0) | (counts > words - begins))
    if len(wrong):
        passage = wrong[0]
        raise IndexError(
            f"passage {passage} has {counts[passage]} words from {begins[passage]} of {words}"
        )


def _columns(words: npt.NDArray[np.uint32], asked: npt.NDArray[np.uint32]) -> Ints:
    """Return the index in `asked` of each word; -1 for words that were not asked for."""
    if not len(asked):
        return np.full(len(words), -1)
    order = np.argsort(asked)
    places = np.searchsorted(asked, words, sorter=order)
    columns = order[np.minimum(places, len(asked) - 1)]
    return np.where(asked[columns] == words, columns, -1)


def _count_pairs(
    columns: Ints, passage_of: Ints, passages: int, pairs: Ints, pair_distance: int
) -> Floats:
    """Return, for each passage, the number of distinct word pairs that are at most `pair_distance` apart."""
    most = int(pairs.max(initial=-1)) + 1
    found = [np.zeros(0, np.int64)]
    for distance in range(1, pair_distance + 1):
        first, second = columns[:-distance], columns[distance:]
        within = passage_of[:-distance] == passage_of[distance:]
        places = np.flatnonzero(within & (first >= 0) & (second >= 0))
        numbers = pairs[first[places], second[places]]
        found.append((passage_of[places] * most + numbers)[numbers >= 0])
    each_once = np.unique(np.concatenate(found))
    return np.bincount(each_once // max(1, most), minlength=passages).astype(np.float64)


def describe_turns(
    starts: Ints,
    sessions: Ints,
    bm25: Floats,
    coverage: Floats,
    present: Bits,
    close: Floats,
    mentions: Floats,
    cosines: Floats,
    weights: Floats,
    unknown: int,
    rarest: int,
    lengths: npt.NDArray[np.uint16],
    asks: npt.NDArray[Any],
    alone_share: float,
    meaning_share: float,
) -> tuple[Floats, Ints]:
    """Compute features of memories from their passages and the neighbouring turns; see `compare.pyx`."""
    _check_turns(
        starts,
        sessions,
        weights,
        (bm25, coverage, present, close, mentions, cosines, lengths, asks),
    )
    rare = np.bitwise_count(present & np.uint64(rarest)).astype(np.float64)
    held = np.bitwise_or.reduceat(present, starts)
    found = {
        "sb": np.maximum.reduceat(bm25, starts),
        # `fmax` ignores NaN, so the maximum is over known cosines.
        "de": np.fmax.reduceat(cosines, starts),
        "cov": np.maximum.reduceat(coverage, starts),
        "bg": np.maximum.reduceat(close, starts),
        "m_mention": np.maximum.reduceat(mentions, starts),
        "cov_rare": np.maximum.reduceat(rare, starts),
        "d_len": np.log1p(lengths[starts].astype(np.float64)),
        "d_q": (asks[starts] != 0).astype(np.float64),
    }
    found |= _combine_turns(found, sessions, held, weights, np.uint64(unknown), alone_share)
    best = _first_greatest(bm25 + meaning_share * known(cosines), starts)
    return np.array([found[name] for name in DESCRIBED]), best


def _check_turns(
    starts: Ints, sessions: Ints, weights: Floats, arrays: tuple[npt.NDArray[Any], ...]
) -> None:
    """Raise ValueError for arrays of inconsistent sizes."""
    if len(sessions) != len(starts) or len(weights) > MOST_WORDS:
        raise ValueError(f"each memory has a session, and a question at most {MOST_WORDS} words")
    passages = len(arrays[0])
    if any(len(each) != passages for each in arrays):
        raise ValueError(f"there are not {passages} passages in each array")
    if (starts < 0).any() or (np.diff(starts) < 1).any() or (starts >= passages).any():
        raise ValueError("each memory has passages that there are, after those of the one before")


def _first_greatest(values: Floats, starts: Ints) -> Ints:
    """Return the index of each memory's greatest value; the first among equal ones."""
    if not len(starts):
        return np.zeros(0, np.int64)
    counts = np.diff(starts, append=len(values))
    greatest = np.repeat(np.maximum.reduceat(values, starts), counts)
    places = starts[0] + np.flatnonzero(values[starts[0] :] == greatest)
    return np.asarray(places[np.searchsorted(places, starts)])


def _combine_turns(
    found: dict[str, Floats],
    sessions: Ints,
    held: Bits,
    weights: Floats,
    unknown: np.uint64,
    alone_share: float,
) -> dict[str, Floats]:
    """Return features of memories alone and together with neighbouring turns, and of those turns."""
    is_near = {far: _has_turn_at_distance(sessions, far) for far in (-2, -1, 1, 2)}
    alone = ~(is_near[-1] | is_near[1])

    def near(values: Floats, far: int) -> Floats:
        """Return a value of the turn at distance `far`; a memory without neighbours takes a share of its own value."""
        value = np.where(alone, alone_share * values, 0.0)
        return known(np.where(is_near[far], np.roll(values, -far), value))

    alongside = [np.where(is_near[far], np.roll(held, -far), np.uint64(0)) for far in (-1, 1)]
    together = held | alongside[0] | alongside[1]
    within = _share(together, weights)
    around = {"p1": -1, "n1": 1, "p2": -2, "n2": 2}
    return {
        "covm": _share(held, weights),
        "covw": within,
        "cov3": near(within, -1) + near(within, 1),
        "m_hit": np.bitwise_count(held).astype(np.float64),
        "m_unk": np.bitwise_count(unknown & ~together).astype(np.float64),
        "d_prevlen": np.where(is_near[-1], np.roll(found["d_len"], 1), 0.0),
        "d_prevq": np.where(is_near[-1], np.roll(found["d_q"], 1), 0.0),
        "d_pos": is_near[-1] + is_near[-2].astype(np.float64),
        "d_last": is_near[1] + is_near[2].astype(np.float64),
        **{
            f"{of}_{name}": near(found[of], far)
            for of in ("sb", "de")
            for name, far in around.items()
        },
    }


def _has_turn_at_distance(sessions: Ints, far: int) -> npt.NDArray[np.bool_]:
    """Return, for each memory, whether a turn at distance `far` is in the same session."""
    others = np.arange(len(sessions)) + far
    inside = (others >= 0) & (others < len(sessions))
    return np.asarray(inside & (np.roll(sessions, -far) == sessions))


def _share(masks: Bits, weights: Floats) -> Floats:
    """Return the weighted share of the words in each bit mask."""
    places = np.arange(len(weights), dtype=np.uint64)[:, None]
    told = (weights[:, None] * (masks >> places & np.uint64(1))).sum(axis=0)
    return np.asarray(told / (weights.sum() or 1.0))
