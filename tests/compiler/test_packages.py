"""Packages of AOTInductor: what they hold is read, where they lead is never followed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from compiler.cpp_code import ADDMM, HANDLE, INFORMATION, stack, wrapper
from kernelmap.compiler import is_compiled, load_compiled
from kernelmap.compiler.files import packages
from kernelmap.errors import KernelmapError
from kernelmap.model import CompiledProgram, SourceLine, Stage
from kernelmap.model.paths import MEMBER, MEMBERS, PACKAGE, VARIABLE

MODEL = "m/data/aotinductor/model"
KEY = "aoti_torch_cuda_addmm_out:1"
CODE = wrapper(f"{HANDLE}{KEY}\n{ADDMM}")
INFORMATION_OF_IT = {
    KEY: {
        "stack_traces": [stack("/home/me/m.py", 6, "y = self.fc(x)")],
        "post_grad_nodes": ["addmm"],
        "pre_grad_nodes": ["linear"],
    }
}


def packed(path: Path, members: dict[str, str | bytes]) -> Path:
    """A zip file with these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def slugs(program: CompiledProgram) -> list[str]:
    return [notice.slug for notice in program.notices]


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_package_gives_nodes_and_lines(tmp_path: Path) -> None:
    """The wrapper in it is the graph, named as the package names the model."""
    path = packed(
        tmp_path / "model.pt2",
        {
            f"{MODEL}/cabc.wrapper.cpp": CODE,
            f"{MODEL}/{INFORMATION}": json.dumps(INFORMATION_OF_IT),
            f"{MODEL}/cabc.wrapper.so": b"\x7fELF",
            f"{MODEL}/cabc.wrapper_metadata.json": "{}",
        },
    )
    program = load_compiled(path)
    (graph,) = program.graphs
    (call,) = graph.calls

    assert program.notices == ()
    assert (graph.id, graph.kind) == ("model", "inference")
    assert graph.code == f"{path}/{MODEL}/cabc.wrapper.cpp"
    assert (call.handle, call.nodes) == (1, ("addmm",))
    assert call.lines == (SourceLine(file="/home/me/m.py", line=6, code="y = self.fc(x)"),)
    assert {n.name: (n.stage, n.pre_grad) for n in graph.nodes} == {
        "addmm": (Stage.POST_GRAD, ("linear",)),
        "linear": (Stage.PRE_GRAD, ()),
    }


def test_an_unpacked_package_is_the_same(tmp_path: Path) -> None:
    """A folder gives what the archive gives; both together give it once."""
    members: dict[str, str | bytes] = {
        f"{MODEL}/cabc.wrapper.cpp": CODE,
        f"{MODEL}/{INFORMATION}": json.dumps(INFORMATION_OF_IT),
    }
    path = packed(tmp_path / "model.pt2", members)
    for name, data in members.items():
        (tmp_path / "un" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "un" / name).write_text(str(data))
    archive, folder = load_compiled(path), load_compiled(tmp_path / "un")
    both = load_compiled(path, tmp_path / "un")

    assert archive.graphs[0].calls == folder.graphs[0].calls == both.graphs[0].calls
    assert archive.graphs[0].nodes == folder.graphs[0].nodes
    assert [(g.id, g.code) for g in both.graphs] == [(g.id, g.code) for g in folder.graphs]


def test_several_models_keep_their_names(tmp_path: Path) -> None:
    """Each model of a package is a graph, with its own information."""
    other = json.dumps({KEY: {"post_grad_nodes": ["addmm_7"]}})
    path = packed(
        tmp_path / "models.pt2",
        {
            "m/data/aotinductor/encoder/ca.wrapper.cpp": CODE,
            f"m/data/aotinductor/encoder/{INFORMATION}": json.dumps(INFORMATION_OF_IT),
            "m/data/aotinductor/decoder/cb.wrapper.cpp": CODE.replace("arg0", "arg9"),
            f"m/data/aotinductor/decoder/{INFORMATION}": other,
        },
    )

    assert {g.id: g.calls[0].nodes for g in load_compiled(path).graphs} == {
        "encoder": ("addmm",),
        "decoder": ("addmm_7",),
    }


@pytest.mark.parametrize(
    "name",
    [
        "../../escaped/cabc.wrapper.cpp",
        "/etc/escaped/cabc.wrapper.cpp",
        "C:\\escaped\\cabc.wrapper.cpp",
        "m/data/aotinductor/../../../escaped/cabc.wrapper.cpp",
        "a\x1b[31m/cabc.wrapper.cpp",
    ],
)
def test_a_hostile_path_is_only_a_name(tmp_path: Path, name: str) -> None:
    """Nothing is written or read outside of the archive, wherever a member says it belongs."""
    inner = tmp_path / "in"
    inner.mkdir()
    path = packed(inner / "model.pt2", {name: CODE, name.replace("cabc", "x") + INFORMATION: "{"})
    before = everything_in(tmp_path)
    program = load_compiled(path)

    assert len(program.graphs[0].calls) == 1
    assert everything_in(tmp_path) == before


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member is read up to the limit and no further; the others count."""
    monkeypatch.setattr(packages, "MEMBER", replace(MEMBER, most=100_000))
    path = packed(
        tmp_path / "model.pt2",
        {f"{MODEL}/cabc.wrapper.cpp": CODE, "n/bomb.cpp": b"/" * 10_000_000},
    )
    program = load_compiled(path)

    assert len(program.graphs) == 1
    assert slugs(program) == ["package-member-skipped"]
    assert "n/bomb.cpp (more than 100,000 bytes)" in program.notices[0].message


def test_many_members_share_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all members together may hold is limited as well."""
    monkeypatch.setattr(packages, "PACKAGE", replace(PACKAGE, most=3 * len(CODE)))
    members: dict[str, str | bytes] = {
        f"m/data/aotinductor/m{n}/c.wrapper.cpp": CODE.replace("arg0", f"arg{n}") for n in range(9)
    }
    program = load_compiled(packed(tmp_path / "model.pt2", members))

    assert len(program.graphs) == 3
    assert slugs(program) == ["package-member-skipped"]


