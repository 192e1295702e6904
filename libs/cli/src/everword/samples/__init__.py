"""A sample conversation set: two weeks of an invented team that runs a bakery chain's orders.

All of it belongs into one namespace: message ids are unique over the whole file, and the evidence
of a query lies in the conversation that lists it, where queries of category `demo` come first.
"""

from importlib.resources import files
from pathlib import Path


def sample_path() -> Path:
    """Return the path of the sample, a JSON file in the format that `everword import` reads."""
    return Path(str(files(__name__) / "project.json"))
