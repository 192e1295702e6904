"""Files of questions: both formats, and how a bad one is named."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from everword.bench.dataset import FOREIGN_LIMIT, Dataset, Query, questions
from everword.bench.native_format import read_set, read_sets
from everword.samples import sample_path
from everword.transcripts import BENCH_FORMAT, TranscriptError, read_transcript
from everword.v1 import memory_pb2

MESSAGE = {
    "id": "m1", "session": "s1", "role": "user", "author": "Ana", "content": "The cat is grey.",
    "create_time": "2024-05-01T10:00:00Z",
}  # fmt: skip
QUERY = {
    "id": "q1", "text": "What colour is the cat?", "category": "single-hop", "relevant": ["m1"],
    "answerable": True, "ask_time": "2024-06-01T10:00:00Z",
}  # fmt: skip
CONVERSATION = {"conversation": "c1", "messages": [MESSAGE], "queries": [QUERY]}
DOCUMENT = {"format": BENCH_FORMAT, "name": "tiny", "conversations": [CONVERSATION]}
ITEM = {
    "question_id": "e47",
    "question_type": "single-session-user",
    "question": "Which degree do I have?",
    "answer": "Physics",
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_session_ids": ["s-9", "s-4"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:57"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello!"}],
        [{"role": "user", "content": "I studied physics.", "has_answer": True}],
    ],
    "answer_session_ids": ["s-4"],
}


def written(folder: Path, document: object, name: str = "set.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def changed(base: Any, *path: str | int, to: Any) -> Any:
    """Return a copy of a document in which the value at a path is another; None takes it away."""
    copy = deepcopy(base)
    *inner, last = path
    place = copy
    for step in inner:
        place = place[step]
    if to is None:
        del place[last]
    else:
        place[last] = to
    return copy


def test_read_set_of_sample_has_the_entries_that_import_reads() -> None:
    sample = read_set(sample_path())
    assert sample.name == "brotkorb"
    entries = [entry for dataset in sample.datasets for entry in dataset.entries]
    assert entries == list(read_transcript(sample_path()))
    assert sum(len(dataset.queries) for dataset in sample.datasets) == 32
    assert {q.category for w in sample.datasets for q in w.queries if not q.answerable} == {
        "unanswerable"
    }


def test_longmemeval_is_recognised_by_its_content(tmp_path: Path) -> None:
    unanswerable = {**ITEM, "question_id": "e48_abs"}
    read = read_set(written(tmp_path, [ITEM, unanswerable], "longmemeval_s.json"))
    assert read.name == "longmemeval_s"
    first, second = read.datasets
    assert [len(dataset.entries) for dataset in read.datasets] == [3, 3]
    [query] = first.queries
    assert (query.id, query.category) == ("e47", "single-session-user")
    assert query.is_averaged
    [answer] = [e for e in first.entries if e.message.external_id in query.relevant]
    assert answer.message.content == "I studied physics."
    assert answer.message.create_time.ToJsonString() == "2023-05-21T02:57:01Z"
    assert [entry.message.role for entry in first.entries] == [
        memory_pb2.ROLE_USER, memory_pb2.ROLE_ASSISTANT, memory_pb2.ROLE_USER,
    ]  # fmt: skip
    assert len({entry.target.key.session_key for entry in first.entries}) == 2
    [other] = second.queries
    assert not other.answerable
    assert not other.relevant


def test_session_listed_twice_in_a_history_becomes_two_conversations(tmp_path: Path) -> None:
    item = {**ITEM, "haystack_session_ids": ["s-4", "s-4"]}
    [dataset] = read_set(written(tmp_path, [item])).datasets
    assert len({entry.target.key.session_key for entry in dataset.entries}) == 2


def test_adversarial_queries_have_a_relevant_message_but_are_not_averaged(tmp_path: Path) -> None:
    path = ("conversations", 0, "queries", 0)
    twisted = changed(DOCUMENT, *path, "category", to="adversarial")
    twisted = changed(twisted, *path, "answerable", to=False)
    [dataset] = read_set(written(tmp_path, twisted)).datasets
    assert dataset.queries[0].relevant == {"m1"}
    assert not dataset.queries[0].is_averaged


def test_foreign_questions_are_answerable_queries_of_other_conversations(tmp_path: Path) -> None:
    unanswerable = {**QUERY, "id": "q2", "answerable": False, "relevant": []}
    other = {**CONVERSATION, "conversation": "c2", "queries": [{**QUERY, "id": "q3"}, unanswerable]}
    document = {**DOCUMENT, "conversations": [CONVERSATION, other]}
    datasets = read_set(written(tmp_path, document)).datasets
    asked = [[(each.query.id, each.foreign) for each in questions(datasets, n)] for n in range(2)]
    assert asked == [
        [("q1", False), ("q3", True)],
        [("q3", False), ("q2", False), ("q1", True)],
    ]
    assert [each.foreign for each in questions(datasets[:1], 0)] == [False]


def test_foreign_questions_over_the_limit_are_sampled_evenly() -> None:
    def dataset(name: str, number: int) -> Dataset:
        asked = (Query(f"{name}{n}", "?", "any", frozenset("m"), True) for n in range(number))
        return Dataset(name, (), tuple(asked))

    datasets = (dataset("a", 1), dataset("b", 300), dataset("c", 300))
    foreign = [each for each in questions(datasets, 0) if each.foreign]
    assert len(foreign) == FOREIGN_LIMIT
    assert Counter(each.home for each in foreign) == {"b": 100, "c": 100}


QUERY_PATH = ("conversations", 0, "queries", 0)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "it is not JSON"),
        (7, "a JSON object is expected"),
        ([], "a JSON object is expected"),
        ({"format": "other/2"}, "neither everword-bench/1 nor LongMemEval's"),
        (changed(DOCUMENT, "conversations", to=None), "conversations must be a list"),
        (changed(DOCUMENT, "conversations", to=[]), "no conversations"),
        (changed(DOCUMENT, "conversations", 0, "conversation", to=None), "no name"),
        (changed(DOCUMENT, "conversations", 0, "messages", to=5), "messages must be a list"),
        (changed(DOCUMENT, "conversations", 0, "messages", to=[]), "it has no messages"),
        (changed(DOCUMENT, "conversations", 0, "queries", to=None), "queries must be a list"),
        (changed(DOCUMENT, "conversations", 0, "messages", 0, "role", to="king"), "role is 'king'"),
        (changed(DOCUMENT, "conversations", 0, "messages", 0, "id", to=None), "it has no id"),
        (
            changed(DOCUMENT, "conversations", 0, "messages", to=[MESSAGE] * 2),
            "'m1' is there twice",
        ),
        (changed(DOCUMENT, "conversations", to=[CONVERSATION] * 2), "'c1' is there twice"),
        (changed(DOCUMENT, *QUERY_PATH, "text", to=" "), "text must be a text"),
        (changed(DOCUMENT, *QUERY_PATH, "text", to="x" * 9000), "longer than 8 KiB"),
        (changed(DOCUMENT, *QUERY_PATH, "answerable", to="yes"), "true or false"),
        (changed(DOCUMENT, *QUERY_PATH, "relevant", to=["m9"]), "'m9' as relevant"),
        (changed(DOCUMENT, *QUERY_PATH, "relevant", to=[["m1"]]), "ids of messages"),
        (changed([ITEM], 0, "question", to=None), "it has no question"),
        (changed([ITEM], 0, "haystack_dates", to=[]), "must be as many"),
        (changed([ITEM], 0, "haystack_dates", 0, to="soon"), "'soon' is not a date"),
        (changed([ITEM], 0, "haystack_sessions", 0, to="x"), "a list of turns"),
        (changed([ITEM], 0, "haystack_sessions", 0, 0, to="x"), "turn 1: a JSON object"),
        ([ITEM, 5], "question 2: a JSON object"),
        ([ITEM, ITEM], "'e47' is there twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_read_set_of_invalid_file_names_the_file_and_problem(
    tmp_path: Path, document: object, said: str
) -> None:
    path = written(tmp_path, document)
    if isinstance(document, str):
        path.write_text(document)
    with pytest.raises(TranscriptError) as caught:
        read_set(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_read_sets_refuses_two_datasets_with_the_same_name(tmp_path: Path) -> None:
    paths = [written(tmp_path, DOCUMENT, name) for name in ("a.json", "b.json")]
    with pytest.raises(TranscriptError, match=r"b\.json: .*'tiny'"):
        read_sets(paths)
