"""The repository keeps the shape that CONTRIBUTING.md promises."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
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


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text())
    return [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def test_each_rpc_is_found_again_as_the_use_case_of_its_name() -> None:
    defined = {
        function.name
        for path in MODULES
        if "services" in path.parts and "tests" not in path.parts and "servicer" not in path.name
        for function in functions(path)
    }
    rpcs = {snake_case(method.name) for service in services() for method in service.methods}
    assert len(rpcs) > 25
    assert rpcs <= defined, rpcs - defined


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_and_functions_fit_their_limits(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    for function in functions(path):
        length = (function.end_lineno or 0) - function.lineno + 1
        limit = 50 if "tests" not in path.parts else 70
        assert length <= limit, f"{function.name} has {length} lines"
