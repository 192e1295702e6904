"""Tree ensembles score like a naive walk through their trees, and model files keep the trainer's trees."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from everword_search.kernels.compiled import MOST_LEAVES
from everword_search.ranking.models import ensemble
from everword_search.ranking.models.ensemble import Ensemble, ModelUnusable
from scripts.train_ranking.export import write_model

FEATURES = ("sb", "de", "cov", "d_len")
Tree = Mapping[str, Any]


def grow(random: Random, depth: int) -> Tree:
    """Return a random tree in the format of LightGBM's `dump_model`."""
    if depth == 0 or random.random() < 0.2:
        return {"leaf_value": random.gauss(0, 1)}
    return {
        "split_feature": random.randrange(len(FEATURES)),
        # Thresholds and features have few possible values, so that many features equal a threshold.
        "threshold": random.choice((-1.0, 0.0, 0.5, 2.0)),
        "decision_type": "<=",
        "missing_type": random.choice(("NaN", "None")),
        "default_left": random.random() < 0.5,
        "left_child": grow(random, depth - 1),
        "right_child": grow(random, depth - 1),
    }


def walk(tree: Tree, row: list[float]) -> float:
    while "leaf_value" not in tree:
        value = row[tree["split_feature"]]
        left = value <= tree["threshold"]
        if math.isnan(value):
            left = tree["default_left"] if tree["missing_type"] == "NaN" else tree["threshold"] >= 0
        tree = tree["left_child"] if left else tree["right_child"]
    return float(tree["leaf_value"])


class Booster:
    """The part of LightGBM's Booster that `write_model` needs."""

    def __init__(self, trees: list[Tree]) -> None:
        self._trees = trees

    def dump_model(self) -> dict[str, Any]:
        return {"tree_info": [{"tree_structure": tree} for tree in self._trees]}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ensemble]:
    """Return a function that writes boosters to a model file and loads it as a packaged model."""
    monkeypatch.setattr(resources, "files", lambda package: tmp_path)

    def write(*boosters: Booster, change: Mapping[str, Any] | None = None) -> Ensemble:
        path = tmp_path / "some.npz"
        write_model(path, boosters, FEATURES, {"script": "a test"})
        if change:
            with np.load(path) as arrays:
                np.savez(path, **{**arrays, **change})
        digest = sha256(path.read_bytes()).hexdigest()
        (path.parent / "models.json").write_text(json.dumps({path.name: digest}))
        return Ensemble(path.name)

    return write


