"""Parts in C, which are optional: without a compiler Python does the same (pyproject.toml)."""

import sys

from setuptools import Extension, setup

_OLDEST = 0x030B0000  # Python 3.11: one build serves all later ones, too

_MODULES = (
    "kernelmap.traces.kineto._scanner",
    "kernelmap.traces.perfetto._packets",
    "kernelmap.matching.aligner._decoder",
)

setup(
    ext_modules=[
        Extension(
            name,
            [name.replace(".", "/") + ".c"],
            define_macros=[("Py_LIMITED_API", hex(_OLDEST))],
            # the same answers on processors that multiply and add in one step
            extra_compile_args=[] if sys.platform == "win32" else ["-ffp-contract=off"],
            py_limited_api=True,
            optional=True,
        )
        for name in _MODULES
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
