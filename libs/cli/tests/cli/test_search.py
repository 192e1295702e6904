"""`everword search` without a server: how a result's explanation reads."""

from __future__ import annotations

import math

import pytest

from everword.cli.search import print_results
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb


def printed(capsys: pytest.CaptureFixture[str], explanation: pb.ScoreExplanation) -> str:
    memory = memory_pb2.Memory(content="The harvest starts.")
    print_results([pb.SearchResult(memory=memory, score=0.5, explanation=explanation)])
    return capsys.readouterr().out


def feature(name: str, value: float) -> pb.ScoreFeature:
    return pb.ScoreFeature(name=name, value=value)


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_explanation_of_learned_ranking_shows_evidence_and_features(
    capsys: pytest.CaptureFixture[str],
) -> None:
    explanation = pb.ScoreExplanation(
        parts=[pb.ScorePart(arm=pb.SEARCH_ARM_LEXICAL, raw=5.24, score=0.713)],
        evidence=-1.4164,
        features=[feature("sb", 0.40312), feature("d_role", 0), feature("de", math.nan)],
    )
    text = printed(capsys, explanation)
    assert "lexical: 0.713 (raw 5.240)" in text
    assert "×" not in text
    assert "evidence: -1.416" in text
    assert "features: sb 0.403, de unknown" in text


def test_explanation_of_weighted_sum_shows_every_weight_also_zero(
    capsys: pytest.CaptureFixture[str],
) -> None:
    explanation = pb.ScoreExplanation(
        parts=[
            pb.ScorePart(arm=pb.SEARCH_ARM_LEXICAL, raw=5, score=0.5, weight=0.3),
            pb.ScorePart(arm=pb.SEARCH_ARM_TRIGRAM, raw=1, score=1),
        ],
        signals=[pb.ScoreSignal(name="temporal", value=0.9, weight=0.3)],
    )
    text = printed(capsys, explanation)
    assert "lexical: 0.500 × 0.30 (raw 5.000)" in text
    assert "trigram: 1.000 × 0.00 (raw 1.000)" in text
    assert "temporal: 0.900 × 0.30" in text
    assert "evidence" not in text
    assert "features" not in text
