# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Comparison of passages with a question, and of memories with the turns next to them.

Compiled, because a search examines some thousand passages of thirty words each, which takes a hundred passes over
arrays in numpy.
"""

import numpy as np

from libc.math cimport isnan, log1p
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    int popcount "__builtin_popcountll"(unsigned long long) nogil

cdef enum:
    MOST_BITS = 64
    # Size of a table of the last bits of the question's hashes; it rejects nearly all words of a passage at once.
    ENDINGS = 4096
    FARTHEST_PAIR = 8

#: Maximum number of words of a question: one bit each.
MOST_WORDS = MOST_BITS


def match_words(
    const uint32_t[::1] words,
    const int64_t[::1] begins,
    const int64_t[::1] counts,
    const uint32_t[::1] asked,
    const double[::1] weights,
    const int64_t[:, ::1] pairs,
    const uint32_t[::1] names,
    double k1,
    double b,
    double mean_length,
    int64_t pair_distance,
):
    """Compare passages with a question.

    All words are hashes. Passage n has the `counts[n]` words from index `begins[n]` of `words`. Of the question,
    `asked` has the distinct words, `weights` their weights, `pairs[i, j]` the number of the pair if words i and j are
    adjacent in the question (else -1), and `names` the words that name authors.

    Return five arrays with an element per passage: BM25, and the weighted share of the question's words that occur,
    both from 0 to 1; the words that occur, as bits; the number of distinct pairs at most `pair_distance` apart; and 1
    if a name is mentioned, else 0. Raises ValueError for more than `MOST_WORDS` words and for inconsistent sizes, and
    IndexError for words out of range.
    """
    cdef Py_ssize_t passages = begins.shape[0], width = asked.shape[0]
    if width > MOST_WORDS or weights.shape[0] != width or pairs.shape[0] != width or pairs.shape[1] != width:
        raise ValueError(f"{width} words: at most {MOST_WORDS} are compared, each with a weight and its pairs")
    if counts.shape[0] != passages:
        raise ValueError("each passage has a beginning and a number of words")
    if not 0 <= pair_distance <= FARTHEST_PAIR:
        raise ValueError(f"pairs are looked for at a distance of up to {FARTHEST_PAIR}, not {pair_distance}")
    bm25_ = np.zeros(passages)
    coverage_ = np.zeros(passages)
    present_ = np.zeros(passages, np.uint64)
    close_ = np.zeros(passages)
    mentions_ = np.zeros(passages)
    cdef double[::1] bm25 = bm25_, coverage = coverage_, close = close_, mentions = mentions_
    cdef uint64_t[::1] present = present_
    cdef uint8_t maybe[ENDINGS]
    cdef int64_t frequency[MOST_BITS]
    # The last passage in which each pair, by its number, was counted.
    seen_ = np.full(max(1, int(np.max(pairs, initial=-1)) + 1), -1, np.int64)
    cdef int64_t[::1] seen = seen_
    # The latest occurrences of the question's words; older ones are too far away to form a pair.
    cdef int64_t places[FARTHEST_PAIR]
    cdef int64_t columns[FARTHEST_PAIR]
    cdef Py_ssize_t passage, column, back, kept, near = pair_distance
    cdef int64_t place, begin, end, number, total_words = words.shape[0]
    cdef double total = 0.0, norm, sum_, covered
    cdef uint32_t word
    cdef uint64_t mask
    for column in range(width):
        total += weights[column]
    if total == 0.0:
        total = 1.0
    memset(maybe, 0, ENDINGS)
    for column in range(width):
        maybe[asked[column] % ENDINGS] = 1
    for column in range(names.shape[0]):
        maybe[names[column] % ENDINGS] |= 2
    for passage in range(passages):
        begin = begins[passage]
        if begin < 0 or counts[passage] < 0 or counts[passage] > total_words - begin:
            raise IndexError(f"passage {passage} has {counts[passage]} words from {begin} of {total_words}")
        end = begin + counts[passage]
        mask, kept = 0, 0
        for place in range(begin, end):
            word = words[place]
            if not maybe[word % ENDINGS]:
                continue
            if maybe[word % ENDINGS] & 2:
                for column in range(names.shape[0]):
                    if names[column] == word:
                        mentions[passage] = 1.0
                        break
            for column in range(width):
                if asked[column] == word:
                    break
            else:
                continue
            if mask >> column & 1:
                frequency[column] += 1
            else:
                mask |= (<uint64_t>1) << column
                frequency[column] = 1
            for back in range(kept):
                if place - places[back] <= pair_distance:
                    number = pairs[columns[back], column]
                    if number >= 0 and seen[number] != passage:
                        seen[number] = passage
                        close[passage] += 1.0
            if kept == near:
                for back in range(kept - 1):
                    places[back], columns[back] = places[back + 1], columns[back + 1]
                kept -= 1
            if near:
                places[kept], columns[kept] = place, column
                kept += 1
        norm = k1 * (1 - b + b * counts[passage] / mean_length)
        sum_ = covered = 0.0
        for column in range(width):
            if mask >> column & 1:
                sum_ += weights[column] * frequency[column] * (k1 + 1) / (frequency[column] + norm)
                covered += weights[column]
        bm25[passage] = sum_ / (total * (k1 + 1))
        coverage[passage] = covered / total
        present[passage] = mask
    return bm25_, coverage_, present_, close_, mentions_


#: Names of the features that `describe_turns` returns, in this order.
DESCRIBED = (
    *("sb", "de", "cov", "bg", "m_mention", "covm", "covw", "cov3", "cov_rare", "m_hit", "m_unk"),
    *("sb_p1", "de_p1", "sb_n1", "de_n1", "sb_p2", "de_p2", "sb_n2", "de_n2"),
    *("d_len", "d_q", "d_prevlen", "d_prevq", "d_pos", "d_last"),
)
cdef enum:
    SB, DE, COV, BG, MENTION, COVM, COVW, COV3, COV_RARE, HIT, UNKNOWN
    SB_P1, DE_P1, SB_N1, DE_N1, SB_P2, DE_P2, SB_N2, DE_N2
    LENGTH, ASKS, LENGTH_BEFORE, ASKS_BEFORE, BEFORE, AFTER
    FEATURES


def describe_turns(
    const int64_t[::1] starts,
    const int64_t[::1] sessions,
    const double[::1] bm25,
    const double[::1] coverage,
    const uint64_t[::1] present,
    const double[::1] close,
    const double[::1] mentions,
    const double[::1] cosines,
    const double[::1] weights,
    uint64_t unknown,
    uint64_t rarest,
    const uint16_t[:] lengths,
    const uint8_t[:] asks,
    double alone_share,
    double meaning_share,
):
    """Compute features of memories from their passages and the neighbouring turns.

    Memory n has the passages from `starts[n]` to before `starts[n + 1]`. Memories are ordered by `sessions`; those with
    the same number are consecutive turns without gaps. `bm25` to `mentions` are results of `match_words`; `lengths` (in
    words) and `asks` (not 0 for a question) are those of each passage's message. `unknown` and `rarest` are bits of
    words. A memory without neighbours takes `alone_share` of its own values as theirs. A memory's best passage has the
    largest sum of BM25 and `meaning_share` times its cosine.

    Return an array with a row for each of `DESCRIBED` and a column per memory, and the index of each memory's best
    passage.
    """
    cdef Py_ssize_t memories = starts.shape[0], passages = bm25.shape[0], memory, passage, end
    if sessions.shape[0] != memories or weights.shape[0] > MOST_WORDS:
        raise ValueError(f"each memory has a session, and a question at most {MOST_WORDS} words")
    if not (
        coverage.shape[0] == present.shape[0] == close.shape[0] == mentions.shape[0] == passages
        and cosines.shape[0] == lengths.shape[0] == asks.shape[0] == passages
    ):
        raise ValueError(f"there are not {passages} passages in each array")
    for memory in range(memories):
        if starts[memory] < (starts[memory - 1] + 1 if memory else 0) or starts[memory] >= passages:
            raise ValueError("each memory has passages that there are, after those of the one before")
    found_ = np.empty((FEATURES, memories))
    best_ = np.empty(memories, np.int64)
    held_ = np.empty(memories, np.uint64)
    cdef double[:, ::1] found = found_
    cdef int64_t[::1] best = best_
    cdef uint64_t[::1] held = held_
    cdef uint64_t mask
    cdef double value, greatest
    for memory in range(memories):
        passage = starts[memory]
        end = starts[memory + 1] if memory + 1 < memories else passages
        found[LENGTH, memory] = log1p(lengths[passage])
        found[ASKS, memory] = 1.0 if asks[passage] else 0.0
        found[SB, memory] = bm25[passage]
        found[DE, memory] = cosines[passage]
        found[COV, memory] = coverage[passage]
        found[BG, memory] = close[passage]
        found[MENTION, memory] = mentions[passage]
        found[COV_RARE, memory] = popcount(present[passage] & rarest)
        mask, best[memory], greatest = present[passage], passage, -1e300
        for passage in range(starts[memory], end):
            mask |= present[passage]
            found[SB, memory] = max(found[SB, memory], bm25[passage])
            found[COV, memory] = max(found[COV, memory], coverage[passage])
            found[BG, memory] = max(found[BG, memory], close[passage])
            found[MENTION, memory] = max(found[MENTION, memory], mentions[passage])
            value = popcount(present[passage] & rarest)
            found[COV_RARE, memory] = max(found[COV_RARE, memory], value)
            value = cosines[passage]
            if not isnan(value) and not (found[DE, memory] >= value):
                found[DE, memory] = value
            value = bm25[passage] + (0.0 if isnan(value) else meaning_share * value)
            if value > greatest:
                best[memory], greatest = passage, value
        held[memory] = mask
    _look_around(starts.shape[0], sessions, held, weights, unknown, alone_share, found)
    return found_, best_


cdef _look_around(
    Py_ssize_t memories,
    const int64_t[::1] sessions,
    const uint64_t[::1] held,
    const double[::1] weights,
    uint64_t unknown,
    double alone_share,
    double[:, ::1] found,
):
    """Fill in the features of memories alone and together with neighbouring turns, and of those turns."""
    cdef Py_ssize_t memory
    cdef bint before, after
    cdef uint64_t together
    cdef double total = 0.0
    for memory in range(weights.shape[0]):
        total += weights[memory]
    if total == 0.0:
        total = 1.0
    for memory in range(memories):
        before = memory > 0 and sessions[memory - 1] == sessions[memory]
        after = memory + 1 < memories and sessions[memory + 1] == sessions[memory]
        together = held[memory]
        if before:
            together |= held[memory - 1]
        if after:
            together |= held[memory + 1]
        found[COVM, memory] = _share(held[memory], weights, total)
        found[COVW, memory] = _share(together, weights, total)
        found[HIT, memory] = popcount(held[memory])
        found[UNKNOWN, memory] = popcount(unknown & ~together)
        found[LENGTH_BEFORE, memory] = found[LENGTH, memory - 1] if before else 0.0
        found[ASKS_BEFORE, memory] = found[ASKS, memory - 1] if before else 0.0
        found[BEFORE, memory] = before + _same(sessions, memory, memory - 2)
        found[AFTER, memory] = after + _same(sessions, memory, memory + 2)
    for memory in range(memories):
        found[COV3, memory] = _near(found, COVW, sessions, memory, -1, alone_share) + _near(
            found, COVW, sessions, memory, 1, alone_share
        )
        found[SB_P1, memory] = _near(found, SB, sessions, memory, -1, alone_share)
        found[SB_N1, memory] = _near(found, SB, sessions, memory, 1, alone_share)
        found[SB_P2, memory] = _near(found, SB, sessions, memory, -2, alone_share)
        found[SB_N2, memory] = _near(found, SB, sessions, memory, 2, alone_share)
        found[DE_P1, memory] = _near(found, DE, sessions, memory, -1, alone_share)
        found[DE_N1, memory] = _near(found, DE, sessions, memory, 1, alone_share)
        found[DE_P2, memory] = _near(found, DE, sessions, memory, -2, alone_share)
        found[DE_N2, memory] = _near(found, DE, sessions, memory, 2, alone_share)


cdef inline bint _same(const int64_t[::1] sessions, Py_ssize_t memory, Py_ssize_t other) noexcept:
    return 0 <= other < sessions.shape[0] and sessions[other] == sessions[memory]


cdef inline double _near(
    double[:, ::1] found,
    Py_ssize_t feature,
    const int64_t[::1] sessions,
    Py_ssize_t memory,
    Py_ssize_t distance,
    double alone_share,
) noexcept:
    """Return a feature of the turn at `distance`, else 0; a memory without neighbours takes a share of its own."""
    cdef double value = 0.0
    if _same(sessions, memory, memory + distance):
        value = found[feature, memory + distance]
    elif not (_same(sessions, memory, memory - 1) or _same(sessions, memory, memory + 1)):
        value = alone_share * found[feature, memory]
    return 0.0 if isnan(value) else value


cdef inline double _share(uint64_t mask, const double[::1] weights, double total) noexcept:
    """Return the weighted share of the words whose bits are set."""
    cdef double held = 0.0
    cdef Py_ssize_t word
    for word in range(weights.shape[0]):
        if mask >> word & 1:
            held += weights[word]
    return held / total
