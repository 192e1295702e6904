"""`make test-fuzz-parsers`: gives a parser inputs that reach lines no earlier case has reached.

python -m fuzz.guided TARGET [options of libFuzzer]
"""

from __future__ import annotations

import sys

# In requirements-fuzz.lock: `make test-fuzz-parsers` installs it.
import atheris

with atheris.instrument_imports(include=["everword", "everword_search", "everword_compactor"]):
    from fuzz.parsers import TARGETS


def main() -> None:
    name, *options = sys.argv[1:]
    atheris.Setup([name, *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
