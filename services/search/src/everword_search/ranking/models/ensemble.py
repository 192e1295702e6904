"""Ensembles of regression trees, stored as arrays in packaged files.

A file's metadata names the features, the training data and the training script. Its SHA-256 is compared with
`MANIFEST`, so that a damaged or foreign file is not used.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import resources
from io import BytesIO
from zipfile import BadZipFile

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Floats
from everword_search.kernels.compiled import MOST_LEAVES, add_up

log = logging.getLogger(__name__)
MANIFEST = "models.json"
#: The arrays of a model, in the order of `add_up`'s parameters.
_ARRAYS = {
    "threshold": np.float32,
    "feature": np.uint8,
    "nan_goes_left": np.uint8,
    "kept": np.uint32,
    "nodes": np.int32,
    "leaf": np.float32,
    "ends": np.int32,
}
#: Exceptions raised by loading a file that is not a model.
_UNREADABLE = (OSError, EOFError, BadZipFile, LookupError, TypeError, ValueError, AttributeError)


class ModelUnusable(Exception):
    """A model file is missing or differs from the manifest; the message names the file and the cause."""


class Ensemble:
    """An ensemble of regression trees."""

    def __init__(self, file_name: str) -> None:
        """Load a packaged model. Raises ModelUnusable."""
        try:
            with np.load(BytesIO(_read(file_name)), allow_pickle=False) as arrays:
                metadata: dict[str, str] = json.loads(str(arrays["metadata"]))
                trees = {
                    name: arrays[name].astype(kind, casting="safe")
                    for name, kind in _ARRAYS.items()
                }
                _check(**trees, features=len(json.loads(metadata["features"])))
        except _UNREADABLE as error:
            raise ModelUnusable(f"{file_name}: {error}") from error
        self._add_up: Callable[[Array], Floats] = partial(add_up, *trees.values())
        self.name = file_name
        #: Origin of the model: `data`, `script`, and the `features` that it takes.
        self.metadata: Mapping[str, str] = metadata
        self.features: Sequence[str] = json.loads(metadata["features"])

    def score(self, features: Mapping[str, Floats]) -> Floats:
        """Return the sum of all trees for each memory."""
        rows = np.array([features[name] for name in self.features], np.float32)
        return self._add_up(rows)


def _check(
    threshold: Array,
    feature: Array,
    nan_goes_left: Array,
    kept: Array,
    nodes: Array,
    leaf: Array,
    ends: Array,
    features: int,
) -> None:
    """Raise ValueError for arrays that are no valid trees, because `add_up` does not check bounds."""
    arrays = (threshold, feature, nan_goes_left, kept, nodes, leaf, ends)
    if any(array.ndim != 1 for array in arrays) or not len(nodes) or np.isnan(threshold).any():
        raise ValueError("it has no trees")
    if len({len(threshold), len(feature), len(nan_goes_left), len(kept), *nodes[-1:]}) > 1:
        raise ValueError("its nodes are not as many in each array")
    if len(nodes) != len(ends) or len(leaf) != [0, *ends][-1]:
        raise ValueError("its leaves are not those of its trees")
    node_counts, leaf_counts = np.diff(nodes, prepend=0), np.diff(ends, prepend=0)
    if (node_counts < 0).any() or (leaf_counts < 1).any() or (leaf_counts > MOST_LEAVES).any():
        raise ValueError(f"a tree has no leaves, or more than {MOST_LEAVES}")
    if (feature >= features).any():
        raise ValueError(f"a node asks for a feature that is none of the {features}")
    last = np.repeat(leaf_counts - 1, node_counts)
    if (kept >> last.astype(np.uint32) & 1 == 0).any():
        raise ValueError("a node keeps none of its tree's leaves")


def _read(file_name: str) -> bytes:
    folder = resources.files(__package__)
    content = (folder / file_name).read_bytes()
    expected = json.loads((folder / MANIFEST).read_text()).get(file_name)
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ModelUnusable(f"{file_name}: its SHA-256 is {found}, not {expected}")
    return content


def load_ensemble(file_name: str) -> Ensemble | None:
    """Return a packaged model; None, with a warning, if it cannot be used."""
    try:
        return Ensemble(file_name)
    except ModelUnusable as error:
        log.warning("a ranking model cannot be used", extra={"error": str(error)})
        return None
