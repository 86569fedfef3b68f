"""Each JSON document that a command prints in a test is checked against the schema of the package.

`checked` does it for commands that run in the process of the test, `require_schema` for a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner, Result

_ROWS = 40  # of a list are looked at: rows of a table are made in one place, and all alike


@contextmanager
def checked() -> Iterator[None]:
    """Check what commands print while this lasts."""
    invoke = CliRunner.invoke

    def invoke_and_check(self: CliRunner, *arguments: Any, **options: Any) -> Result:  # noqa: ANN401 -- click's
        result = invoke(self, *arguments, **options)
        # Wrong usage prints nothing; a refusal is a document, too.
        if result.exit_code in (0, 1, 3) and result.stdout.startswith("{"):
            require_schema(result.stdout)
        return result

    with patch.object(CliRunner, "invoke", invoke_and_check):
        yield


def require_schema(text: str) -> None:
    """Fail where a text, or the head of lines of JSON, is not what its schema says."""
    try:
        document = json.loads(text)
    except ValueError:
        lines = [json.loads(line) for line in text.splitlines()]
        document = {**lines[0], "rows": lines[1:]}
    # Traces and locks are no documents of ours.
    name = document.get("format")
    if not isinstance(name, str) or not name.startswith("kernelmap."):
        return
    errors = [
        f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in validator_of(name).iter_errors(first_rows(document))
    ]
    assert not errors, "\n".join(errors[:5])


@cache
def validator_of(name: str) -> Any:  # noqa: ANN401 -- jsonschema has no types
    """What checks documents of a format; unlike for users, every key has to be described."""
    from jsonschema import Draft202012Validator

    from kernelmap.cli.schemas import schema_of

    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(closed(schema))


def closed(schema: Any) -> Any:  # noqa: ANN401 -- a part of a schema
    """The schema without leave for keys that it does not have."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(part) for key, part in schema.items()}
    if made.get("type") == "object" and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def first_rows(value: Any) -> Any:  # noqa: ANN401 -- JSON
    """A document with the first rows of its lists."""
    if isinstance(value, list):
        return [first_rows(each) for each in value[:_ROWS]]
    if isinstance(value, dict):
        return {key: first_rows(each) for key, each in value.items()}
    return value
