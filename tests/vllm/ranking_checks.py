"""Compares rankings with vectors of vLLM, of the same model in full precision, and of the local int8 model.

Run by run.py, which serves the model.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from everword.bench import target
from everword.bench.native_format import BenchSet, read_set
from everword.bench.variants import PAGE_SIZE, of_mode, of_profile
from everword.embedded.folder import RunningStack
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_specs
from everword.samples import sample_path
from support.with_constants import hasty
from vllm.rankings import (
    RankedAnswer,
    Rankings,
    ask_everything,
    drift,
    gap,
    mean_metric,
    of_variant,
    overlap,
)
from vllm.reference import ReferenceServer

VLLM_URL = os.environ["EVERWORD_TEST_VLLM_URL"]
VARIANTS = (of_profile("recall"), of_mode("semantic", ""))
NAMES = [each.name for each in VARIANTS]
#: The profile for which a calibration of this model is shipped.
CALIBRATED = "recall"
#: Maximal difference of scores within which two results may be in either order: fp32 sums depend on the order of
#: summation, and vectors are stored with 11 bits, so that cosines of equal models differ in the sixth digit. A cosine
#: at a threshold of `recall`'s trees may cross it and change a score by more: seen once in 9,657 results, at the 41st
#: place.
TIE = 1e-4
#: Average share of the first results that full precision and int8 must have in common.
COMMON = 0.95
#: Average difference of relevance allowed between them.
RELEVANCE = 0.02


def asked_set() -> BenchSet:
    """Return the questions: the first conversation of the set in EVERWORD_BENCH_DATA, or the shipped sample."""
    folder = os.environ.get("EVERWORD_BENCH_DATA")
    if not folder:
        return read_set(sample_path())
    found = read_set(Path(folder) / "locomo-dev.json")
    return replace(found, datasets=found.datasets[:1])


@pytest.fixture(scope="module")
def rankings() -> Mapping[str, Rankings]:
    """Return the rankings of the same questions, by source of vectors."""
    asked: dict[str, Rankings] = {}
    with pytest.MonkeyPatch.context() as environment, ReferenceServer().running() as reference:
        # The reference is slow: no request may last longer than a server may be silent.
        environment.setattr(target, "service_specs", _in_small_batches)
        for name, url in {"vLLM": VLLM_URL, "fp32": reference.url, "int8": ""}.items():
            environment.setenv("EVERWORD_EMBED_URL", url)
            asked[name] = asyncio.run(ask_everything(asked_set(), VARIANTS))
    return asked


def _in_small_batches(running: RunningStack, left_out: frozenset[str]) -> list[ProcessSpec]:
    small = {"everword_embedder.providers.settings:EmbedSettings.batch": 8}
    return [
        hasty(spec, small) if spec.name == "embedder" else spec
        for spec in service_specs(running, left_out)
    ]


def test_every_arm_answers(rankings: Mapping[str, Rankings]) -> None:
    for name, asked in rankings.items():
        assert not [each.answer.degraded for each in asked.values() if each.answer.degraded], name


@pytest.mark.parametrize("variant", NAMES)
def test_vllm_ranks_as_its_model_does_elsewhere_in_full_precision(
    rankings: Mapping[str, Rankings], variant: str
) -> None:
    pairs = _pairs(rankings, "fp32", variant)
    gaps = [gap(one, other) for one, other in pairs]
    drifts = [drift(one, other) for one, other in pairs]
    pages = sum(gap(one, other, PAGE_SIZE) > 0 for one, other in pairs)
    print(
        f"\n{variant}, vLLM and fp32: another order of the first ten in {sum(each > 0 for each in gaps)} of "
        f"{len(pairs)} questions, where scores differ by {max(gaps):.1e} at most; of the first {PAGE_SIZE} in {pages}. "
        f"A score among the first ten changes by {max(drifts):.1e} at most, in half of the questions by "
        f"{statistics.median(drifts):.1e}"
    )
    assert max(gaps) < TIE


@pytest.mark.parametrize("variant", NAMES)
def test_int8_finds_nearly_the_same(rankings: Mapping[str, Rankings], variant: str) -> None:
    pairs = _pairs(rankings, "int8", variant)
    common = statistics.fmean(overlap(one, other) for one, other in pairs)
    same = sum(one.top == other.top for one, other in pairs)
    found = {name: list(of_variant(asked, variant).values()) for name, asked in rankings.items()}
    for metric in ("recall@10", "ndcg@10"):
        values = (f"{mean_metric(asked, metric):.3f} {name}" for name, asked in found.items())
        print(f"\n{variant}, {metric}: {', '.join(values)}", end="")
    print(
        f"\n{variant}, vLLM and int8: {common:.4f} of the first ten in common, the same order in {same} of {len(pairs)}"
    )
    assert common >= COMMON


def test_relevance_is_calibrated_whoever_serves_the_model(
    rankings: Mapping[str, Rankings],
) -> None:
    for name, asked in rankings.items():
        states = {each.calibration for each in of_variant(asked, CALIBRATED).values()}
        assert states == {"CALIBRATED"}, name
    for name in ("fp32", "int8"):
        pairs = _pairs(rankings, name, CALIBRATED)
        apart = [abs(one.relevance - other.relevance) for one, other in pairs]
        verdicts = sum(one.answer.verdict != other.answer.verdict for one, other in pairs)
        print(
            f"\n{CALIBRATED}, vLLM and {name}: the highest relevance differs by {statistics.fmean(apart):.1e} on "
            f"average, by {max(apart):.1e} at most; another verdict in {verdicts} of {len(pairs)} questions"
        )
        assert statistics.fmean(apart) <= RELEVANCE


def _pairs(
    rankings: Mapping[str, Rankings], other: str, variant: str
) -> list[tuple[RankedAnswer, RankedAnswer]]:
    """Return the answers to each question with vLLM's vectors and with the others."""
    others = rankings[other]
    return [(asked, others[key]) for key, asked in of_variant(rankings["vLLM"], variant).items()]
