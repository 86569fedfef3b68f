"""Starting is light, and the console behaves when its reader goes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "pandas", "plotly", "pyarrow", "torch", "dask", "rich", "ssl")
EVERY_HELP = """
from kernelmap.cli import COMMANDS, main
for name in COMMANDS:
    main([name, "--help"], standalone_mode=False)
"""
RUN = "import sys; from kernelmap.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize(
    "code",
    [
        "import kernelmap",
        "from kernelmap.cli import main; main(['--help'], standalone_mode=False)",
        EVERY_HELP,
    ],
)
def test_starting_loads_nothing_heavy(code: str) -> None:
    """Import, and the help of each command, are answered without any of the large packages."""
    done = subprocess.run(  # noqa: S603 -- our own code
        [
            sys.executable,
            "-c",
            f"import sys\n{code}\nprint('loaded:', *{{m.partition('.')[0] for m in sys.modules}})",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()

    assert "kernelmap" in loaded
    assert set(loaded) & set(HEAVY) == set()


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["json", "table", "csv", "markdown"])
@pytest.mark.parametrize("sample", ["cpu_block", "sim_mlp_train"])
def test_a_printed_answer_needs_no_frames(sample: str, form: str) -> None:
    """Pandas and pyarrow are loaded where a DataFrame is handed out, which a text is not."""
    folder = Path(__file__).parents[2] / "sample_traces" / sample
    done = subprocess.run(  # noqa: S603 -- our own code
        [
            sys.executable,
            "-c",
            "import atexit, sys\n"
            "heavy = {'pandas', 'plotly', 'pyarrow', 'torch'}\n"
            "atexit.register(lambda: print(heavy & set(sys.modules), file=sys.stderr))\n" + RUN,
            "correlate",
            str(folder),
            "--format",
            form,
        ],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip()
    assert done.stderr.splitlines()[-1] == "set()"


@pytest.mark.parametrize("sample", ["cpu_block", "cuda_two_streams"])
def test_a_report_needs_no_frames(sample: str, tmp_path: Path) -> None:
    """A report is written from rows: it loads neither pandas nor plotly, which take half as long.

    Plotly's script for the browser is a file of its package, which is read and not run.
    """
    folder = Path(__file__).parents[2] / "sample_traces" / sample
    page = tmp_path / "report.html"
    code = (
        "import atexit, sys\n"
        "heavy = {'pandas', 'plotly', 'pyarrow'}\n"
        "atexit.register(lambda: print(heavy & set(sys.modules), file=sys.stderr))\n" + RUN
    )
    done = subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, "-c", code, "correlate", str(folder), "-o", str(page)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "Plotly" in page.read_text("utf-8")
    assert done.stderr.splitlines()[-1] == "set()"


@pytest.mark.parametrize("arguments", [("--version",), ("which",)])
def test_the_package_runs_as_the_command_does(arguments: tuple[str, ...]) -> None:
    """`python -m kernelmap` prints and exits like `kernelmap`; its usage names what was typed."""
    program, package = (
        subprocess.run([sys.executable, *how, *arguments], capture_output=True, text=True)  # noqa: PLW1510, S603 -- our own code
        for how in (("-c", RUN), ("-m", "kernelmap"))
    )
    said = package.stderr.replace("python -m kernelmap", "-c")

    assert (package.returncode, package.stdout) == (program.returncode, program.stdout)
    assert said == program.stderr


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    """`kernelmap … | head` ends without a message, with the code that shells use for it."""
    code = tmp_path / "output_code.py"
    code.write_text("def call(args):\n    extern_kernels.mm(args[0], args[1], out=args[2])\n")
    with subprocess.Popen(  # noqa: S603 -- our own code
        [sys.executable, "-c", RUN, "inspect", str(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()

    assert (said, process.returncode) == (b"", 141)
