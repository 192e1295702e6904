"""Writes boosters as one file of arrays, and its SHA-256 into the manifest beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np


def write_model(
    path: Path, boosters: Sequence[Any], features: Sequence[str], metadata: Mapping[str, str]
) -> None:
    """Write the mean of `boosters` as trees from `features` to a raw score: what `everword_search` adds up."""
    trees = [
        tree["tree_structure"] for booster in boosters for tree in booster.dump_model()["tree_info"]
    ]
    nodes: list[tuple[float, int, int, bool, float]] = []
    roots, depths = [], []
    for root in trees:
        roots.append(len(nodes))
        depths.append(_depth(root))
        nodes += _nodes(root, len(nodes), 1 / len(boosters))
    threshold, left, feature, nan_goes_left, value = zip(*nodes, strict=True)
    np.savez(
        path,
        threshold=np.array(threshold, "<f4"),
        left=np.array(left, "<u2"),
        feature=np.array(feature, "u1"),
        nan_goes_left=np.array(nan_goes_left, "u1"),
        value=np.array(value, "<f4"),
        root=np.array(roots, "<i4"),
        depth=np.array(depths, "<i4"),
        metadata=np.array(json.dumps({"features": json.dumps(list(features)), **metadata})),
    )


def write_manifest(folder: Path) -> None:
    """Write the SHA-256 of every model in a folder."""
    digests = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.npz"))
    }
    (folder / "models.json").write_text(json.dumps(digests, indent=2) + "\n")


def _nodes(
    root: Mapping[str, Any], first: int, share: float
) -> list[tuple[float, int, int, bool, float]]:
    """Return a tree's nodes, the first of which has a number; leaves weigh `share` of what they are worth.

    Each has its threshold, the number of its left child (the right one follows; a leaf has its own), the feature,
    whether NaN goes left, and a leaf's value.
    """
    waiting, nodes = [root], []
    for place, node in enumerate(waiting):
        if "leaf_value" in node:
            nodes.append((0.0, first + place, 0, True, float(node["leaf_value"]) * share))
            continue
        left = first + len(waiting)
        waiting += [node["left_child"], node["right_child"]]
        split = float(node["threshold"]), left, int(node["split_feature"])
        nodes.append((*split, _missing_goes_left(node), 0.0))
    return nodes


def _missing_goes_left(node: Mapping[str, Any]) -> bool:
    """Return where NaN goes; a split that never saw one takes it for 0."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0)


def _depth(node: Mapping[str, Any]) -> int:
    """Return how many steps the deepest leaf is away."""
    if "leaf_value" in node:
        return 0
    return 1 + max(_depth(node["left_child"]), _depth(node["right_child"]))
