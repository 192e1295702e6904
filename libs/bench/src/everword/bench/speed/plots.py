"""A run as plots: each figure over the scales, with its floor, and open-loop latency over the rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everword.bench.plots import new_figure, save_figure, svg
from everword.bench.speed.row import TARGETS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Document = Mapping[str, Any]


def draw(rows: Sequence[Document], folder: Path) -> list[Path]:
    """Write the plots of a run into a folder and return their paths. Raises PlotError without matplotlib."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with svg():
        for id_ in dict.fromkeys(row["id"] for row in rows):
            own = sorted((row for row in rows if row["id"] == id_), key=lambda row: row["scale"])
            drawn = _rates(own) if id_ == "search_load_100k" else _scales(own)
            paths.append(folder / f"{id_}.svg")
            save_figure(drawn, paths[-1])
    return paths


def _scales(rows: Sequence[Document]) -> Figure:
    drawn = new_figure()
    axes = drawn.add_subplot()
    scales = [row["scale"] for row in rows]
    axes.plot(scales, [row["value"] for row in rows], marker="o", label=TARGETS[rows[0]["id"]].what)
    floors = [row["floor"] for row in rows]
    axes.plot(scales, floors, marker="o", color="0.6", linestyle="--", label=rows[0]["floor_of"])
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("memories")
    axes.set_ylabel(rows[0]["unit"])
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside upper center", ncols=2, frameon=False)
    return drawn


def _rates(rows: Sequence[Document]) -> Figure:
    """Plot latency against the fixed request rate, one line for each scale and percentile."""
    drawn = new_figure()
    axes = drawn.add_subplot()
    for row in rows:
        rates = row["details"]["rates"]
        for share, style in (("p50_ms", "-"), ("p95_ms", "--"), ("p99_ms", ":")):
            label = f"{row['scale']:,}: {share.removesuffix('_ms')}"
            times = [each[share] for each in rates.values()]
            axes.plot([float(rate) for rate in rates], times, style, marker="o", label=label)
    axes.set_yscale("log")
    axes.set_xlabel("searches a second, asked at a fixed rate")
    axes.set_ylabel("ms")
    axes.spines[["top", "right"]].set_visible(False)
    drawn.legend(loc="outside right upper", frameon=False)
    return drawn
