"""What takes hundreds of passes as arrays is compiled."""

from setuptools import Extension, setup

COMPILED = ("ranking/compare", "ranking/trees", "cache/scan", "cache/score")

setup(
    ext_modules=[
        Extension(
            f"everword_search.{name.replace('/', '.')}",
            [f"src/everword_search/{name}.pyx"],
            include_dirs=["src/everword_search"],
            depends=["src/everword_search/processors.h"],
            extra_compile_args=["-O3"],
        )
        for name in COMPILED
    ]
)
