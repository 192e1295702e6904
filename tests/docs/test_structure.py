"""The repository has the structure that CONTRIBUTING.md describes."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

from google.protobuf.descriptor import ServiceDescriptor

import everword.internal.v1
import everword.v1

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("everword/v1/", "everword/internal/", "src/buf/")
MODULES = [
    path
    for folder in ("libs", "services", "scripts", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not any(part in path.as_posix() for part in GENERATED)
]


def services() -> list[ServiceDescriptor]:
    found = []
    for package in (everword.v1, everword.internal.v1):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if module.name.endswith("_service_pb2"):
                descriptor = importlib.import_module(module.name).DESCRIPTOR
                found += descriptor.services_by_name.values()
    return found


@cache
def functions(path: Path) -> list[tuple[str, int]]:
    """Return the functions of a module with their numbers of lines."""
    tree = ast.parse(path.read_text())
    return [
        (node.name, (node.end_lineno or 0) - node.lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def test_each_rpc_has_a_use_case_function_of_its_name() -> None:
    defined = {
        function
        for path in MODULES
        if "services" in path.parts and "tests" not in path.parts and "servicer" not in path.name
        for function, _ in functions(path)
    }
    rpcs = {snake_case(method.name) for service in services() for method in service.methods}
    assert len(rpcs) > 25
    assert rpcs <= defined, rpcs - defined


def lengths(path: Path) -> dict[str, int]:
    """Return the number of lines of a module and of each of its functions."""
    name = path.relative_to(ROOT).as_posix()
    each = {f"{name}: {function}": lines for function, lines in functions(path)}
    return {name: len(path.read_text().splitlines()), **each}


def test_modules_and_functions_are_within_length_limits() -> None:
    long = []
    for path in MODULES:
        module, function = (400, 70) if "tests" in path.parts else (400, 60)
        found = lengths(path).items()
        long += [name for name, lines in found if lines > (function if ": " in name else module)]
    assert long == []
