"""What the scripts of the report share is there: checked on their text, without a browser."""

from __future__ import annotations

import re
from importlib.resources import files

STATIC = files("kernelmap.pages.report") / "static"


def test_scripts_use_only_what_a_script_defines() -> None:
    """A name of `kernelmap` that no script gives it stops the page before its first view."""
    scripts = [each.read_text("utf-8") for each in STATIC.iterdir() if each.name.endswith(".js")]
    text = "\n".join(line for script in scripts for line in script.splitlines() if "//" not in line)
    begun = re.search(
        r"^  return \{ (.*) \};$", (STATIC / "core.js").read_text("utf-8"), re.MULTILINE
    )
    assert begun is not None
    defined = {part.partition(":")[0].strip() for part in begun[1].split(",")}
    defined |= set(re.findall(r"\bkernelmap\.(\w+) = ", text))
    used = set(re.findall(r"\bkernelmap\.(\w+)", text))

    assert {"app", "view", "views"} <= defined
    assert used <= defined
