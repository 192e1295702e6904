"""Measures the cosine of unrelated texts in a model.

In some models unrelated texts have a cosine of 0.05, in others of 0.7. Scores are counted from there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: No two of these are about the same thing, nor in the same form.
UNRELATED = (
    "The ferry to the island was cancelled because of fog.",
    "How many eggs go into a lemon tart?",
    "The build fails with a segmentation fault in the linker.",
    "She has played the cello since she was nine.",
    "Interest rates were left unchanged in March.",
    "My landlord finally repaired the boiler.",
    "Photosynthesis turns light into chemical energy.",
    "Please move the stand-up to half past nine.",
    "The goalkeeper was sent off in the second half.",
    "What is the capital of Mongolia?",
    "He is allergic to penicillin.",
    "We migrated the user table to the new cluster last night.",
    "The novel is told by an unreliable narrator.",
    "Tomatoes need full sun and regular watering.",
    "Her passport expires in August.",
    "The court dismissed the appeal on formal grounds.",
    "I ran ten kilometres before breakfast.",
    "Volcanic ash closed the airport for two days.",
    "Can you recommend a quiet hotel near the station?",
    "The invoice for April is still unpaid.",
    "Bees communicate the direction of food by dancing.",
    "The cat knocked the vase off the shelf again.",
    "Version 2.4 drops support for the old configuration file.",
    "The museum is closed on Mondays.",
)


def measure(queries: npt.ArrayLike, passages: npt.ArrayLike) -> tuple[float, float]:
    """Return the mean and the standard deviation of the cosines of each text as a query with the others as passages.

    Some models have a prefix for each, which moves these cosines: in multilingual-e5-small the mean is .73 instead of
    the .78 of two passages.
    """
    cosines = _units(queries) @ _units(passages).T
    others = cosines[~np.eye(len(cosines), dtype=bool)]
    return float(np.mean(others)), float(np.std(others))


def _units(vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    matrix = np.array(vectors, dtype=np.float64)
    units: npt.NDArray[np.float64] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return units
