"""Whoever asks for much waits behind those who ask for little."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from everword.admission import fair_share
from everword.admission.fair_share import Group, ShareLimits
from everword.domain.errors import Overloaded
from everword.rpc.capacity import CallShare

FLOOD = Group("flood")
OTHER = Group("other")
THIRD = Group("third")
OPERATOR = Group("operator", reserved=True)


class Callers:
    """Calls that occupy a slot until the test ends them."""

    def __init__(self, share: CallShare) -> None:
        self._share = share
        self.running: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def call(self, group: Group, *names: str, amount: int = 1) -> None:
        for name in names:
            self._ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._run(group, name, amount))
        await run_ready_tasks()

    async def _run(self, group: Group, name: str, amount: int) -> None:
        async with self._share.acquired(group, amount):
            self.running.append(name)
            try:
                await self._ends[name].wait()
            finally:
                self.running.remove(name)

    async def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()
        await run_ready_tasks()


async def run_ready_tasks() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def limits(total: int, of_group: int, **more: Any) -> ShareLimits:
    return ShareLimits(total, of_group, **{"waiting": 100, "waiting_in_group": 100, **more})


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in a list of one, to be moved on by hand."""
    now = [1000.0]
    monkeypatch.setattr("everword.admission.fair_share.time.monotonic", lambda: now[0])
    return now


async def test_waiting_groups_are_served_in_turn() -> None:
    callers = Callers(CallShare(limits(2, 2)))
    await callers.call(FLOOD, "f1", "f2", "f3", "f4", "f5")
    await callers.call(OTHER, "o1", "o2")
    await callers.call(THIRD, "t1")
    await callers.end("f1")
    assert callers.running == ["f2", "f3"]
    await callers.end("f2", "f3")
    assert callers.running == ["o1", "t1"]
    await callers.end("o1", "t1")
    assert callers.running == ["f4", "o2"]


async def test_single_group_uses_all_slots_but_only_its_share_among_others(
    clock: list[float],
) -> None:
    callers = Callers(CallShare(limits(8, 8, among_others=2)))
    await callers.call(FLOOD, *"abcdefghij")
    assert len(callers.running) == 8
    await callers.end("a")
    assert len(callers.running) == 8
    await callers.call(OTHER, "o")
    # Running calls are not interrupted; waiting ones wait until the group is down to its share.
    await callers.end(*"bcdef")
    assert callers.running == ["g", "h", "i", "o"]
    await callers.end(*"ghi")
    assert callers.running == ["o", "j"]
    await callers.end("o")
    clock[0] += 2 * fair_share.RECENT_KEY_TTL_S
    await callers.call(FLOOD, *"klmn")
    assert callers.running == [*"jklmn"]


async def test_one_group_cannot_fill_the_whole_queue() -> None:
    share = CallShare(limits(1, 1, waiting=3, waiting_in_group=2))
    callers = Callers(share)
    await callers.call(FLOOD, "f1", "f2", "f3")
    await callers.call(FLOOD, "f4")
    with pytest.raises(Overloaded, match="of this namespace") as refused:
        await callers.tasks.pop("f2")
    assert refused.value.metadata == {"limit": "3"}
    await callers.call(OTHER, "o1")
    with pytest.raises(Overloaded) as full:
        await share.take(THIRD)
    assert full.value.metadata == {"limit": "4"}
    await callers.end("f1")
    await callers.end("o1", "f3", "f4")
    await asyncio.gather(*callers.tasks.values())


async def test_full_queue_serves_the_newest_call_and_refuses_the_oldest(
    clock: list[float],
) -> None:
    callers = Callers(CallShare(limits(1, 1, waiting=3, waiting_in_group=3)))
    await callers.call(FLOOD, *"abcd")
    await callers.end("a")
    assert callers.running == ["b"]  # not full yet, so in order of arrival
    await callers.call(FLOOD, *"efgh")
    await callers.end("b", "h", "g")
    assert callers.running == ["f"]
    refused = [name for name in "cde" if callers.tasks[name].done()]
    assert refused == [*"cde"]
    for name in refused:
        assert isinstance(callers.tasks[name].exception(), Overloaded)
    await callers.call(FLOOD, *"ijk")
    clock[0] += 2 * fair_share.RECENT_KEY_TTL_S
    await callers.end("f")
    assert callers.running == ["i"]  # no call was refused lately


IMPATIENT = ShareLimits(total=2, of_group=2, waiting=100, waiting_in_group=5, impatient=True)


async def _refused(callers: Callers) -> str:
    """Return the names of the calls refused so far."""
    await run_ready_tasks()
    ended = [name for name, task in callers.tasks.items() if task.done() and task.exception()]
    assert all(isinstance(callers.tasks[name].exception(), Overloaded) for name in ended)
    return "".join(ended)


