"""Write the Grafana dashboards of deploy/grafana/dashboards, or with --check say whether they are as they are to be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scripts.dashboards import DASHBOARDS, Dashboard, Panel

FOLDER = Path(__file__).parents[1] / "deploy" / "grafana" / "dashboards"
_WIDTH, _HEIGHT = 12, 8
_SOURCE = {"type": "prometheus", "uid": "prometheus"}


def to_json(dashboard: Dashboard) -> dict[str, Any]:
    """Return a dashboard as Grafana keeps it."""
    return {
        "uid": f"everword-{dashboard.name}",
        "title": dashboard.title,
        "tags": ["everword"],
        "schemaVersion": 41,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "links": [
            {"type": "dashboards", "tags": ["everword"], "title": "Everword", "asDropdown": True}
        ],
        "panels": [_panel(number, panel) for number, panel in enumerate(dashboard.panels)],
    }


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    """Return a panel at its place: two to a row."""
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.help,
        "datasource": _SOURCE,
        "gridPos": {
            "x": number % 2 * _WIDTH,
            "y": number // 2 * _HEIGHT,
            "w": _WIDTH,
            "h": _HEIGHT,
        },
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {"refId": chr(ord("A") + place), "expr": expression, "legendFormat": legend}
            for place, (legend, expression) in enumerate(panel.lines.items())
        ],
    }


def main() -> None:
    stale = []
    for dashboard in DASHBOARDS:
        path = FOLDER / f"{dashboard.name}.json"
        text = json.dumps(to_json(dashboard), indent=2) + "\n"
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        sys.exit(
            f"{', '.join(stale)}: not what scripts/gen_dashboards.py says: run `make dashboards`"
        )


if __name__ == "__main__":
    main()
