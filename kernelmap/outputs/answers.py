"""Answers to `which` and `explain`, for a terminal, as JSON or as Markdown.

Takes the records that matching gives, gives text; says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from kernelmap.matching.explaining.explain import Explanation
from kernelmap.matching.explaining.which import Hit
from kernelmap.matching.explaining.which_library import AROUND, OP_RULES
from kernelmap.model.notices import count
from kernelmap.outputs.json import indented
from kernelmap.outputs.layout import Part, draw
from kernelmap.outputs.markdown import code, line
from kernelmap.present.text import visible


def which(name: str, hits: Sequence[Hit], width: int) -> Text:
    """The hits as a table of `width` characters, each with what speaks for it."""
    title = Text(visible(name), "bold")
    title.append(_stands_for(hits), "not bold")
    cells = [_cells(hit) for hit in hits]
    parts = [
        Part(header="kernel", cells=[c[0] for c in cells], least=24, style="bold"),
        Part(header="graph", cells=[c[1] for c in cells], rank=2),
        Part(header="calls", cells=[c[2] for c in cells], rank=1, least=16),
    ]
    if any(hit.launches is not None for hit in hits):
        parts.append(Part(header="launches", cells=[c[3] for c in cells], right=True))
    told = dict.fromkeys(visible(each) for hit in hits for each in hit.evidence)
    return _joined([title, Text(), *draw(parts, width, [False] * len(hits)), Text(), *_list(told)])


def explain(explanation: Explanation) -> Text:
    """The verdict, then the evidence as a list, then the calls that also stand."""
    lines = [
        Text(visible(explanation.title), "bold"),
        Text(visible(explanation.verdict)),
        Text(),
        *_list(map(visible, explanation.evidence)),
    ]
    if explanation.candidates:
        lines += [Text(), Text("Candidates", "bold"), *_list(map(visible, explanation.candidates))]
    return _joined(lines)


def explanations(answers: Sequence[Explanation]) -> Text:
    """Many verdicts, a line each: launches that one thing on the host has issued."""
    lines = [Text(f"{count(len(answers), 'launch')}:", "bold"), Text()]
    for each in answers:
        told = Text(f"  {visible(each.title)}\n", "bold")
        lines.append(told.append(f"    {visible(each.verdict)}", "not bold"))
    shared = [
        visible(text)
        for text in answers[0].evidence
        if all(text in each.evidence for each in answers[1:])
    ]
    if shared:
        lines += [Text(), Text("All of them", "bold"), *_list(shared)]
    lines += [Text(), Text("`kernelmap explain LAUNCH …` shows the evidence of one.")]
    return _joined(lines)


def which_markdown(name: str, hits: Sequence[Hit]) -> str:
    """The hits as a Markdown table."""
    head = ["kernel", "graph", "calls", "launches", "why"]
    lines = [f"{code(name)}{_stands_for(hits)}", "", line(head), line(["---"] * len(head))]
    for hit in hits:
        wrapper, graph, calls, launches = _cells(hit)
        why = "; ".join(map(code, hit.evidence))
        lines.append(line([code(wrapper), code(graph), code(calls, empty=""), launches, why]))
    return "\n".join([*lines, ""])


def explain_markdown(explanation: Explanation) -> str:
    """The verdict and its evidence as Markdown."""
    lines = [f"### {code(explanation.title)}", "", code(explanation.verdict), ""]
    lines += [f"- {code(each)}" for each in explanation.evidence]
    if explanation.candidates:
        lines += ["", f"Candidates: {', '.join(map(code, explanation.candidates))}"]
    return "\n".join([*lines, ""])


def which_json(name: str, hits: Sequence[Hit]) -> str:
    """The hits as one JSON object."""
    fields = ("wrapper", "graph", "rule", "calls", "weight", "launches", "ops", "lines", "evidence")
    found = [
        {field: getattr(hit, field) for field in fields}
        | {"confidence": dict(hit.confidence), "where": hit.where}
        for hit in hits
    ]
    return indented({"format": "kernelmap.which", "version": 1, "name": name, "hits": found})


def explain_json(explanation: Explanation) -> str:
    """The explanation as one JSON object."""
    fields = _fields(explanation)
    return indented({"format": "kernelmap.explanation", "version": 1, **fields})


def explanations_json(explanations: Sequence[Explanation]) -> str:
    """Several explanations as one JSON object."""
    found = [_fields(each) for each in explanations]
    return indented({"format": "kernelmap.explanations", "version": 1, "launches": found})


def _fields(explanation: Explanation) -> dict[str, object]:
    fields = ("title", "verdict", "evidence", "candidates")
    return {field: getattr(explanation, field) for field in fields}


def _stands_for(hits: Sequence[Hit]) -> str:
    kernels = [hit for hit in hits if not hit.graph.startswith("(")]
    rules = ", ".join(dict.fromkeys(hit.rule for hit in kernels or hits))
    if not kernels:
        return f" {_without_call(hits)}, found by {rules}"
    if all(hit.rule in OP_RULES for hit in kernels):
        return f" is an op of {count(len(kernels), 'kernel')}, found by {rules}"
    verb = "is" if len(kernels) == 1 else "may stand for"
    return f" {verb} {count(len(kernels), 'kernel')}, found by {rules}"


def _without_call(hits: Sequence[Hit]) -> str:
    """What a name stands for of which no launch has a single call."""
    total = sum(hit.launches or 0 for hit in hits)
    unknown, ambiguous = (
        sum(hit.launches or 0 for hit in hits if hit.graph == word)
        for word in ("(unknown)", "(ambiguous)")
    )
    if ambiguous:
        return f"is of compiled code: {_of(ambiguous, total)} may be of several calls"
    if unknown:
        have = "has" if unknown == 1 else "have"
        return f"may be of compiled code: {_of(unknown, total)} {have} no known call"
    if sum(hit.tuned for hit in hits) == total:
        return "is of no call: only the autotuner ran it"
    if all(hit.rule == AROUND for hit in hits):
        return "ran outside of compiled code"
    return "is no kernel of compiled code"


def _of(number: int, total: int) -> str:
    return f"{number:,} of {count(total, 'launch')}"


def _cells(hit: Hit) -> tuple[str, str, str, str]:
    launches = "" if hit.launches is None else f"{hit.launches:,}"
    return visible(hit.wrapper), visible(hit.graph), visible(", ".join(hit.calls)), launches


def _list(texts: Iterable[str]) -> list[Text]:
    return [Text(f"  · {text}") for text in texts]


def _joined(lines: Sequence[Text]) -> Text:
    return Text("\n").join([*lines, Text()])
