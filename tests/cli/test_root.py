"""The root: help, version, unknown commands, lightness."""

import subprocess
import sys

import pytest

from widemargin.cli.root import COMMANDS, EXIT_CODES


def test_help_names_every_command_and_exit_code(wm):
    ran = wm("--help")
    assert ran.code == 0
    for word in [*COMMANDS, *map(str, EXIT_CODES)]:
        assert f"\n  {word} " in ran.out
    assert wm("help").out == wm("-h").out == ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(wm, command):
    ran = wm(command, "--help")
    assert ran.code == 0
    assert f"wm {command}" in ran.out
    assert wm("help", command).out == ran.out


def test_version(wm):
    import widemargin

    assert wm("--version").out == f"widemargin {widemargin.__version__}\n"


def test_no_command_and_unknown_commands_are_usage_errors(wm):
    assert wm().code == 2
    ran = wm("trian")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean train?" in ran.err
    assert "the commands are easy" in wm("zzzzz").err


def test_root_help_loads_nothing_heavy():
    program = (
        "import sys; before = set(sys.modules); from widemargin.cli import main; main(['--help']);"
        "print('MODULES', *sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.rpartition("MODULES ")[2].split())
    heavy = {"numpy", "sklearn", "scipy", "argparse", "re", "typing", "dataclasses", "rich", "logging"}
    assert not heavy & loaded
    assert {name for name in loaded if name.startswith("widemargin")} == {
        "widemargin",
        "widemargin.cli",
        "widemargin.cli.root",
    }


def test_doctor_tells_what_is_installed(wm):
    ran = wm("doctor", "--json")
    assert ran.code == 0
    assert set(ran.json) == {"versions", "processor", "threads", "blas", "memory", "optional", "environment"}
    assert ran.json["processor"]["SIMD level in use"]
    assert any(pool["library"] == "widemargin" for pool in ran.json["blas"])
    assert "versions" in wm("doctor").out