async def test_full_queue_is_shortened_and_refuses_calls_after_max_wait(clock: list[float]) -> None:
    share = CallShare(IMPATIENT)
    callers = Callers(share)
    await callers.call(FLOOD, *"abcdefg")
    clock[0] += 10 * fair_share.MAX_WAIT_SECONDS
    assert await _refused(callers) == ""  # it was never full, however long they have waited
    assert not share.is_full(FLOOD)
    await callers.call(FLOOD, "h")
    assert await _refused(callers) == "cdef"  # of the queue two are left
    assert share.is_full(FLOOD)
    clock[0] += 1.1 * fair_share.MAX_WAIT_SECONDS
    # No slot is freed, and no call arrives.
    assert await _refused(callers) == "cdefgh"
    assert not share.is_full(FLOOD)
    await callers.call(FLOOD, "i")
    await callers.end("a")
    assert callers.running == ["b", "i"]


async def test_group_stays_marked_full_until_it_stops_calling(clock: list[float]) -> None:
    share = CallShare(IMPATIENT)
    callers = Callers(share)
    await callers.call(FLOOD, *"abcdefgh")
    for _ in range(4):
        clock[0] += 0.4 * fair_share.RECENT_KEY_TTL_S
        await run_ready_tasks()
        await callers.call(FLOOD, "x", "y")
        assert share.is_full(FLOOD)
    clock[0] += 1.1 * fair_share.RECENT_KEY_TTL_S
    assert not share.is_full(FLOOD)


async def test_group_refused_because_of_others_is_not_marked_full() -> None:
    share = CallShare(limits(1, 1, waiting=2, waiting_in_group=2, impatient=True))
    callers = Callers(share)
    await callers.call(FLOOD, "f1", "f2", "f3")
    await callers.call(OTHER, "o1")
    with pytest.raises(Overloaded) as refused:
        await callers.tasks["o1"]
    assert refused.value.metadata == {"limit": "3"}
    assert not share.is_full(OTHER)


async def test_cancelled_waiting_call_is_skipped() -> None:
    share = CallShare(limits(1, 1))
    callers = Callers(share)
    await share.take(FLOOD)
    await callers.call(FLOOD, "f1", "f2")
    callers.tasks["f1"].cancel()
    share.give(FLOOD)
    await run_ready_tasks()
    assert callers.running == ["f2"]
    await callers.end("f2")
    assert not share._used
    assert not share._waiting


async def test_operators_have_reserved_slots() -> None:
    share = CallShare(ShareLimits(total=2, of_group=2, reserve=1))
    await share.take(FLOOD, 2)
    with pytest.raises(Overloaded):
        await share.take(OTHER)
    await share.take(OPERATOR)
    with pytest.raises(Overloaded):
        await share.take(OPERATOR)


async def test_cancelled_call_leaves_the_queue() -> None:
    callers = Callers(CallShare(limits(1, 1)))
    await callers.call(FLOOD, "f1", "f2", "f3")
    callers.tasks["f2"].cancel()
    await run_ready_tasks()
    await callers.end("f1")
    assert callers.running == ["f3"]


async def test_call_cancelled_when_granted_a_slot_passes_it_on() -> None:
    callers = Callers(CallShare(limits(1, 1)))
    await callers.call(FLOOD, "f1", "f2")
    await callers.call(OTHER, "o1")
    callers._ends["f1"].set()
    await asyncio.sleep(0)
    assert callers.running == []  # f1 has given its slot to o1 or f2, which does not run yet
    callers.tasks["f2"].cancel()
    await run_ready_tasks()
    assert callers.running == ["o1"]


async def test_call_larger_than_the_total_runs_alone() -> None:
    callers = Callers(CallShare(limits(10, 10)))
    await callers.call(FLOOD, "large", amount=11)
    await callers.call(OTHER, "small", amount=1)
    assert callers.running == ["large"]
    await callers.end("large")
    assert callers.running == ["small"]


async def test_calls_that_count_twice_are_not_starved_by_other_groups() -> None:
    share = CallShare(limits(4, 4, among_others=2))
    others = [Group(f"other {n}") for n in range(6)]
    order = list[Group]()

    async def work(group: Group, counts: int) -> None:
        for _ in range(20):
            async with share.acquired(group, 1, counts):
                order.append(group)
                await asyncio.sleep(0)

    await asyncio.gather(work(FLOOD, 2), work(FLOOD, 2), *(work(each, 1) for each in others))
    first = order[: len(order) // 2]
    assert first.count(FLOOD) >= len(first) // 8
    callers = Callers(share)
    await callers.call(OTHER, "other")
    async with share.acquired(FLOOD, 1, 2):
        await callers.call(FLOOD, "too much")
        assert callers.running == ["other"]
    await run_ready_tasks()
    assert callers.running == ["other", "too much"]
    await callers.end("other", "too much")


async def test_state_of_inactive_groups_is_removed(clock: list[float]) -> None:
    share = CallShare(limits(4, 4, among_others=2))
    for number in range(1000):
        async with share.acquired(Group(number)):
            clock[0] += 0.01
    assert len(share._lately) <= 102
    assert not share._used
    assert not share._waiting
