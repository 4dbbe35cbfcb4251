"""What the documents show is what happens: Python blocks run and print what stands below them; links lead to files."""

import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import sysconfig
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

from widemargin.cli import main

matplotlib.use("Agg")
ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(page):
    return page.relative_to(ROOT).as_posix()


def run(text, said_by):
    """Runs the blocks in order; a python block followed by a text block must print it."""
    blocks = BLOCK.findall(text)
    names: dict = {"__name__": "__main__"}
    for k, (kind, code) in enumerate(blocks):
        if kind == "python":
            out = io.StringIO()
            with redirect_stdout(out):
                exec(compile(code, said_by, "exec"), names)
            if k + 1 < len(blocks) and blocks[k + 1][0] == "text":
                assert out.getvalue().split("\n") == blocks[k + 1][1].split("\n"), said_by
        if kind == "console":
            for line in code.splitlines():
                call(line)


def call(line):
    """A plain call of wm happens in this process, since a new one takes a second or two to start; the shell does the
    rest."""
    assert line.startswith("$ "), line
    words = shlex.split(line[2:])
    if words[0] == "wm" and not set("|&;<>$`*?") & set(line[2:]):
        told = io.TextIOWrapper(io.BytesIO())
        with redirect_stdout(io.TextIOWrapper(io.BytesIO())), redirect_stderr(told):
            code = main(words[1:])
        told.seek(0)
        assert code == 0, told.read()
        return
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line[2:]], env={**os.environ, "PATH": scripts}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_code_in_the_documents_runs_and_prints_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page.read_text(encoding="utf-8"), named(page))
    plt.close("all")


def test_a_document_that_lies_is_caught():
    with pytest.raises(AssertionError):
        run("```python\nprint(1)\n```\n\n```text\n2\n```\n", "a page")
    for command in ("wm inspect none.wm", "wm inspect none.wm | cat"):
        with pytest.raises(AssertionError, match=r"none\.wm"):
            run(f"```console\n$ {command}\n```\n", "a page")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_between_documents_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    plt.close("all")
    assert capsys.readouterr().out.strip()
    if "savefig" in script.read_text(encoding="utf-8"):
        pictures = list((tmp_path / "out").glob("*.png"))
        assert pictures
        assert all(p.stat().st_size > 5000 for p in pictures)


def test_pictures_of_the_documents_are_small():
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture.stat().st_size < 150_000, picture
