"""Which licence each distribution has that comes with a service, and which licences may come along."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import distribution

from scripts.gen_locks import ENGINES, IMAGES, LOCK, locked, read_lock

#: By SPDX identifier. Those of the last line ask who changes the package itself to offer the changes, and for no more.
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC"),
    *("MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "PostgreSQL", "Zlib"),
    *("LGPL-3.0-only", "MPL-2.0"),
}
#: Names that packages use instead of an SPDX expression.
_OTHER_WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "MIT License": "MIT",
    "OSI Approved :: Apache Software License": "Apache-2.0",
    "OSI Approved :: MIT License": "MIT",
}
#: Licences read from the distribution's text, because the metadata says less.
_READ = {
    "cobble": "BSD-2-Clause",
    "google-re2": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "locate": "MIT",
    "pyromark": "MIT",
    "pystemmer": "MIT AND BSD-3-Clause",
    "tiktoken": "MIT",
    "uvloop": "MIT OR Apache-2.0",
}


@dataclass(frozen=True)
class Component:
    """A distribution that comes with a service."""

    name: str
    version: str
    #: An expression of SPDX identifiers.
    licence: str
    #: Hashes of the files that it can be installed from.
    sha256: tuple[str, ...]


def components(image: str) -> list[Component]:
    """Return what an image installs, by name."""
    return _components(locked(image))


def components_by_image() -> dict[str, list[Component]]:
    """Return the components of each image, and the engines that `everword up` starts."""
    lock = read_lock(LOCK)
    engines = _components({name: lock[name] for name in ENGINES})
    return {**{image: components(image) for image in IMAGES}, "everword up": engines}


def _components(blocks: dict[str, str]) -> list[Component]:
    return [
        Component(
            name,
            block.split("==")[1].split()[0],
            licence_of(name),
            tuple(re.findall(r"sha256:([0-9a-f]{64})", block)),
        )
        for name, block in sorted(blocks.items())
    ]


def licence_of(name: str) -> str:
    """Return the licence of an installed distribution, in words of SPDX where the metadata's own are known."""
    if name in _READ:
        return _READ[name]
    metadata = distribution(name).metadata
    classifiers = [
        each.removeprefix("License :: ")
        for each in metadata.get_all("Classifier") or []
        if each.startswith("License :: ")
    ]
    said = next(
        filter(None, (metadata.get_all(key, [""])[0] for key in ("License-Expression", "License"))),
        ", ".join(classifiers),
    )
    return _OTHER_WORDS.get(said, said)


def is_allowed(licence: str) -> bool:
    """Return whether the licence is allowed: one of alternatives (OR), all of a combination (AND).

    Expressions in brackets are refused; no dependency has one.
    """
    return any(set(each.split(" AND ")) <= ALLOWED for each in licence.split(" OR "))
