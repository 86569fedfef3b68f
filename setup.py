"""The scanner in C, which is optional: without a compiler Python reads traces (pyproject.toml)."""

from setuptools import Extension, setup

_OLDEST = 0x030B0000  # Python 3.11: one build serves all later ones, too

setup(
    ext_modules=[
        Extension(
            "kernelmap.traces._scanner",
            ["kernelmap/traces/_scanner.c"],
            define_macros=[("Py_LIMITED_API", hex(_OLDEST))],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