@pytest.mark.parametrize("part", ["trees", "trees_numpy"])
@pytest.mark.parametrize("count", [0, 1, 7, 16, 33, 200])
@pytest.mark.parametrize("depth", [0, 1, 3, 5])
def test_tree_ensemble_scores_equal_a_naive_walk(
    written: Callable[..., Ensemble],
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    depth: int,
    part: str,
) -> None:
    """Tests both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{part}")
    monkeypatch.setattr(ensemble, "add_up", module.add_up)
    random = Random(f"{count} {depth}")
    boosters = [[grow(random, depth) for _ in range(20)] for _ in range(3)]
    model = written(*map(Booster, boosters))
    rows = [
        [random.choice((-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan)) for _ in FEATURES]
        for _ in range(count)
    ]
    columns = np.array(rows, float).reshape(count, len(FEATURES)).T
    found = model.score(dict(zip(FEATURES, columns, strict=True)))
    expected = [sum(walk(tree, row) for trees in boosters for tree in trees) / 3 for row in rows]
    assert found == pytest.approx(expected, abs=1e-5)
    assert model.metadata["script"] == "a test"


@pytest.mark.parametrize(
    "change",
    [
        {"kept": np.array([0b01], "<u4")},
        {"feature": np.array([len(FEATURES)], "u1")},
        {"feature": np.array([0, 0], "u1")},
        {"threshold": np.zeros(0, "<f4")},
        {"nodes": np.array([2], "<i4")},
        {"nodes": np.array([0, 1], "<i4")},
        {"nodes": np.array([-1, 1], "<i4"), "ends": np.array([1, 2], "<i4")},
        {"nodes": np.array([1, 1], "<i4"), "ends": np.array([2, 2], "<i4")},
        {"ends": np.array([3], "<i4")},
        {"leaf": np.zeros(MOST_LEAVES + 1, "<f4"), "ends": np.array([MOST_LEAVES + 1], "<i4")},
        {"kept": np.zeros((1, 1), "<u4")},
        {"threshold": np.zeros((1, 1), "<f4")},
        {"threshold": np.array([np.nan], "<f4")},
        {"feature": np.array([256], "<i4")},
        {"nodes": np.array(1, "<i4")},
        {
            "threshold": np.zeros(0, "<f4"),
            "feature": np.zeros(0, "u1"),
            "nan_goes_left": np.zeros(0, "u1"),
            "kept": np.zeros(0, "<u4"),
            "nodes": np.zeros(0, "<i4"),
            "ends": np.zeros(0, "<i4"),
            "leaf": np.zeros(0, "<f4"),
        },
        {"metadata": np.array("[]")},
        {"metadata": np.array('{"features": "1"}')},
        {"metadata": np.array("{}")},
        {"metadata": np.array("no JSON")},
    ],
)
def test_model_file_with_invalid_arrays_or_metadata_is_refused(
    written: Callable[..., Ensemble], change: Mapping[str, Any]
) -> None:
    tree = {
        "split_feature": 0,
        "threshold": 1.0,
        "decision_type": "<=",
        "missing_type": "None",
        "left_child": {"leaf_value": 1.0},
        "right_child": {"leaf_value": 2.0},
    }
    assert written(Booster([tree])).score(
        {name: np.array([0.0, 3.0]) for name in FEATURES}
    ).tolist() == [1, 2]
    with pytest.raises(ModelUnusable, match=r"some\.npz"):
        written(Booster([tree]), change=change)


def test_tree_with_too_many_leaves_is_not_written(
    written: Callable[..., Ensemble],
) -> None:
    tree: Tree = {"leaf_value": 0.0}
    for number in range(1, MOST_LEAVES + 1):
        tree = {
            "split_feature": 0,
            "threshold": float(-number),
            "decision_type": "<=",
            "missing_type": "None",
            "left_child": {"leaf_value": float(number)},
            "right_child": tree,
        }
    asked = {name: np.array([-np.inf, -3.5, 0.0]) for name in FEATURES}
    assert written(Booster([tree["right_child"]])).score(asked).tolist() == [MOST_LEAVES - 1, 3, 0]
    with pytest.raises(ValueError, match="leaves"):
        written(Booster([tree]))


def test_truncated_model_archive_is_refused(
    written: Callable[..., Ensemble], tmp_path: Path
) -> None:
    written(Booster([{"leaf_value": 0.0}]))
    path = tmp_path / "some.npz"
    for content in (b"", b"PK", path.read_bytes()[:-9]):
        path.write_bytes(content)
        digests = {path.name: sha256(content).hexdigest()}
        (path.parent / "models.json").write_text(json.dumps(digests))
        with pytest.raises(ModelUnusable, match=r"some\.npz"):
            Ensemble(path.name)


def test_tree_threshold_is_rounded_down_to_single_precision(
    written: Callable[..., Ensemble],
) -> None:
    """LightGBM's thresholds have 64 bits. Rounded up, they would send the next larger number to the left."""
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2))
    tree = {
        "split_feature": 0,
        "threshold": (float(low) + 3 * float(high)) / 4,
        "decision_type": "<=",
        "missing_type": "None",
        "left_child": {"leaf_value": 1.0},
        "right_child": {"leaf_value": 2.0},
    }
    asked = {name: np.array([low, high], float) for name in FEATURES}
    assert written(Booster([tree])).score(asked).tolist() == [1, 2]
    for other in ({"decision_type": "=="}, {"missing_type": "Zero"}):
        with pytest.raises(ValueError, match="decides by"):
            written(Booster([{**tree, **other}]))
