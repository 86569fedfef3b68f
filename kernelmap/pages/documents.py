"""The JSON documents of `doctor`, `which`, `explain` and `inspect`: all that is known, exactly.

Each names its format and version. Times are whole nanoseconds. Of Inductor's metadata what is no
plain value is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.facts.provenance import facts_missing
from kernelmap.matching.explaining.explain import Explanation
from kernelmap.matching.explaining.hits import Hit
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    Emitted,
    KernelDef,
    Notice,
    WrapperCall,
)
from kernelmap.model.advice import Advice, Finding
from kernelmap.pages.advice import say_verdict
from kernelmap.pages.program import count_provenance, origins_of_call
from kernelmap.tables.json import indent_json


def of_advice(advice: Advice) -> str:
    """A diagnosis with its sums."""
    value = {
        "format": "kernelmap.speed.advice",
        "version": 1,
        "verdict": say_verdict(advice),
        "side": advice.side,
        "total_ns": advice.total_ns,
        "confidence_ns": advice.confidence,
        "step_ns": advice.step_ns,
        "step_compiled_ns": advice.step_compiled_ns,
        "calls": advice.calls,
        "changes": advice.changes,
        "findings": [_document_of_finding(finding) for finding in advice.findings],
        "totals": advice.totals,
        "headrooms": advice.headrooms,
        "counters": advice.counters,
        "finding": advice.savings.headline if advice.savings else None,
        "savings": advice.savings,
        "refused": advice.refused,
    }
    return indent_json(value)


def _document_of_finding(finding: Finding) -> dict[str, object]:
    plain = ("slug", "what", "do", "then", "see")
    return {
        **{name: getattr(finding, name) for name in plain},
        "weight": finding.weight.name.lower(),
        "gaps": finding.gaps,
    }


def of_which(name: str, hits: Sequence[Hit]) -> str:
    """The hits as one JSON object."""
    fields = ("wrapper", "graph", "rule", "calls", "weight", "launches", "ops", "lines", "evidence")
    answers = [
        {field: getattr(hit, field) for field in fields}
        | {"confidence": dict(hit.confidence), "where": hit.where}
        | {"time_ns": hit.time_ns, "share": hit.share, "memory": hit.memory}
        for hit in hits
    ]
    return indent_json({"format": "kernelmap.which", "version": 1, "name": name, "hits": answers})


def of_explanation(explanation: Explanation) -> str:
    """The explanation as one JSON object."""
    fields = _fields_of_explanation(explanation)
    return indent_json({"format": "kernelmap.explanation", "version": 1, **fields})


def of_explanations(explanations: Sequence[Explanation]) -> str:
    """Several explanations as one JSON object."""
    answers = [_fields_of_explanation(explanation) for explanation in explanations]
    return indent_json({"format": "kernelmap.explanations", "version": 1, "launches": answers})


def of_refusal(refused: Sequence[Notice]) -> str:
    """Why a question is refused, as a JSON object in the place of its answer."""
    reasons = [{"slug": it.slug, "message": it.message, "hint": it.hint} for it in refused]
    return indent_json({"format": "kernelmap.refusal", "version": 1, "refused": reasons})


def _fields_of_explanation(explanation: Explanation) -> dict[str, object]:
    fields = ("title", "verdict", "evidence", "candidates", "steps", "memory")
    return {field: getattr(explanation, field) for field in fields}


def of_program(program: CompiledProgram) -> str:
    """All graphs with their kernels, calls and nodes."""
    value = {
        "format": "kernelmap.program",
        "version": 1,
        "graphs": [_document_of_graph(graph) for graph in program.graphs],
        "compilations": program.compilations,
        "notices": program.notices,
    }
    return indent_json(value)


def _document_of_emission(emission: Emitted) -> dict[str, object]:
    """The compilation by log and serial number, which its own record has, too."""
    compilation = emission.compilation
    # Compilations stand in a list of their own; log and serial number find the record there.
    names = {
        "compile_id": compilation.compile_id,
        "log": compilation.log,
        "serial": compilation.serial,
    }
    return {**names, "cache": emission.cache, "bypass": emission.bypass}


def _document_of_graph(graph: CompiledGraph) -> dict[str, object]:
    plain = ("id", "kind", "code", "compile_id", "aot_id", "cache_key")
    return {
        **{name: getattr(graph, name) for name in plain},
        "emitted": [_document_of_emission(call) for call in graph.emitted],
        "found": count_provenance(graph),
        "missing": facts_missing(graph),
        "kernels": [_document_of_kernel(call) for call in graph.kernels],
        "calls": [
            {
                "call": graph.call_id(call),
                **_document_of_call(call),
                "nodes": call.nodes,
                "lines": call.lines,
                "listed": call.listed,
                "modules": call.modules,
                "origins": origins_of_call(graph, call),
            }
            for call in graph.calls
        ],
        "nodes": graph.nodes,
    }


_KERNEL = (
    "name",
    "function",
    "backend",
    "category",
    "heuristic",
    "path",
    "first_line",
    "last_line",
    "hash",
    "signature",
    "specialization",
    "size_hints",
    "members",
    "source",
    "node_map",
)
_CALL = (
    "wrapper",
    "kernel",
    "function",
    "backend",
    "category",
    "target",
    "line",
    "handle",
    "occurrence",
    "numels",
)


def _document_of_kernel(kernel: KernelDef) -> Mapping[str, object]:
    """All that a definition states; `signature` and `node_map` are lists of pairs, in order."""
    return {name: getattr(kernel, name) for name in _KERNEL} | {"meta": _plain_value(kernel.meta)}


def _document_of_call(call: WrapperCall) -> Mapping[str, object]:
    """What a statement says of its launch; `device` is the one whose stream it takes."""
    return {name: getattr(call, name) for name in _CALL} | {"device": call.stream}


def _plain_value(value: object) -> object:
    """The value in JSON's types: sets as sorted lists, keys as texts, anything odd as its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain_value(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain_value(item) for item in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)
