"""`wm` in this process: exit code, standard output, standard error."""

from __future__ import annotations

import io
import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from widemargin.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def wm(capsys, monkeypatch):
    """wm("train", file, …, stdin=b"…") → Ran."""

    def run(*words, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def iris() -> Path:
    return Path(str(files("widemargin.data") / "bundled" / "iris.csv"))


@pytest.fixture(scope="session")
def iris_model(tmp_path_factory, iris) -> Path:
    """An averaged perceptron of the three species."""
    path = tmp_path_factory.mktemp("models") / "iris.wm"
    assert main(["train", str(iris), "--target", "species", "--model", "averaged", "-o", str(path), "--quiet"]) == 0
    return path


@pytest.fixture
def table(tmp_path) -> Path:
    """Two classes, a category, a hole."""
    path = tmp_path / "table.csv"
    lines = [
        f"{i},{'red' if i % 3 else 'blue'},{'' if i == 7 else i * i % 11},{'yes' if i > 9 else 'no'}" for i in range(20)
    ]
    path.write_text("size,colour,weight,kind\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def svm(tmp_path) -> Path:
    """svmlight: the sign of feature 1 decides."""
    path = tmp_path / "data.svm"
    path.write_text("".join(f"{1 if i % 2 else -1} 1:{1 if i % 2 else -1} {2 + i % 5}:0.5\n" for i in range(200)))
    return path
