"""What a bundle says of a command line: names, and values only where somebody asked for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.capture.command_line import HIDDEN, names_only, without_secrets

SECRET = "hunter2Secret"  # noqa: S105 -- a made one
CARRIERS = [
    "--token {}",
    "--token={}",
    "-token {}",
    "--hub-token {}",
    "--pwd {}",
    "--pass {}",
    "--pw {}",
    "--passwd {}",
    "--password {}",
    "--password=-{}",
    "--password -{}",
    "--password --{}",
    "--db-pass={}",
    "--passphrase {}",
    "--secret {}",
    "--client-secret={}",
    "--credentials {}",
    "--auth {}",
    "--api-key {}",
    "--api_key={}",
    "--key {}",
    "--private-key {}",
    "--aws-secret-access-key {}",
    "hub.api_key={}",
    "HF_TOKEN={}",
    "PGPASSWORD={}",
    "MYSQL_PWD={}",
    "SSHPASS={}",
    "-H|Authorization: Bearer {}",
    "-H|Authorization: Basic {}",
    "-H|X-Api-Key: {}",
    "-H|Cookie: session={}",
    '{{"password": "{}"}}',
    "{{'auth': {{'token': '{}'}}}}",
    '--config={{"api_key":"{}"}}',
    "--config={{password: {}}}",
    "https://me:{}@host/x",
    "https://host/x?access_token={}&x=1",
    "sh|-c|export HF_TOKEN={}; python x.py",
    "sh|-c|python x.py --hub-token {} --lr 1",
    "sh|-c|curl -H 'Authorization: Bearer {}' host",
    "-c|login(token = '{}')",
    "--x|ghp_{}0123456789",
    "--x|-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----",
]


def words(text: str) -> list[str]:
    """The words of a command line; with a bar in it, the words between bars."""
    return text.split("|") if "|" in text else text.split(" ") if text.startswith("-") else [text]


@pytest.mark.parametrize("program", [["python", "train.py"], ["torchrun", "train.py"], ["sh"]])
def test_a_secret_never_gets_into_a_manifest(program: list[str]) -> None:
    """However a command carries it, and whether values are kept or not."""
    for carrier in CARRIERS:
        command = [*program, *words(carrier.format(SECRET)), "--lr", "0.1"]

        for shown in (names_only(command), without_secrets(command)):
            assert SECRET not in " ".join(shown), shown
            assert shown[: len(program)] == tuple(program)


@given(st.lists(st.text(min_size=1)), st.sampled_from([["python", "-O", "a.py"], ["accelerate"]]))
def test_without_being_asked_no_value_is_kept(arguments: list[str], program: list[str]) -> None:
    """Of the program's arguments only the names of options are kept, and the number of words."""
    shown = names_only([*program, *arguments])

    assert shown[: len(program)] == tuple(program)
    assert len(shown) == len(program) + len(arguments)
    for word, kept in zip(arguments, shown[len(program) :], strict=True):
        is_name = word.startswith("-") and kept in (word, f"{word.partition('=')[0]}={HIDDEN}")
        assert is_name or kept in (HIDDEN, f"{word[:2]}{HIDDEN}") or word.endswith(".py")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("python -u -X dev train.py --lr 0.1 x", "python -u -X dev train.py --lr *** ***"),
        ("python -m pkg.train --lr=0.1 -v", "python -m pkg.train --lr=*** -v"),
        ("python -c print(1) x", "python -c *** ***"),
        ("python -um pkg", "python -u -m pkg"),
        (
            "torchrun --nproc_per_node 2 a/train.py b.py",
            "torchrun --nproc_per_node *** a/train.py ***",
        ),
        ("sh -c hunter2", "sh -c ***"),
        ("mysql -phunter2", "mysql -p***"),
    ],
)
def test_the_program_and_the_names_of_its_options_are_kept(command: str, shown: str) -> None:
    """What a person needs to know which program it was."""
    assert " ".join(names_only(command.split())) == shown


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("--token=abc", "--token=***"),
        ("hub.api_key=abc", "hub.api_key=***"),
        ("--wandb-key=abc", "--wandb-key=***"),
        ("https://me:pass@host/x", "https://***@host/x"),
        ("ghp_0123456789abcdef0123", "***"),
        ("export HF_TOKEN=abc; python x.py", "export HF_TOKEN=***; python x.py"),
        ("python x.py --hub-token abc --lr 1", "python x.py --hub-token *** --lr 1"),
        ("login(token = 'a b')", "login(token = ***)"),
        ("x --tokenizer gpt2 --max-tokens 5 --auth", "x --tokenizer gpt2 --max-tokens 5 --auth"),
        ("--max-tokens=512", "--max-tokens=512"),
        ("--tokenizer=gpt2", "--tokenizer=gpt2"),
        ("--author=me", "--author=me"),
        ("--keyframes=3", "--keyframes=3"),
        ("--compass=3", "--compass=3"),
        ('{"password": "x", "lr": 0.1}', '{"password": ***, "lr": 0.1}'),
        ("curl -H 'Authorization: Bearer x' host", "curl -H 'Authorization: ***' host"),
    ],
)
def test_values_that_were_asked_for_stay(word: str, shown: str) -> None:
    """Values that are called secrets go, the rest of the command stays."""
    assert without_secrets(["python", word]) == ("python", shown)
    assert without_secrets(["--password", "x", "y"]) == ("--password", "***", "y")
