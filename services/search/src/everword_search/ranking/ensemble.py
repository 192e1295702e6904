"""Ensembles of regression trees in ONNX files.

The files come with the package. Their metadata names the features, the data and the script that made them; what is read
is compared with the SHA-256 in `MANIFEST`, so that a damaged or foreign file is not ranked with.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

from everword_search.ranking.arrays import Floats

log = logging.getLogger(__name__)
MANIFEST = "models.json"


class ModelUnusable(Exception):
    """A model file is missing or not what the manifest says; the message says which."""


class Ensemble:
    """A tree ensemble, run by ONNX Runtime."""

    def __init__(self, file_name: str) -> None:
        """Load a packaged model. Raises ModelUnusable."""
        try:
            import onnxruntime  # an optional part of an installation: without it the plain weights rank

            content = _read(file_name)
            options = onnxruntime.SessionOptions()
            # A few hundred rows: more threads would only compete with other requests.
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            session = onnxruntime.InferenceSession(content, options)
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelUnusable(f"{file_name}: {error}") from error
        self.name = file_name
        self._session: Any = session
        self._input = session.get_inputs()[0].name
        #: What made the model: `data`, `script`, and the `features` that it takes.
        self.metadata: Mapping[str, str] = session.get_modelmeta().custom_metadata_map
        self.features: Sequence[str] = json.loads(self.metadata["features"])

    def score(self, features: Mapping[str, Floats]) -> Floats:
        matrix = np.stack([features[name] for name in self.features], axis=1).astype(np.float32)
        if not len(matrix):
            return np.zeros(0)
        [scores] = self._session.run(None, {self._input: matrix})
        return np.asarray(scores, np.float64).reshape(-1)


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
