"""Writes boosters as one ONNX file, and its SHA-256 into the manifest beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from onnx import TensorProto, checker, helper

OPSET = 3
#: Of the file format: an older one than the newest can be read by more runtimes.
IR_VERSION = 9


def write_model(
    path: Path, boosters: Sequence[Any], features: Sequence[str], metadata: Mapping[str, str]
) -> None:
    """Write the mean of `boosters` as a TreeEnsembleRegressor from `features` to a raw score."""
    trees = [
        tree["tree_structure"] for booster in boosters for tree in booster.dump_model()["tree_info"]
    ]
    attributes: dict[str, Any] = _attributes(trees, 1 / len(boosters))
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["score"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        **attributes,
    )
    graph = helper.make_graph(
        [node],
        path.stem,
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, len(features)])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, [None, 1])],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("ai.onnx.ml", OPSET)],
        ir_version=IR_VERSION,
        producer_name="everword",
    )
    helper.set_model_props(model, {"features": json.dumps(list(features)), **metadata})
    checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def write_manifest(folder: Path) -> None:
    """Write the SHA-256 of every model in a folder."""
    digests = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob("*.onnx"))
    }
    (folder / "models.json").write_text(json.dumps(digests, indent=2) + "\n")


def _attributes(trees: Iterable[Mapping[str, Any]], share: float) -> dict[str, list[Any]]:
    """Return trees as the operator's parallel arrays; leaves weigh `share` of what they are worth."""
    nodes: dict[str, list[Any]] = {
        name: []
        for name in (
            *("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_values"),
            *("nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true"),
        )
    }
    targets: dict[str, list[Any]] = {
        name: [] for name in ("target_treeids", "target_nodeids", "target_ids", "target_weights")
    }
    for number, root in enumerate(trees):
        flat = _flatten(root)
        for index, (node, left, right) in enumerate(flat):
            leaf = "leaf_value" in node
            values = {
                "nodes_treeids": number,
                "nodes_nodeids": index,
                "nodes_featureids": 0 if leaf else node["split_feature"],
                "nodes_modes": "LEAF" if leaf else "BRANCH_LEQ",
                "nodes_values": 0.0 if leaf else float(node["threshold"]),
                "nodes_truenodeids": left,
                "nodes_falsenodeids": right,
                "nodes_missing_value_tracks_true": 0 if leaf else int(_missing_goes_left(node)),
            }
            for name, value in values.items():
                nodes[name].append(value)
            if leaf:
                targets["target_treeids"].append(number)
                targets["target_nodeids"].append(index)
                targets["target_ids"].append(0)
                targets["target_weights"].append(float(node["leaf_value"]) * share)
    return nodes | targets


def _missing_goes_left(node: Mapping[str, Any]) -> bool:
    """Return where NaN goes; a split that never saw one takes it for 0."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return bool(node["threshold"] >= 0)


def _flatten(root: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], int, int]]:
    """Return a tree's nodes, each with the places of its children in the list; a leaf has 0."""
    flat: list[tuple[Mapping[str, Any], int, int]] = [(root, 0, 0)]
    for index, (node, _, _) in enumerate(flat):
        if "leaf_value" not in node:
            left = len(flat)
            flat += [(node["left_child"], 0, 0), (node["right_child"], 0, 0)]
            flat[index] = (node, left, left + 1)
    return flat
