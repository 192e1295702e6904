"""The deployment files, parsed by their own tools."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from helm_python import Chart

from everword.client import ClientSettings
from everword.client.settings import DEFAULT_ADDRESS
from everword.domain.settings import Environment
from everword.embedded.proxy import ProxySettings
from everword_compactor.settings import CompactorSettings, CompactorWorkerSettings
from everword_embedder.settings import EmbedderSettings, EmbedderWorkerSettings
from everword_ingest.settings import IngestSettings
from everword_search.settings import SearchSettings
from everword_web.settings import ADDRESSES
from support.documents import ROOT, variables_read

CHART = ROOT / "deploy" / "helm" / "everword"
#: Values that the chart requires.
NEEDED_VALUES: dict[str, Any] = {"image": {"registry": "registry.example/"}}
#: Variables of processes whose names a standard defines, not Everword.
STANDARD = {"OTEL_EXPORTER_OTLP_ENDPOINT"}
#: Variables that each server and worker must have; without some of them, a process would silently do less.
NEEDED = {
    "EVERWORD_DATABASE_URL",
    "EVERWORD_REDIS_URL",
    "EVERWORD_ADMIN_KEY",
    "EVERWORD_INTERNAL_TOKEN",
    "EVERWORD_EMBEDDER_ADDRESS",
}
_SETTINGS: dict[str, Callable[[Environment], object]] = {
    "ingest": IngestSettings.from_environment,
    "search": SearchSettings.from_environment,
    "compactor": CompactorSettings.from_environment,
    "embedder": EmbedderSettings.from_environment,
    "embedder-worker": EmbedderWorkerSettings.from_environment,
}
#: Port of the proxy.
PROXY_PORT = int(DEFAULT_ADDRESS.rpartition(":")[2])
#: Port of each HTTP server.
HTTP_PORTS = {name: address.port for name, address in ADDRESSES.items()}


class Stage(NamedTuple):
    """A stage of the Dockerfile."""

    base: str
    instructions: list[tuple[str, str]]

    def last(self, keyword: str) -> str:
        """Return the text of the last instruction with this keyword; empty if there is none."""
        return next((text for word, text in reversed(self.instructions) if word == keyword), "")


@cache
def stages() -> dict[str, Stage]:
    """Return the stages of the Dockerfile by name, without those they are based on; the last is called `final`."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    found: dict[str, Stage] = {}
    for line in filter(None, (line.strip() for line in lines)):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found[name or "final"] = stage = Stage(base, [])
        elif found:
            stage.instructions.append((word, rest.strip()))
    return found


def image_of(name: str) -> Stage:
    """Return a stage with everything inherited from its base stages."""
    stage = stages()[name]
    inherited = image_of(stage.base).instructions if stage.base in stages() else []
    return Stage(stage.base, inherited + stage.instructions)


def compose(*files: str, **variables: str) -> dict[str, dict[str, Any]]:
    """Return the services of Docker Compose, as it resolves `files`; it checks them against its own schema."""
    names = re.findall(r"\$\{([A-Z_]+):\?", (ROOT / files[0]).read_text(encoding="utf-8"))
    given = dict.fromkeys(names, "a-secret-of-some-length-0123") | variables
    options = [option for file in files for option in ("-f", file)]
    done = subprocess.run(
        [Path(sys.executable).with_name("docker-compose"), *options, "--profile", "*", "config"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    services: dict[str, dict[str, Any]] = yaml.safe_load(done.stdout)["services"]
    return services


def rendered(values: dict[str, Any] | None = None, name: str = "everword") -> list[dict[str, Any]]:
    """Return the objects that Helm renders from the chart. Raises HelmError if the chart refuses the values."""
    with Chart.load(CHART) as chart:
        templates = chart.render(NEEDED_VALUES | (values or {}), name=name, namespace="memory")
    return [
        document
        for path, text in templates.items()
        if path.endswith(".yaml")
        for document in yaml.safe_load_all(text)
        if document
    ]


def assert_settings(name: str, environment: Mapping[str, str], moved: Mapping[str, str]) -> None:
    """Assert that a process reads its whole environment and has all required variables.

    `name` is a service, or a worker with the suffix `-worker`. `moved` maps folders of the container to folders here.
    """
    assert set(environment) <= variables_read() | STANDARD, name
    given = dict(environment)
    for key, value in environment.items():
        for folder, here in moved.items():
            if value.startswith(f"{folder}/"):
                given[key] = here + value.removeprefix(folder)
    if name in {"web", *HTTP_PORTS}:
        settings = ClientSettings.from_environment(given)
        assert not any("127.0.0.1" in address for address in given.values())
        assert bool(settings.tls) == ("EVERWORD_TLS_CA" in given)
    elif name == "proxy":
        proxy = ProxySettings.from_environment(Environment(given))
        assert (proxy.listen, proxy.exposes_loopback) == ("0.0.0.0:50050", False)
        assert bool(proxy.ca) == bool(proxy.tls) == ("EVERWORD_TLS_CERT" in given)
    else:
        assert set(environment) >= NEEDED, name
        _SETTINGS.get(name, CompactorWorkerSettings.from_environment)(Environment(given))