def test_a_long_list_of_members_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many members a package has: it is not opened, and the error names the limit."""
    path = packed(tmp_path / "model.pt2", {f"{MODEL}/{n}.cpp": b"" for n in range(4000)})
    monkeypatch.setenv(VARIABLE, str(1000 / MEMBERS.most))
    monkeypatch.setattr(zipfile.ZipInfo, "__init__", None)  # no member's record is made

    with pytest.raises(KernelmapError) as caught:
        load_compiled(path)

    assert caught.value.slug == "input-too-large"
    assert "1,000 members" in caught.value.message


def test_as_many_members_as_may_be_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is the number itself, whatever the names are."""
    monkeypatch.setenv(VARIABLE, str(10 / MEMBERS.most))
    names = [f"{MODEL}/{n:0200}.cpp" for n in range(10)]

    assert is_compiled(packed(tmp_path / "fits.pt2", dict.fromkeys(names, b"")))
    assert not is_compiled(packed(tmp_path / "more.pt2", dict.fromkeys([*names, "x"], b"")))


def test_a_damaged_member_costs_only_itself(tmp_path: Path) -> None:
    """Bytes that do not inflate are a notice."""
    path = packed(
        tmp_path / "model.pt2",
        {"a/ca.wrapper.cpp": CODE, "b/cb.wrapper.cpp": CODE.replace("arg0", "arg9")},
    )
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("a/ca.wrapper.cpp").header_offset + 80
    data[start : start + 40] = bytes(40)
    path.write_bytes(data)
    program = load_compiled(path)

    assert len(program.graphs) == 1
    assert slugs(program) == ["package-member-skipped"]
    assert "a/ca.wrapper.cpp" in program.notices[0].message


def test_what_is_no_package_is_not_taken(tmp_path: Path) -> None:
    """Zip files without C++, files that only start like one, and what is cut off."""
    weights = packed(tmp_path / "weights.pt", {"archive/data.pkl": b"\x80\x02."})
    (tmp_path / "start.pt2").write_bytes(b"PK\x03\x04 and no more")
    whole = packed(tmp_path / "whole.pt2", {f"{MODEL}/cabc.wrapper.cpp": CODE})
    (tmp_path / "cut.pt2").write_bytes(whole.read_bytes()[:-30])

    assert is_compiled(whole)
    broken = "unreadable-package"
    slugs = {weights: "unknown-code", tmp_path / "start.pt2": broken, tmp_path / "cut.pt2": broken}
    for path, slug in slugs.items():
        assert not is_compiled(path)
        with pytest.raises(KernelmapError) as caught:
            load_compiled(path)
        assert caught.value.slug == slug


def test_a_package_without_wrapper_says_so(tmp_path: Path) -> None:
    """Other C++ is no graph."""
    program = load_compiled(packed(tmp_path / "x.zip", {"a/main.cpp": "int main() { return 0; }"}))

    assert program.graphs == ()
    assert slugs(program) == ["package-without-code"]


@pytest.mark.parametrize("data", ["{", "[]", '{"a:1": 3}', "\xff"])
def test_information_that_is_no_json_is_reported(tmp_path: Path, data: str) -> None:
    """The calls keep what their own code states."""
    members: dict[str, str | bytes] = {
        f"{MODEL}/cabc.wrapper.cpp": CODE,
        f"{MODEL}/{INFORMATION}": data.encode("latin-1"),
    }
    program = load_compiled(packed(tmp_path / "model.pt2", members))

    assert slugs(program) == ["kernel-information-unreadable"]
    assert program.graphs[0].calls[0].handle == 1


def test_only_what_is_certain_joins_pre_grad_nodes(tmp_path: Path) -> None:
    """Of several post-grad nodes in one call none is said to come from any pre-grad node."""
    many = {KEY: {"post_grad_nodes": ["a", "b"], "pre_grad_nodes": ["p", "q"]}}
    members: dict[str, str | bytes] = {
        f"{MODEL}/cabc.wrapper.cpp": CODE,
        f"{MODEL}/{INFORMATION}": json.dumps(many),
    }
    (graph,) = load_compiled(packed(tmp_path / "model.pt2", members)).graphs

    assert graph.calls[0].nodes == ("a", "b")
    assert {node.pre_grad for node in graph.nodes} == {()}


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_left_out_however_it_is_packed(tmp_path: Path, packing: int) -> None:
    """A flipped byte in what is packed costs nothing, or the member or the package, and is said."""
    path = tmp_path / "model.pt2"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr(f"{MODEL}/cabc.wrapper.cpp", CODE)
    whole, undamaged = path.read_bytes(), load_compiled(path)
    begin, end = whole.index(b".wrapper.cpp") + 12, whole.index(b"PK\x01\x02")
    for at in range(begin, end, 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            program = load_compiled(path)
        except KernelmapError:
            continue
        assert program.notices or program == undamaged
