"""What takes hundreds of passages as arrays is compiled, where there is a compiler; else numpy does it."""

import os
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

COMPILED = ("compare", "trees", "scan", "score")
SOURCES = "src/everword_search/kernels"
#: A wheel for others must hold them: there, a failure is one.
IS_OPTIONAL = "CIBUILDWHEEL" not in os.environ


class OptionalBuild(build_ext):  # type: ignore[misc]
    """Builds what can be built, and says what it costs where that is not all."""

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
