"""What a counter of a GPU shows, by its name, and the unit in which it shows it.

torch's `cupti_monitor` (2.14.1) names counters for people and puts the unit behind the name:
`Power (W)`, `SM Clock (MHz)`, `HBM BW (%)`; a metric that it has no such name for keeps that of
CUPTI, `sm__cycles_active.avg.pct_of_peak_sustained_elapsed`.

A clock counts as one only in a unit of frequency, a share only in percent: a number whose unit is
not known may be anything. `Cycles (Current Kernel)` of 2.14.1 is no measurement: it is the duration
of a kernel times the median clock of the whole recording, so it says nothing of the clock while the
kernel ran, and answers to no question here.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Gauge(StrEnum):
    """What is measured of a device: the samples of a gauge can be averaged over time."""

    SM_CLOCK = "sm_mhz"
    POWER = "watts"
    TEMPERATURE = "temperature_c"
    DRAM = "dram_percent"
    SM_ACTIVE = "sm_percent"


_UNIT = re.compile(r"\s*[(\[](?P<unit>%|[A-Za-z°][A-Za-z°/%]*)[)\]]\s*$")
# Of a metric of CUPTI: what is measured, and how it is rolled up.
_METRIC = re.compile(r"(?P<base>[a-z]\w*__\w+)(?P<rollup>(?:\.\w+)*)")
_PERCENT = "%"
_METRIC_GAUGES = {
    "sm__cycles_active": Gauge.SM_ACTIVE,
    "dram__throughput": Gauge.DRAM,
    "gpu__dram_throughput": Gauge.DRAM,
}
# By name in lower case: what it shows, and by unit what a value has to be multiplied by.
_MEGAHERTZ = {"hz": 1e-6, "khz": 1e-3, "mhz": 1.0, "ghz": 1e3}
_WATTS = {"mw": 1e-3, "w": 1.0}
_CELSIUS = {"c": 1.0, "°c": 1.0}
_SHARE = {_PERCENT: 1.0}
_GAUGES = {
    "sm clock": (Gauge.SM_CLOCK, _MEGAHERTZ),
    "power": (Gauge.POWER, _WATTS),
    "temperature": (Gauge.TEMPERATURE, _CELSIUS),
    "sm active": (Gauge.SM_ACTIVE, _SHARE),
    "hbm bw": (Gauge.DRAM, _SHARE),
    "dram bw": (Gauge.DRAM, _SHARE),
}


def split_unit(name: str) -> tuple[str, str]:
    """A counter's name and its unit, "" where the name states none.

    >>> split_unit("SM Clock (MHz)"), split_unit("HBM BW (%)"), split_unit("HBM BW")
    (('SM Clock', 'MHz'), ('HBM BW', '%'), ('HBM BW', ''))
    >>> split_unit("sm__cycles_active.avg.pct_of_peak_sustained_elapsed")[1]
    '%'
    >>> split_unit("Cycles (Current Kernel)")
    ('Cycles (Current Kernel)', '')
    """
    stated = _UNIT.search(name)
    if stated is not None and stated.start() > 0:
        return name[: stated.start()], stated["unit"]
    metric = _METRIC.fullmatch(name)
    return name, _PERCENT if metric and "pct" in metric["rollup"] else ""


def gauge_of(name: str, unit: str) -> tuple[Gauge, float] | None:
    """What a counter shows and the factor to the gauge's own unit; None where it is none of them.

    >>> gauge_of("SM Clock", "MHz"), gauge_of("Power", "mW")
    ((<Gauge.SM_CLOCK: 'sm_mhz'>, 1.0), (<Gauge.POWER: 'watts'>, 0.001))
    >>> gauge_of("HBM BW", "") is None, gauge_of("Memory Clock", "MHz") is None
    (True, True)
    """
    metric = _METRIC.fullmatch(name)
    if metric is not None:
        shown = _METRIC_GAUGES.get(metric["base"])
        return None if shown is None or unit != _PERCENT else (shown, 1.0)
    gauge, factors = _GAUGES.get(name.strip().lower(), (None, {}))
    factor = factors.get(unit.lower())
    return None if gauge is None or factor is None else (gauge, factor)
