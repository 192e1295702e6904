"""Links lead to existing files and headings, paths in backticks to files; the navigation contains every page."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from support.documents import ROOT, documents

FENCED = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
#: Text in backticks that counts as a path of the repository: a path with a known ending, or the name of a source file.
_IN_REPOSITORY = re.compile(
    r"(?:[\w.*…-]+/)+(?:[\w.*…-]+\.(?:py|pyx|sql|proto|md|toml|json|jsonl|ya?ml|sh|txt|xz|lock|conf))?"
    r"|(?:deploy|docs|examples|libs|protos|scripts|services|tests)/[\w./*…-]+"
    r"|[\w*]+\.(?:py|pyx|sql|proto)"
)
#: Files made by the build or by a reader of the tutorial, and text that is no path of the repository.
_ELSEWHERE = ("build/", ".", "news.py")
#: Describes earlier versions with their paths.
_HISTORY = "CHANGELOG.md"


@cache
def _prose(page: Path) -> str:
    """Return a document without its blocks of code."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as GitHub and the site generate them."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*)$", _prose(page), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return frozenset(found)


def _links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield the links of a page to files of the repository: the file, and the anchor or an empty string."""
    text = re.sub(r"`[^`\n]*`", "", _prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        yield ((page.parent / name).resolve() if name else page), anchor


def _named(page: Path) -> Iterator[str]:
    """Yield the paths of the repository in backticks on a page, without names inside files, such as `path::name`."""
    for code in re.findall(r"`([^`\n]+)`", _prose(page)):
        path = re.split(r"::|: ", code)[0]
        if _IN_REPOSITORY.fullmatch(path) and not path.startswith(_ELSEWHERE):
            yield path


@cache
def _repository() -> str:
    """Return the paths of all files and folders, a line each; folders end with a slash."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = {Path(line) for line in files.splitlines()}
    folders = {folder for path in paths for folder in path.parents}
    return "\n".join([*(f"/{path}" for path in paths), *(f"/{path}/" for path in folders)])


@cache
def _exists(named: str) -> bool:
    """Return whether some path ends with `named`; `*` is any part of a name, and `…` of a path."""
    pattern = re.escape(named).replace(r"\*", r"[^/\n]*").replace("…", ".*")
    return re.search(rf"/{pattern}/?$", _repository(), re.MULTILINE) is not None


def _navigation() -> list[Path]:
    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    return [ROOT / name for name in _leaves(config["project"]["nav"])]


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)


def test_links_lead_to_files_and_headings_that_exist() -> None:
    links = [(page, target, anchor) for page in documents() for target, anchor in _links(page)]
    assert len(links) > 100
    dead = [
        f"{page.relative_to(ROOT)}: {target.name}#{anchor}"
        for page, target, anchor in links
        if not target.exists() or (anchor and anchor not in _anchors(target))
    ]
    assert dead == []


def test_every_page_is_reachable_from_the_navigation() -> None:
    pages = _navigation()
    assert len(set(pages)) == len(pages)
    assert all(page.is_file() for page in pages)
    reached: set[Path] = set()
    ahead = list(pages)
    while ahead:
        page = ahead.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            ahead += [target for target, _ in _links(page) if target.is_file()]
    assert set(documents()) - reached == set()


def test_paths_in_backticks_exist() -> None:
    """Such paths are relative to the folder of a package or of the page, so only their end must match."""
    named = [(page, path) for page in documents() if page.name != _HISTORY for path in _named(page)]
    assert len({path for _, path in named}) > 200
    dead = [f"{page.relative_to(ROOT)}: {path}" for page, path in named if not _exists(path)]
    assert dead == []
