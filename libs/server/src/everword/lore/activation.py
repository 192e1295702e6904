"""Computes which entries are in a context, as a pure function of the entries and of the messages.

The turn of a message is the first turn of a user whose context includes it: its own, or the next one for an agent's
message. A message triggers an entry if it is within the entry's scan depth then, or at an automated turn before. So no
state of a conversation is stored: the turns that an entry has stayed can be counted each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from everword.lore.model import MAX_RECURSION, Cause, EntryId, Hits, LoreLine, Reason, Rule

Rules = Mapping[EntryId, Rule]
#: By entries, what their contents set off.
Edges = Mapping[EntryId, Hits]


@dataclass(frozen=True)
class LinePosition:
    """Position of a line in its conversation, counted from the newest one."""

    #: Number of turns of a user since its own; -1 if its turn is still to come.
    age: int
    #: How many lines that are not automated came after it: until now, and until a turn saw it first.
    after: int
    after_when_seen: int

    def was_seen(self, rule: Rule) -> bool:
        """Return whether it was within the depth of an entry when it was new."""
        return self.after_when_seen < rule.scan_depth

    def is_seen(self, rule: Rule) -> bool:
        """Return whether it is within the depth of an entry now."""
        return self.after < rule.scan_depth


def find_places(lines: Sequence[LoreLine]) -> list[LinePosition]:
    """Return where lines are, of which the newest is the last."""
    places = list[LinePosition]()
    after = turns = 0
    # Number of lines after the first one with a context that included this line.
    after_seen = 0
    for line in reversed(lines):
        if line.is_turn or line.automated:
            after_seen = after
        places.append(LinePosition(turns if line.is_turn else turns - 1, after, after - after_seen))
        turns += line.is_turn
        after += not line.automated
    return places[::-1]


def find_sources(lines: Sequence[LoreLine], hits: Sequence[Hits], rules: Rules) -> set[EntryId]:
    """Return the entries whose contents are scanned first: constant ones, and those triggered by messages."""
    direct = {
        id_
        for place, said in zip(find_places(lines), hits, strict=True)
        for id_ in said
        if id_ in rules and place.was_seen(rules[id_])
    }
    return direct | {rule.id for rule in rules.values() if rule.constant}


def find_active(
    lines: Sequence[LoreLine],
    hits: Sequence[Hits],
    edges: Edges,
    rules: Rules,
    is_over: Callable[[], bool] = lambda: False,
) -> dict[EntryId, Reason]:
    """Return the entries that are in the context after these lines, with why.

    `hits` are the matches of each line. A reason with less recursion depth takes precedence, then the latest message.
    Once `is_over` returns True, the remaining, oldest lines are skipped.
    """
    found = {rule.id: Reason(Cause.CONSTANT) for rule in rules.values() if rule.constant}
    places = find_places(lines)
    # Recursive triggers matter along each line only if an entry may stay for some turns.
    along = edges if any(rule.sticky_turns for rule in rules.values()) else {}
    for place, said in sorted(zip(places, hits, strict=True), key=lambda each: each[0].after):
        if is_over():
            break
        _add_retained_entries(found, place, said, along, rules)
    return _with_recursion(found, edges, rules)


def _add_retained_entries(
    found: dict[EntryId, Reason], place: LinePosition, said: Hits, edges: Edges, rules: Rules
) -> None:
    """Add the entries that a line keeps in the context, directly or through the entries that it triggers."""
    reached = {
        id_: Reason(Cause.TRIGGER, trigger=trigger)
        for id_, trigger in said.items()
        if id_ in rules and place.was_seen(rules[id_])
    }
    for id_, reason in reached.items():
        if not rules[id_].sticky_turns and place.is_seen(rules[id_]):
            _keep_nearer_reason(found, id_, reason)
    for id_, reason in _with_recursion(reached, edges, rules).items():
        left = rules[id_].sticky_turns - 1 - place.age
        held = found.get(id_)
        known = held and held.depth <= reason.depth and held.turns_left >= left
        if rules[id_].sticky_turns and left >= 0 and not known:
            _keep_nearer_reason(found, id_, replace(reason, cause=Cause.STICKY, turns_left=left))


def _with_recursion(
    found: Mapping[EntryId, Reason], edges: Edges, rules: Rules
) -> dict[EntryId, Reason]:
    """Return entries with those that their contents set off, one after the other."""
    reached = dict(found)
    for depth in range(MAX_RECURSION):
        for id_ in [id_ for id_, reason in reached.items() if reason.depth == depth]:
            if rules[id_].prevent_recursion:
                continue
            for other, trigger in edges.get(id_, {}).items():
                held = reached.get(other)
                if held is not None and held.depth <= depth + 1:
                    continue
                if other in rules and not rules[other].exclude_recursion:
                    _keep_nearer_reason(
                        reached, other, Reason(Cause.RECURSION, depth + 1, trigger, id_)
                    )
    return reached


def _keep_nearer_reason(found: dict[EntryId, Reason], id_: EntryId, reason: Reason) -> None:
    """Keep the nearer of two reasons, for as long as the entry stays for either."""
    held = found.get(id_)
    if held is None:
        found[id_] = reason
        return
    nearer = min(held, reason, key=lambda each: (each.depth, -each.turns_left))
    found[id_] = replace(nearer, turns_left=max(held.turns_left, reason.turns_left))
