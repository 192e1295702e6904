"""Builds the C extensions for work on arrays of hundreds of passages. Without a C compiler, numpy versions are used."""

import os
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

COMPILED = ("compare", "trees", "scan", "score")
SOURCES = "src/everword_search/kernels"
#: A failed build is an error only when wheels are built for publication.
IS_OPTIONAL = "CIBUILDWHEEL" not in os.environ


class OptionalBuild(build_ext):  # type: ignore[misc]
    """Builds the extensions; if that fails, prints a notice instead of an error."""

    def run(self) -> None:
        super().run()
        if not all(os.path.exists(self.get_ext_fullpath(each.name)) for each in self.extensions):
            print(
                "NOTICE: no working C compiler: everword-search will be slower. Install one"
                " (apt-get install gcc python3-dev), then install everword-search again.",
                file=sys.stderr,
            )


setup(
    cmdclass={"build_ext": OptionalBuild},
    ext_modules=[
        Extension(
            f"everword_search.kernels.{name}",
            [f"{SOURCES}/{name}.pyx"],
            include_dirs=[SOURCES],
            depends=[f"{SOURCES}/processors.h"],
            extra_compile_args=["-O3"],
            optional=IS_OPTIONAL,
        )
        for name in COMPILED
    ],
)
