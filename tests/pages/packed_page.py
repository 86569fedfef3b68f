"""A page's data, read back without a browser."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Json: TypeAlias = Any  # what a page carries is looked at piece by piece


def data_of(page: str) -> Json:
    """The JSON in the page, with its parts unpacked."""
    (text,) = re.findall(r'<script id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    data = json.loads(text)
    for name in ("calls", "findable", "texts"):
        data[name] = unpacked(data[name])
    data["views"] = {name: unpacked(view) for name, view in data["views"].items()}
    return data


def unpacked(packed: str) -> Json:
    """Compressed JSON."""
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def numbers(column: Mapping[str, Json]) -> NDArray[np.int64]:
    """A packed column of numbers >= 0."""
    count = column["count"]
    raw = zlib.decompress(base64.b64decode(column["packed"]))
    planes = np.frombuffer(raw, np.uint8).reshape(column["bytes"], count).astype(np.int64)
    weights = 256 ** np.arange(column["bytes"], dtype=np.int64)
    values: NDArray[np.int64] = (planes * weights[:, None]).sum(axis=0)
    return values


def signed(column: Mapping[str, Json]) -> NDArray[np.int64]:
    """A packed column of numbers of either sign."""
    folded = numbers(column)
    return np.where(folded % 2 == 1, -(folded + 1) // 2, folded // 2)
