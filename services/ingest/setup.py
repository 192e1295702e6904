"""What looks at each character of a message is compiled."""

from setuptools import Extension, setup

COMPILED = ("plain",)

setup(
    ext_modules=[
        Extension(
            f"everword_ingest.{name}",
            [f"src/everword_ingest/{name}.pyx"],
            extra_compile_args=["-O3"],
        )
        for name in COMPILED
    ]
)
