"""The one callback of the dashboard, and what a browser has to post to ask for it.

Takes the body of a request and gives the same question as Dash wants to see it, made of nothing but
what was checked: Dash itself trusts the shape of what it gets. Left out: fields that are not asked
for here, such as which input has changed.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

OUTPUTS = (("page", "children"), ("bar", "children"), ("seen", "data"), ("tick", "interval"))
"""What an answer changes: pairs of an element's id and its property."""

_OUTPUT = "..{}..".format("...".join(f"{name}.{key}" for name, key in OUTPUTS))
_Plain: TypeAlias = str | int | float | bool | None


class WrongShapeError(Exception):
    """A body that asks for no callback of the dashboard's."""


class _Path(msgspec.Struct):
    id: Literal["url"]
    property: Literal["pathname"]
    value: str | None = None


class _Search(msgspec.Struct):
    id: Literal["url"]
    property: Literal["search"]
    value: str | None = None


class _Tick(msgspec.Struct):
    id: Literal["tick"]
    property: Literal["n_intervals"]
    value: int | None = None


class _Seen(msgspec.Struct):
    id: Literal["seen"]
    property: Literal["data"]
    value: dict[str, _Plain] | list[_Plain] | _Plain = None


class _Asked(msgspec.Struct):
    output: str
    inputs: tuple[_Path, _Search, _Tick]
    state: tuple[_Seen]


def checked(body: bytes) -> bytes:
    """The question in a body, written anew as JSON. Raises WrongShapeError."""
    try:
        asked = msgspec.json.decode(body, type=_Asked)
        question = {
            "output": asked.output,
            "outputs": [{"id": name, "property": key} for name, key in OUTPUTS],
            "inputs": asked.inputs,
            "state": asked.state,
            "changedPropIds": [],
        }
        again = msgspec.json.encode(question)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise WrongShapeError(str(error)) from error
    if asked.output != _OUTPUT:
        raise WrongShapeError("no such callback")
    return again
