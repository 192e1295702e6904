"""Train the models of the profile `recall`: python -m scripts.train_ranking --data FILE… --cache FOLDER.

Prints the figures of models on conversations that they were not fitted on, and writes models fitted on all of them,
with the calibration of their relevance; the calibration alone with `--calibration-only`. With `--steps` it prints the
gain of each part of the ranking, and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from everword.bench.native_format import BenchSet, read_sets
from everword.bench.provenance import commit
from everword.domain.settings import Environment
from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.plain import FILE
from everword_search.ranking.models.ranker import PLAIN_SHARE, RANKING_FILE, RELEVANCE_FILE
from scripts.train_ranking.calibration import calibrate_evidence, write_calibration
from scripts.train_ranking.collect import QuestionSample, collect
from scripts.train_ranking.export import write_manifest, write_model
from scripts.train_ranking.features import RANKING_FEATURES, RELEVANCE_FEATURES
from scripts.train_ranking.fit import (
    cross_validate,
    fit_ranking,
    fit_relevance,
    fit_sum,
    matrix_of,
    predict,
)
from scripts.train_ranking.measure import print_abstention, print_calibration, print_ranking
from scripts.train_ranking.plain import features_of, write_plain
from scripts.train_ranking.steps import print_steps

MODELS = Path("services/search/src/everword_search/ranking/models")
CALIBRATIONS = Path("services/search/src/everword_search/retrieval/calibrations.json")


@click.command()
@click.option(
    "--data", "files", multiple=True, required=True, type=click.Path(exists=True, path_type=Path)
)
@click.option(
    "--cache",
    required=True,
    type=click.Path(path_type=Path),
    help="Where asked questions are kept.",
)
@click.option(
    "--model",
    default="minilm-e5",
    show_default=True,
    help="Packaged embedding model whose vectors are ranked.",
)
@click.option(
    "--calibration-only",
    is_flag=True,
    help="Leave the models as they are: for a change of the verdict, or of how relevance is fitted.",
)
@click.option("--steps", is_flag=True, help="Print what each part gains, and write nothing.")
def main(
    files: tuple[Path, ...], cache: Path, model: str, calibration_only: bool, steps: bool
) -> None:
    """Train the models of the profile `recall` on FILEs."""
    sets = read_sets(files)
    # Read the commit first: the files written below change the checkout, and would mark it as dirty.
    made_at = commit()
    asked = collect(sets, model, Environment(os.environ), cache)
    if steps:
        print_steps(asked)
        return
    click.echo("conversations left out")
    scores = cross_validate(asked, _ranking)
    print_ranking(asked, scores)
    evidence = cross_validate(asked, _relevance)
    fitted = calibrate_evidence(asked, scores, evidence)
    print_abstention(asked, fitted)
    print_calibration(fitted)
    if not calibration_only:
        _write(asked, sets, made_at)
    write_calibration(CALIBRATIONS, fitted, model, sets, made_at)


def _ranking(samples: Sequence[QuestionSample]) -> Callable[[QuestionSample], Floats]:
    trees, plain = fit_ranking(samples, RANKING_FEATURES)

    def score(one: QuestionSample) -> Floats:
        told = predict(trees, matrix_of(one, RANKING_FEATURES))
        return told + PLAIN_SHARE * plain.score(features_of(one))

    return score


def _relevance(samples: Sequence[QuestionSample]) -> Callable[[QuestionSample], Floats]:
    plain = fit_sum(samples)
    trees = fit_relevance(samples, RELEVANCE_FEATURES, plain)
    return lambda one: predict(trees, matrix_of(one, RELEVANCE_FEATURES))


def _write(
    samples: Sequence[QuestionSample], sets: Sequence[BenchSet], made_at: str | None
) -> None:
    made_by = {
        "data": " ".join(f"{each.name}={each.digest}" for each in sets),
        "script": f"scripts/train_ranking at {made_at}",
        "license": "Apache-2.0",
    }
    MODELS.mkdir(exist_ok=True)
    trees, plain = fit_ranking(samples, RANKING_FEATURES)
    relevance = fit_relevance(samples, RELEVANCE_FEATURES, plain)
    write_plain(MODELS / FILE, plain.weights)
    write_model(MODELS / RANKING_FILE, trees, RANKING_FEATURES, made_by)
    write_model(MODELS / RELEVANCE_FILE, relevance, RELEVANCE_FEATURES, made_by)
    write_manifest(MODELS)
    for path in sorted(MODELS.iterdir()):
        click.echo(f"{path}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
