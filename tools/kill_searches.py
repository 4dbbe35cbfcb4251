"""Kills `wm tune` and `wm easy` at random moments and resumes them: the winner must be that of an undisturbed run.

    python tools/kill_searches.py [KILLS OF EACH COMMAND] [SEED]

Each round starts the command anew in an empty folder, kills it (SIGKILL) at a random moment of the time that an
undisturbed run takes, looks at what is left, and resumes. A search that had ended by then is no interruption: another
moment is drawn. Left may be: whole model files, whole pages and tables, and a
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
    losses = [t["loss"] for t in found["trials"]]
    return found["winner"]["learner"], found["winner"]["setting"], found["members"], losses


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


def killed(command: str, file: Path, folder: Path, moment: float) -> bool:
    """Start anew, kill after so many seconds; whether the search was still running then."""
    process = subprocess.Popen(words(command, file, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait() == -signal.SIGKILL


def resumed(command: str, file: Path, folder: Path, whole: tuple[Any, ...]) -> tuple[str, list[str]]:
    """How the search went on ("" where it came to the same end), and what was half-written before or after."""
    wrong = half_written(command, folder)
    ran = subprocess.run(words(command, file, folder, "--resume"), capture_output=True, text=True)
    wrong += half_written(command, folder)
    if ran.returncode:
        return f"ENDED WITH {ran.returncode}: {ran.stderr[-200:]}", wrong
    found = winner(ran.stdout)
    other = [f"{now} instead of {then}" for now, then in zip(found, whole, strict=True) if now != then]
    return f"OTHER END: {', '.join(other)}" if other else "", wrong


def main(kills: int = 20, seed: int = 0) -> int:
    chance, bad, late = random.Random(seed), 0, 0
    with tempfile.TemporaryDirectory() as place:
        file = table(Path(place))
        for command in WHOLE:
            began = time.perf_counter()
            ran = subprocess.run(
                words(command, file, Path(place) / command), capture_output=True, text=True, check=True
            )
            whole, took = winner(ran.stdout), time.perf_counter() - began
            tell(f"{command}: {whole[:2]} in {took:.1f} s")
            done = 0
            while done < kills:
                folder, moment = Path(place) / f"{command}-{done}-{late}", chance.random() * took
                if not killed(command, file, folder, moment):
                    late += 1  # it had ended: no interruption, another moment is drawn
                    continue
                known = folder / "search.log"
                lines = known.read_text(encoding="utf-8").count("\n") if known.exists() else 0
                left = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
                odd, wrong = resumed(command, file, folder, whole)
                done += 1
                bad += bool(odd or wrong)
                said = odd or "same winner and losses"
                tell(f"{done:3} {command} after {moment:5.2f} s, {lines:2} lines kept, {left}: {said} {wrong or ''}")
    tell(f"{kills} running searches of each command were killed; {bad} ended otherwise or left something half-written")
    tell(f"{late} more had ended before their moment came and do not count")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
