"""Write boosters as one file of arrays, and its SHA-256 into the manifest next to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from everword_search.kernels.compiled import MOST_LEAVES

#: Threshold and feature of a node, the direction of NaN, and the leaves (as bits) that remain possible to the right.
NODE = np.dtype([("threshold", "<f4"), ("feature", "u1"), ("nan_goes_left", "u1"), ("kept", "<u4")])
Node = tuple[float, int, bool, int]


def write_model(
    path: Path, boosters: Sequence[Any], features: Sequence[str], metadata: Mapping[str, str]
) -> None:
    """Write the mean of `boosters` as trees from `features` to a raw score: what `everword_search` adds up."""
    trees = [
        tree["tree_structure"] for booster in boosters for tree in booster.dump_model()["tree_info"]
    ]
    nodes: list[Node] = []
    leaves: list[float] = []
    node_ends, leaf_ends = [], []
    for root in trees:
        first = len(leaves)
        _flatten(root, first, nodes, leaves)
        if len(leaves) - first > MOST_LEAVES:
            raise ValueError(f"a tree has {len(leaves) - first} leaves, and at most {MOST_LEAVES}")
        node_ends.append(len(nodes))
        leaf_ends.append(len(leaves))
    arrays = np.array(nodes, NODE)
    columns: dict[str, Any] = {name: arrays[name] for name in NODE.names or ()}
    np.savez(
        path,
        **columns,
        nodes=np.array(node_ends, "<i4"),
        leaf=np.array(leaves, "<f4") / np.float32(len(boosters)),
        ends=np.array(leaf_ends, "<i4"),
        metadata=np.array(json.dumps({"features": json.dumps(list(features)), **metadata})),
    )


def write_manifest(folder: Path) -> None:
    """Write the SHA-256 of every model in a folder."""
    digests = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.npz"))
    }
    (folder / "models.json").write_text(json.dumps(digests, indent=2) + "\n")


def _flatten(tree: Mapping[str, Any], first: int, nodes: list[Node], leaves: list[float]) -> None:
    """Add a tree's nodes and its leaves, from left to right; its root's first leaf has a number."""
    if "leaf_value" in tree:
        leaves.append(float(tree["leaf_value"]))
        return
    before = len(leaves) - first
    _flatten(tree["left_child"], first, nodes, leaves)
    ruled_out = (1 << (len(leaves) - first)) - (1 << before)
    retained = ~ruled_out & (1 << MOST_LEAVES) - 1
    if tree["decision_type"] != "<=" or tree["missing_type"] not in ("None", "NaN"):
        raise ValueError(f"a node decides by {tree['decision_type']} and {tree['missing_type']}")
    split = _rounded_down(tree["threshold"]), int(tree["split_feature"]), _missing_goes_left(tree)
    nodes.append((*split, retained))
    _flatten(tree["right_child"], first, nodes, leaves)


def _rounded_down(threshold: float) -> float:
    """Return the greatest 32-bit number not above the threshold, so that larger values go right, as in training."""
    rounded = np.float32(threshold)
    lower = np.nextafter(rounded, np.float32(-np.inf))
    return float(lower if float(rounded) > threshold else rounded)


def _missing_goes_left(node: Mapping[str, Any]) -> bool:
    """Return where NaN goes; a split that never saw one takes it for 0."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0)
