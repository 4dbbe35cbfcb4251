"""Kills `wm tune` and `wm easy` at random moments and resumes them: the winner must be that of an undisturbed run.

    python tools/kill_searches.py [KILLS] [SEED]

Each round starts the command anew in an empty folder, kills it (SIGKILL) at a random moment of the time that an
undisturbed run takes, looks at what is left, and resumes. Left may be: whole model files, whole pages and tables, and a
log whose last line may be torn; nothing else.
"""

from __future__ import annotations

import csv
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from widemargin.data import load_iris
from widemargin.store import load

LEARNERS = "most frequent,linear-svm,svc,extra-trees,naive-bayes"
WHOLE = {"tune": {"model.wm", "leaderboard.csv", "tuning.json"}, "easy": {"model.wm", "leaderboard.csv", "report.html"}}


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def table(folder: Path) -> Path:
    X, y = load_iris()
    path = folder / "iris.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "d", "species"])
        writer.writerows([*x, kind] for x, kind in zip(X.tolist(), y, strict=True))
    return path


def words(command: str, file: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--target", "species", "--learners", LEARNERS, "--time", "30", "--threads", "1", "--json"]
    return [sys.executable, "-m", "widemargin", command, str(file), *flags, "-o", str(folder), *more]


def winner(printed: str) -> tuple[Any, ...]:
    found = json.loads(printed)["tuning"]
    return found["winner"]["learner"], found["winner"]["setting"], [t["loss"] for t in found["trials"]]


def half_written(command: str, folder: Path) -> list[str]:
    """What a reader of the folder must not find."""
    wrong = []
    for path in folder.iterdir() if folder.exists() else ():
        if path.name == "search.log":
            lines = path.read_text(encoding="utf-8").split("\n")[:-1]  # what stands behind the last line end is torn
            wrong += [f"{path.name}: {line[:60]}" for line in lines if not isinstance(json.loads(line), dict)]
        elif path.name not in WHOLE[command]:
            wrong.append(f"{path.name} is left behind")
        elif path.suffix == ".wm":
            load(path)
        elif path.suffix == ".html" and not path.read_text(encoding="utf-8").rstrip().endswith("</html>"):
            wrong.append(f"{path.name} has no end")
        elif path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
    return wrong


def main(kills: int = 20, seed: int = 0) -> int:
    chance, bad, landed = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as place:
        file = table(Path(place))
        whole: dict[str, tuple[Any, float]] = {}
        for command in WHOLE:
            began = time.perf_counter()
            ran = subprocess.run(
                words(command, file, Path(place) / command), capture_output=True, text=True, check=True
            )
            whole[command] = winner(ran.stdout), time.perf_counter() - began
            tell(f"{command}: {whole[command][0][:2]} in {whole[command][1]:.1f} s")
        for k in range(kills):
            command = list(WHOLE)[k % 2]
            folder, moment = Path(place) / f"{command}-{k}", chance.random() * whole[command][1]
            process = subprocess.Popen(
                words(command, file, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(moment)
            process.kill()
            landed += process.wait() == -signal.SIGKILL
            wrong = half_written(command, folder)
            known = folder / "search.log"
            lines = known.read_text(encoding="utf-8").count("\n") if known.exists() else 0
            ran = subprocess.run(words(command, file, folder, "--resume"), capture_output=True, text=True)
            same = ran.returncode == 0 and winner(ran.stdout) == whole[command][0]
            wrong += half_written(command, folder)
            bad += not same or bool(wrong)
            said = "same winner and losses" if same else f"OTHER END: {ran.stderr[-200:]}"
            tell(f"{k + 1:3} {command} after {moment:5.2f} s, {lines:2} lines kept: {said} {wrong or ''}")
    tell(f"{landed} of {kills} kills hit a running search; {bad} ended otherwise or left something half-written")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
