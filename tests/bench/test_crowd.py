"""`make bench-crowd` on small data: the composition of the crowd, and the measured loss of quality."""

from __future__ import annotations

import pytest

from bench.crowd_report import BM25, RECALL, Answers, Hit, QuestionRun, build_report
from bench.foreign_sentences import foreign_entries, sentences_of
from everword.bench.dataset import Dataset, Query
from everword.bench.native_format import BenchSet
from everword.transcripts import Entry
from everword.v1 import memory_pb2
from everword.v1.ingest_service_pb2 import ConversationTarget


def bench_set(name: str, *contents: str, author: str = "Ann") -> BenchSet:
    messages = [memory_pb2.NewMessage(content=each, author=author) for each in contents]
    entries = tuple(Entry(ConversationTarget(), message) for message in messages)
    return BenchSet(name, "", (Dataset(name, entries, ()),))


MEASURED = bench_set(
    "measured", "We met by the old bridge. Both sets say this.", author="Alice Adam"
)
CHATS = bench_set(
    "chats",
    "Both sets say this. I saw a play last night! The soup was cold. Did you feed the cat?",
    "A heron stood in the pond. My train is late\nYes.",
)
TALKS = bench_set("talks", " ".join(f"We talked of item {n} at noon." for n in range(40)))
WORK = bench_set("work", " ".join(f"The build number {n} has failed." for n in range(40)))


def test_foreign_entries_are_deterministic_and_extend_smaller_ones() -> None:
    first, again = (list(foreign_entries([TALKS, WORK], MEASURED, n)) for n in (40, 60))
    assert [each.message.content for each in again[:40]] == [each.message.content for each in first]
    assert [each.message.create_time for each in again[:40]] == [
        each.message.create_time for each in first
    ]


def test_foreign_messages_are_unique_in_content_and_id() -> None:
    crowd = list(foreign_entries([WORK], MEASURED, 1500))
    assert len({each.message.content for each in crowd}) == 1500
    places = {(each.target.key.session_key, each.message.external_id) for each in crowd}
    assert len(places) == 1500
    assert len({session for session, _ in places}) in (3, 4)


def test_foreign_entries_exclude_sentences_and_authors_of_the_measured_set() -> None:
    crowd = list(foreign_entries([CHATS], MEASURED, 60))
    said = set(sentences_of(CHATS)) - {"Both sets say this."}
    assert "Yes." not in said
    for entry in crowd:
        rest = entry.message.content
        for sentence in said:
            rest = rest.replace(sentence, "")
        assert not rest.strip()
        assert entry.message.author not in ("Alice", "Adam")


def test_foreign_conversations_alternate_between_sets() -> None:
    crowd = list(foreign_entries([TALKS, WORK], MEASURED, 700))
    of_work = {each.target.key.session_key: "build" in each.message.content for each in crowd}
    assert list(of_work.values())[:2] == [False, True]


def test_foreign_message_times_increase() -> None:
    times = [
        each.message.create_time.ToDatetime() for each in foreign_entries([WORK], MEASURED, 300)
    ]
    assert times == sorted(times)
    assert (times[-1] - times[0]).days > 10


def test_foreign_entries_refuses_too_few_sentences() -> None:
    few = bench_set("few", "The first of three. The second of three. The third of three.")
    with pytest.raises(ValueError, match="3 sentences"):
        list(foreign_entries([few], MEASURED, 1))
    with pytest.raises(ValueError, match="too few"):
        list(foreign_entries([CHATS], MEASURED, 10_000))


def asked(*hits: Hit) -> QuestionRun:
    return QuestionRun(hits, latency_ms=5.0, degraded=())


def test_report_compares_falls_and_changes_per_question() -> None:
    dataset = Dataset("w", (), (Query("q", "?", "single", frozenset({"a", "b"}), answerable=True),))
    gone = Hit("foreign 1", 0.9, 0.8)
    alone: Answers = {
        ("w", "q", "lexical"): asked(Hit("a", 0.9, None), Hit("b", 0.5, None)),
        ("w", "q", "recall"): asked(Hit("a", 0.9, 0.9), Hit("b", 0.6, 0.5), Hit("c", 0.2, 0.1)),
    }
    crowd: Answers = {
        ("w", "q", "lexical"): asked(Hit("a", 0.6, None), Hit("b", 0.4, None)),
        ("w", "q", "recall"): asked(*[gone] * 9, Hit("a", 0.7, 0.86), Hit("c", 0.2, 0.1)),
    }
    report = build_report(alone, crowd, [dataset])
    assert report["ways"][RECALL.name]["fall"]["recall@10"] == pytest.approx(0.5)
    assert report["ways"][BM25.name]["fall"]["recall@10"] == 0
    assert report["falls_more"]["recall@10"] == pytest.approx(0.5)
    change = report["ways"][RECALL.name]["change"]
    assert (change["pairs"], change["not_found"]) == (3, 1)
    assert change["score"]["max"] == pytest.approx(0.2)
    assert change["relevance"]["max"] == pytest.approx(0.04)
    assert report["ways"][BM25.name]["change"]["relevance"] == {"p95": None, "max": None}
