"""The schemas that the package has of what it prints; every other test is held to them as well."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import printed_documents
from kernelmap.cli import main
from kernelmap.cli.schemas import KINDS, schema_of

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("name", KINDS)
def test_each_schema_is_one(name: str) -> None:
    """It holds to the dialect that it names, and names format and version of its documents."""
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    head = json.dumps(schema)

    assert f'"const": "{name}"' in head or f'"enum": ["{name}"]' in head
    assert schema["title"] == name


def test_each_format_in_the_code_has_a_schema() -> None:
    """A document that some command prints is in the list; these are no answers of commands."""
    others = {
        *("kernelmap.alert", "kernelmap.bundle", "kernelmap.cuda_graphs"),
        "kernelmap.profiling",
    }
    text = "\n".join(path.read_text() for path in (ROOT / "kernelmap").rglob("*.py"))
    named = set(re.findall(r'"format": "(kernelmap[a-z._-]+)"', text))
    named |= set(re.findall(r'FORMAT[A-Z_, ]* = "(kernelmap[a-z._-]+)"', text))

    assert named - others <= set(KINDS)


def test_what_no_schema_has_is_noticed() -> None:
    """The check that all tests run under fails for a key that is new, gone or of another type."""
    document = {"format": "kernelmap.which", "version": 1, "name": "a", "hits": []}
    printed_documents.require_schema(json.dumps(document))
    for changed in (
        {**document, "more": 1},
        {**document, "hits": None},
        {key: value for key, value in document.items() if key != "hits"},
    ):
        with pytest.raises(AssertionError):
            printed_documents.require_schema(json.dumps(changed))


def test_help_prints_schemas() -> None:
    """`kernelmap help schemas` lists them, and with a name prints one that a validator takes."""
    listed = CliRunner().invoke(main, ["help", "schemas"])
    assert listed.exit_code == 0
    assert all(name in listed.stdout for name in KINDS)
    for name in KINDS:
        printed = CliRunner().invoke(main, ["help", "schemas", name])
        assert json.loads(printed.stdout) == json.loads(json.dumps(schema_of(name)))
    assert CliRunner().invoke(main, ["help", "schemas", "kernelmap.nothing"]).exit_code == 2
