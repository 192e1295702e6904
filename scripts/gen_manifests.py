"""Write build/kubernetes, plain manifests, from the chart's default values."""

from __future__ import annotations

from pathlib import Path

from helm_python import Chart

ROOT = Path(__file__).parents[1]
CHART = ROOT / "deploy" / "helm" / "everword"
FOLDER = ROOT / "build" / "kubernetes"
HEADER = (
    "# Written by `make manifests` from deploy/helm/everword, with its default values and images in registry.example. "
    "docs/deployment.md says how to apply it.\n"
)
#: A placeholder; users replace it with their own registry.
REGISTRY = "registry.example/"
#: The manifest that must be applied, and finish, before the others.
FIRST = "migrate"


def manifests() -> dict[str, str]:
    """Return the text of each file by its name."""
    with Chart.load(CHART) as chart:
        rendered = chart.render(
            {"image": {"registry": REGISTRY}}, name="everword", namespace="everword"
        )
    parts: dict[str, list[str]] = {FIRST: [], "everword": []}
    for path, text in sorted(rendered.items()):
        if path.endswith(".yaml") and text.strip():
            parts[FIRST if Path(path).stem == FIRST else "everword"].append(_document(text))
    return {f"{name}.yaml": HEADER + "".join(texts) for name, texts in parts.items()}


def _document(text: str) -> str:
    """Return a rendered template as YAML documents for kubectl, without blank lines and Helm's own annotations."""
    lines = [
        line.replace("app.kubernetes.io/managed-by: Helm", "app.kubernetes.io/managed-by: kubectl")
        for line in text.strip().removeprefix("---").splitlines()
        if line.strip() and "helm.sh/" not in line
    ]
    retained = [
        line for line, after in zip(lines, [*lines[1:], ""], strict=True) if _used(line, after)
    ]
    return "---\n" + "\n".join(retained) + "\n"


def _used(line: str, after: str) -> bool:
    """Return whether a line is of use: not a heading without content."""
    return line.strip() != "annotations:" or _indent(after) > _indent(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in manifests().items():
        path = FOLDER / name
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
