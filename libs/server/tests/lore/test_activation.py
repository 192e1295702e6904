"""Which entries are in a context, against a simulation that goes from turn to turn and keeps counters."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from uuid import UUID

import pytest

from everword.lore.activation import find_active, find_places
from everword.lore.model import MAX_RECURSION, Cause, EntryId, Hits, LoreLine, Rule

BOOK = UUID(int=9)


def id_(number: int) -> EntryId:
    return EntryId(UUID(int=number))


def rule(number: int, **fields: object) -> Rule:
    return Rule(id_(number), BOOK, f"entry {number}", **fields)  # type: ignore[arg-type]


USER, AGENT = LoreLine("", is_user=True), LoreLine("")
BEAT, ANSWERED = LoreLine("", is_user=True, automated=True), LoreLine("", automated=True)


def active(
    lines: Sequence[LoreLine],
    said: Mapping[int, int],
    *rules: Rule,
    edges: Mapping[int, int] | None = None,
) -> set[int]:
    """Return the entries after these lines; `said` are triggers by the place of their line, `edges` by their entry."""
    hits: list[Hits] = [
        {id_(said[place]): 0} if place in said else {} for place in range(len(lines))
    ]
    links: dict[EntryId, Hits] = {id_(a): {id_(b): 0} for a, b in (edges or {}).items()}
    found = find_active(lines, hits, links, {each.id: each for each in rules})
    return {each.int for each in found}


@pytest.mark.parametrize("turns", [1, 2, 3, 5, 100])
def test_sticky_entry_stays_active_for_its_number_of_user_turns(turns: int) -> None:
    sticky = rule(1, sticky_turns=turns)
    for passed in range(turns + 3):
        lines = [USER, *[AGENT, USER] * passed]
        assert active(lines, {0: 1}, sticky) == ({1} if passed < turns else set()), passed
        # An agent's message is seen first by the next turn, and counts from there.
        lines = [USER, AGENT, *[USER, AGENT] * passed]
        assert active(lines, {1: 1}, sticky) == ({1} if passed <= turns else set()), passed


def test_automated_turns_do_not_consume_sticky_turns_or_depth() -> None:
    sticky, plain = rule(1, sticky_turns=2), rule(2)
    beats = [BEAT, ANSWERED] * 20
    assert active([USER, *beats], {0: 1}, sticky, plain) == {1}
    assert active([USER, *beats, USER, *beats], {0: 1}, sticky, plain) == {1}
    assert active([USER, *beats, USER, *beats, USER], {0: 1}, sticky, plain) == set()
    assert active([USER, *beats], {0: 2}, sticky, plain) == {2}
    assert active([USER, *[AGENT, *beats] * 4], {0: 2}, sticky, plain) == {2}
    assert active([USER, *[AGENT, *beats] * 5], {0: 2}, sticky, plain) == set()
    # A trigger in one is good for as many turns of the user as any.
    for passed in range(4):
        assert bool(active([USER, BEAT, *[USER] * passed], {1: 1}, sticky)) == (passed <= 2)


def test_new_trigger_restarts_sticky_turns() -> None:
    sticky = rule(1, sticky_turns=3)
    lines = [USER, AGENT, USER, AGENT]
    for passed in range(6):
        more = [*lines, *[USER, AGENT] * passed]
        assert bool(active(more, {0: 1}, sticky)) == (passed <= 1)
        assert bool(active(more, {0: 1, 2: 1}, sticky)) == (passed <= 2)


def test_scan_depth_zero_ignores_all_messages() -> None:
    silent = rule(1, scan_depth=0)
    assert active([USER], {0: 1}, silent) == set()
    assert active([USER], {0: 1}, rule(1, scan_depth=0, sticky_turns=5)) == set()
    assert active([BEAT], {0: 1}, silent) == set()
    assert active([USER], {0: 2}, silent, rule(2), edges={2: 1}) == {1, 2}
    assert active([USER], {}, rule(1, scan_depth=0, constant=True)) == {1}


@pytest.mark.parametrize("depth", [1, 2, 5, 100])
def test_scan_depth_is_the_number_of_scanned_messages(depth: int) -> None:
    looks = rule(1, scan_depth=depth)
    for after in range(depth + 2):
        lines = [USER, *[AGENT] * after]
        assert bool(active(lines, {0: 1}, looks)) == (after < depth)


def test_entries_activate_others_up_to_three_levels_unless_prevented() -> None:
    chain = [rule(number) for number in range(1, 7)]
    edges = dict(pairwise(range(1, 7)))
    assert active([USER], {0: 1}, *chain, edges=edges) == {1, 2, 3, 4}
    assert active([USER], {}, rule(1, constant=True), *chain[1:], edges=edges) == {1, 2, 3, 4}
    prevented = [*chain[:1], rule(2, prevent_recursion=True), *chain[2:]]
    assert active([USER], {0: 1}, *prevented, edges=edges) == {1, 2}
    excluded = [*chain[:2], rule(3, exclude_recursion=True), *chain[3:]]
    assert active([USER], {0: 1}, *excluded, edges=edges) == {1, 2}
    assert active([USER], {0: 3}, *excluded, edges=edges) == {3, 4, 5, 6}
    # Cycles end, and an entry triggered last stays for its own number of turns, from the message on.
    assert active([USER], {0: 1}, *chain[:2], edges={1: 2, 2: 1}) == {1, 2}
    stays = [*chain[:2], rule(3, sticky_turns=4)]
    for passed in range(6):
        found = active([USER, *[AGENT, USER] * passed], {0: 1}, *stays, edges=edges)
        assert (3 in found) == (passed < 4)


def test_activation_reason_has_cause_trigger_and_remaining_turns() -> None:
    rules = {each.id: each for each in (rule(1, sticky_turns=3), rule(2), rule(3, constant=True))}
    hits: list[Hits] = [{id_(1): 2}, {}, {}]
    found = find_active([USER, AGENT, USER], hits, {id_(1): {id_(2): 1}}, rules)
    first, second, third = (found[id_(number)] for number in (1, 2, 3))
    assert (first.cause, first.trigger, first.turns_left) == (Cause.STICKY, 2, 1)
    assert (second.cause, second.trigger, second.by) == (Cause.RECURSION, 1, id_(1))
    assert third.cause is Cause.CONSTANT


def test_find_active_matches_a_simulation_with_counters() -> None:
    chance = random.Random(20261125)
    states = set[int]()
    for _ in range(1500):
        rules = _rules(chance)
        lines = _lines(chance)
        hits: list[Hits] = [_hits(chance, rules, 0.12) for _ in lines]
        edges = {each: _hits(chance, rules, 0.15) for each in rules}
        requested = _simulated(lines, hits, edges, rules)
        assert set(find_active(lines, hits, edges, rules)) == requested, (lines, hits, edges, rules)
        states.add(len(requested))
    assert len(states) > 5


def _rules(chance: random.Random) -> dict[EntryId, Rule]:
    rules = [
        rule(
            number,
            scan_depth=chance.choice([0, 1, 2, 3, 5, 8]),
            sticky_turns=chance.choice([0, 0, 1, 2, 3, 6]),
            constant=chance.random() < 0.05,
            prevent_recursion=chance.random() < 0.2,
            exclude_recursion=chance.random() < 0.2,
        )
        for number in range(chance.randint(1, 8))
    ]
    return {each.id: each for each in rules}


def _lines(chance: random.Random) -> list[LoreLine]:
    kinds, weights = [USER, AGENT, BEAT, ANSWERED], [4, 4, 1, 1]
    return chance.choices(kinds, weights, k=chance.randint(0, 25))


def _hits(chance: random.Random, rules: Mapping[EntryId, Rule], share: float) -> Hits:
    return {each: 0 for each in rules if chance.random() < share}


def _simulated(
    lines: Sequence[LoreLine],
    hits: Sequence[Hits],
    edges: Mapping[EntryId, Hits],
    rules: Mapping[EntryId, Rule],
) -> set[EntryId]:
    """Simulate the conversation: at each turn, automated ones included, scan the new lines and update counters."""
    #: By entry and how many set off one another before it, the turns it stays, the present one included.
    left = dict[tuple[EntryId, int], int]()
    seen = 0
    for end in range(1, len(lines) + 1):
        line, is_end = lines[end - 1], end == len(lines)
        if line.is_turn:
            left = {key: turns - 1 for key, turns in left.items() if turns > 1}
        if not (line.is_turn or line.automated or is_end):
            continue
        for place in range(seen, end):
            window = sum(not each.automated for each in lines[place + 1 : end])
            direct = {each for each in hits[place] if window < rules[each].scan_depth}
            for depth, reached in enumerate(_levels(direct, edges, rules)):
                for each in reached:
                    if turns := rules[each].sticky_turns:
                        # At a turn that is no user's, the next one is still to come.
                        count = turns + (0 if line.is_turn else 1)
                        left[each, depth] = max(left.get((each, depth), 0), count)
        seen = end
    levels: list[set[EntryId]] = [set() for _ in range(MAX_RECURSION + 1)]
    levels[0] |= {each.id for each in rules.values() if each.constant}
    for place, said in enumerate(hits):
        window = sum(not each.automated for each in lines[place + 1 :])
        for each in said:
            if not rules[each].sticky_turns and window < rules[each].scan_depth:
                levels[0].add(each)
    for each, depth in left:
        levels[depth].add(each)
    return set().union(*_levels(levels[0], edges, rules, levels))


def _levels(
    first: set[EntryId],
    edges: Mapping[EntryId, Hits],
    rules: Mapping[EntryId, Rule],
    others: Sequence[set[EntryId]] = ((set(),) * (MAX_RECURSION + 1)),
) -> list[set[EntryId]]:
    """Return the entries of each depth: given, or triggered by the level above, and not in an earlier one."""
    levels, known = [set(first)], set(first)
    for depth in range(1, MAX_RECURSION + 1):
        above = [each for each in levels[-1] if not rules[each].prevent_recursion]
        below = {other for each in above for other in edges[each]}
        allowed = {other for other in below if not rules[other].exclude_recursion}
        levels.append((allowed | others[depth]) - known)
        known |= levels[-1]
    return levels


def test_find_places_counts_from_the_newest_line() -> None:
    places = find_places([USER, AGENT, AGENT, BEAT, AGENT, USER, AGENT])
    assert [each.age for each in places] == [1, 0, 0, 0, 0, 0, -1]
    assert [each.after for each in places] == [5, 4, 3, 3, 2, 1, 0]
    assert [each.after_when_seen for each in places] == [0, 1, 0, 0, 1, 0, 0]
