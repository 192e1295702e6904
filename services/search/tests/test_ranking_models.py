"""The packaged ranking models match their manifest; plain weights are the fallback for unusable models."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from everword.text.ranking_record import ASKS, IN_DOCUMENT, ONLY_HEADING, Traits, pack_record
from everword_search.ranking.features.compute import RankingQuery, describe
from everword_search.ranking.models import ensemble
from everword_search.ranking.models.ensemble import Ensemble, ModelUnusable, load_ensemble
from everword_search.ranking.models.ranker import LITERAL_EVIDENCE, REPEATED_WEIGHT, Ranker
from everword_search.retrieval.recall import handicap
from support.ranking import TURNS, ask, chat, pool_of, row

MODELS = ("recall-ranking.npz", "recall-relevance.npz")
MAX_BYTES = 2 * 1024 * 1024


def features_of(question: RankingQuery) -> dict[str, Any]:
    cosines = {10: 0.1, 20: 6.0, 30: 1.0, 40: 0.4, 50: 2.0, 60: -0.5, 70: 0.0}
    return dict(describe(pool_of(chat(), cosines), question).features)


@pytest.mark.parametrize("name", MODELS)
def test_ranking_model_is_small_and_names_its_origin(name: str) -> None:
    path = resources.files("everword_search.ranking") / "models" / name
    assert len(path.read_bytes()) < MAX_BYTES
    metadata = Ensemble(name).metadata
    assert "scripts/train_ranking" in metadata["script"]
    assert metadata["data"].count("=") >= 3
    assert set(json.loads(metadata["features"])) <= set(features_of(ask("turtles")))


@pytest.mark.parametrize("ranker", [Ranker.load, Ranker.without_models])
def test_both_rankers_rank_the_answer_first(ranker: Callable[[], Ranker]) -> None:
    found = features_of(ask("What animals did Nate adopt?", "nate"))
    scores = ranker().rank(found, np.zeros(len(TURNS)))
    assert scores.argmax() == 1
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize("ranker", [Ranker.load, Ranker.without_models])
def test_memories_without_vector_are_ranked_by_words(ranker: Callable[[], Ranker]) -> None:
    pool = pool_of(chat())
    found = describe(pool, ask("Which two turtles did Nate adopt last week?", "nate")).features
    scores = ranker().rank(found, np.zeros(len(TURNS)))
    assert np.isfinite(scores).all()
    assert scores.argmax() == 1


@pytest.mark.parametrize("ranker", [Ranker.load, Ranker.without_models])
def test_near_vector_wins_and_far_vector_loses_against_no_vector(
    ranker: Callable[[], Ranker],
) -> None:
    near, none = (
        row(
            number, "I adopted two turtles last week.", author="Nate", conversation=UUID(int=number)
        )
        for number in (1, 2)
    )
    question = ask("How many turtles did Nate adopt?", "nate")
    for cosine, winner in ((6.0, near), (-1.0, none)):
        pool = pool_of([near, none], {near.passage_id: cosine})
        scores = ranker().rank(describe(pool, question).features, np.zeros(2))
        first = pool.passages.passage_ids[pool.starts][scores.argmax()]
        assert first == winner.passage_id


def test_judge_without_models_returns_nan() -> None:
    found = features_of(ask("What animals did Nate adopt?", "nate"))
    evidence = Ranker.load().judge(found, np.zeros(len(TURNS)))
    assert evidence.argmax() == 1
    assert np.isnan(Ranker.without_models().judge(found, np.zeros(len(TURNS)))).all()


def test_literal_match_raises_a_memory() -> None:
    found = features_of(ask("auth.rs:42"))
    literals = np.array([0, 0, 0, 1.0, 0, 0, 0])
    ranker = Ranker.load()
    assert ranker.rank(found, literals).argmax() == 3
    assert ranker.judge(found, literals).argmax() == 3


def test_literal_evidence_is_scaled_by_its_share_of_the_question() -> None:
    found = features_of(ask("Which modules of the course on auth.rs:42 did Melanie recommend?"))
    none = np.zeros(len(TURNS))
    literals = np.array([0, 0, 0, 1.0, 0, 0, 0])
    judge = Ranker.load().judge
    assert judge(found, literals, 0.2)[3] - judge(found, none)[3] == pytest.approx(0.16)
    assert judge(found, literals)[3] - judge(found, none)[3] == pytest.approx(LITERAL_EVIDENCE)


def test_summary_score_is_divided_among_messages_and_repeats_rank_last() -> None:
    found = features_of(ask("What animals did Nate adopt?", "nate"))
    rows = chat()
    best = rows[1]
    for ranker in (Ranker.load(), Ranker.without_models()):
        alone = ranker.rank(found, np.zeros(len(rows)), handicap(pool_of(rows), found["de"]))
        assert (alone == ranker.rank(found, np.zeros(len(rows)))).all()
        leaf, year, copy = (
            ranker.rank(
                found,
                np.zeros(len(rows)),
                handicap(pool_of([rows[0], replace(best, **changes), *rows[2:]]), found["de"]),
            )
            for changes in ({"stands_for": 10}, {"stands_for": 5000}, {"repeats": True})
        )
        assert alone[1] > leaf[1] > year[1]
        assert copy.argmin() == 1


def test_document_part_gains_by_its_meaning_and_mere_headings_rank_last() -> None:
    rows, meanings = chat(), np.full(len(TURNS), 5.0)
    meanings[2], meanings[3] = 2.0, np.nan

    def handicaps(flags: int) -> Any:
        traits = Traits(flags=flags, words=9, time_words=0, self_words=0)
        record = pack_record("Nate adopted turtles", traits, "english")
        pool = pool_of([replace(each, record=record) for each in rows])
        return handicap(pool, meanings)[1:4].tolist()

    assert handicaps(ASKS) == [0, 0, 0]
    assert handicaps(IN_DOCUMENT) == [-1, 2, 0]
    assert handicaps(IN_DOCUMENT | ONLY_HEADING) == [REPEATED_WEIGHT + each for each in (-1, 2, 0)]


def test_ranker_loads_the_packaged_models() -> None:
    ranker = Ranker.load()
    assert ranker.trees is not None
    assert ranker.relevance is not None
    assert (ranker.trees.name, ranker.relevance.name) == MODELS


def test_model_file_not_in_the_manifest_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ensemble, "MANIFEST", "recall-ranking.json")
    with pytest.raises(ModelUnusable):
        Ensemble("recall-ranking.npz")
    with caplog.at_level(logging.WARNING):
        assert load_ensemble("recall-ranking.npz") is None
    assert "cannot be used" in caplog.text


def test_ranker_without_model_files_uses_plain_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "MANIFEST", "recall-plain.json")
    ranker = Ranker.load()
    assert ranker.trees is None
    assert ranker.relevance is None


def test_model_file_with_wrong_digest_is_refused(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recall-ranking.npz").write_bytes(b"not a model")
    (tmp_path / "models.json").write_text(json.dumps({"recall-ranking.npz": "0" * 64}))
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)
    with pytest.raises(ModelUnusable, match="SHA-256"):
        Ensemble("recall-ranking.npz")
