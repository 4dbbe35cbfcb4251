"""What is loaded and when. Times are measured in benchmarks/startup.py; here only which modules came in."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

HEAVY = {"numpy", "scipy", "sklearn", "pandas", "polars", "matplotlib", "joblib", "rich"}


def loaded(program: str) -> set[str]:
    """Top-level modules after the program, in a fresh process."""
    tell = "import sys\nprint('\\n'.join({m.split('.')[0] for m in sys.modules}), file=sys.__stderr__)"
    done = subprocess.run([sys.executable, "-c", f"{program}\n{tell}"], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_import_is_light():
    assert not loaded("import widemargin") & HEAVY


def test_a_name_is_loaded_when_it_is_used():
    there = loaded("import widemargin; widemargin.Perceptron")
    assert {"numpy", "sklearn"} <= there
    assert not there & {"polars", "matplotlib"}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_the_command_line_tells_about_itself_without_heavy_modules(argument):
    (command,) = entry_points(group="console_scripts", name="wm")
    program = f"from {command.module} import {command.attr} as main\nassert main(['{argument}']) == 0"
    assert not loaded(program) & HEAVY
