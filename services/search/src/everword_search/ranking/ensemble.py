"""Ensembles of regression trees in files of arrays.

The files come with the package. Their metadata names the features, the data and the script that made them; what is read
is compared with the SHA-256 in `MANIFEST`, so that a damaged or foreign file is not ranked with.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from importlib import resources
from io import BytesIO
from zipfile import BadZipFile

import numpy as np

from everword.db.arrays import Array
from everword_search.ranking.arrays import Floats
from everword_search.ranking.trees import TOGETHER, add_up

log = logging.getLogger(__name__)
MANIFEST = "models.json"
#: What tells a node's number, of its left child, and a feature: two bytes and one.
_MOST_NODES, _MOST_FEATURES = 1 << 16, 1 << 8


class ModelUnusable(Exception):
    """A model file is missing or not what the manifest says; the message says which."""


class Ensemble:
    """A tree ensemble."""

    def __init__(self, file_name: str) -> None:
        """Load a packaged model. Raises ModelUnusable."""
        try:
            with np.load(BytesIO(_read(file_name)), allow_pickle=False) as arrays:
                metadata: dict[str, str] = json.loads(str(arrays["metadata"]))
                self._take(arrays, len(json.loads(metadata["features"])))
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            raise ModelUnusable(f"{file_name}: {error}") from error
        self.name = file_name
        #: What made the model: `data`, `script`, and the `features` that it takes.
        self.metadata: Mapping[str, str] = metadata
        self.features: Sequence[str] = json.loads(metadata["features"])

    def score(self, features: Mapping[str, Floats]) -> Floats:
        """Return what the trees say of each memory, in all."""
        count = len(features[self.features[0]])
        columns = np.zeros((len(self.features), -(-count // TOGETHER) * TOGETHER), np.float32)
        for row, name in enumerate(self.features):
            columns[row, :count] = features[name]
        scores = add_up(
            self._thresholds, self._nodes, self._values, self._roots, self._depths, columns
        )
        return scores[:count]

    def _take(self, arrays: Mapping[str, Array], features: int) -> None:
        """Take the trees. Raises ValueError where they lead to nodes, or ask for features, that there are not."""
        left, feature, nan_goes_left = (
            arrays[name].astype(np.int64) for name in ("left", "feature", "nan_goes_left")
        )
        count = len(left)
        inner = left != np.arange(count)
        if not 0 < count <= _MOST_NODES or not 0 < features <= _MOST_FEATURES:
            raise ValueError(f"{count} nodes and {features} features are no ensemble")
        if (left[inner] + 1 >= count).any() or (feature >= features).any():
            raise ValueError("there are not all nodes or features that its nodes name")
        self._nodes = (left | feature << 16 | nan_goes_left << 24).astype(np.int32)
        # A leaf leads to itself, whatever comes.
        self._nodes[~inner] = left[~inner] | 1 << 24
        self._thresholds = np.where(inner, arrays["threshold"], np.inf).astype(np.float32)
        self._values = arrays["value"].astype(np.float32)
        self._roots = arrays["root"].astype(np.int32)
        self._depths = arrays["depth"].astype(np.int32)
        sizes = {len(self._thresholds), len(self._values), len(self._nodes)}
        if len(sizes) > 1 or len(self._roots) != len(self._depths):
            raise ValueError("its arrays are of different lengths")
        if ((self._roots < 0) | (self._roots >= count)).any():
            raise ValueError("a tree begins where there is no node")


def _read(file_name: str) -> bytes:
    folder = resources.files(__package__) / "models"
    content = (folder / file_name).read_bytes()
    expected = json.loads((folder / MANIFEST).read_text()).get(file_name)
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ModelUnusable(f"{file_name}: its SHA-256 is {found}, not {expected}")
    return content


def load_ensemble(file_name: str) -> Ensemble | None:
    """Return a packaged model; None, with a warning, where it cannot be used."""
    try:
        return Ensemble(file_name)
    except ModelUnusable as error:
        log.warning("a ranking model cannot be used", extra={"error": str(error)})
        return None
