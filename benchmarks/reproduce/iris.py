"""Does the perceptron family repeat the published run on Iris, and do the two bounds on the fewest mistakes meet?

The run: petal length and width and a constant, virginica against the rest, 100 epochs, shuffled; it made 1595 updates,
and then 5 errors by voting and 6 by averaging. One order is one draw, so 20 orders of each kind are drawn here and the
published figures must lie among them. Lengths are whole tenths of a centimetre, so sums are exact and ties are ties;
the constant 1 cm is then 10.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from widemargin import AveragedPerceptron, VotedPerceptron
from widemargin.data import load_iris_tenths
from widemargin.study import fewest_mistakes

RESULTS = Path(__file__).parents[1] / "results"
EPOCHS, ORDERS = 100, 20
PUBLISHED = {"updates": 1595, "voting": 5, "averaging": 6}
# Ranges seen over many orders when the question was first studied.
EXPECTED = {
    "once": {"updates": (1120, 2020), "voting": (3, 9), "averaging": (4, 8)},
    "every epoch": {"updates": (1519, 1699), "voting": (5, 7), "averaging": (6, 6)},
}
SHUFFLE = {"once": "once", "every epoch": True}


def flowers() -> tuple[np.ndarray, np.ndarray]:
    X, species = load_iris_tenths()
    return np.column_stack([X[:, 2:], np.full(len(X), 10.0)]), np.where(species == "virginica", 1, -1)


def one_order(kind: str, seed: int) -> dict[str, int]:
    """Updates and errors of one order; a tie counts as an error."""
    X, y = flowers()
    options = {"max_iter": EPOCHS, "shuffle": SHUFFLE[kind], "oscillation": "ignore", "random_state": seed}
    averaged = AveragedPerceptron(fit_intercept=False, **options).fit(X, y)
    voted = VotedPerceptron(fit_intercept=False, **options).fit(X, y)
    return {
        "updates": int(averaged.n_updates_),
        "voting": int(np.count_nonzero(y * voted.decision_function(X) <= 0)),
        "averaging": int(np.count_nonzero(y * averaged.decision_function(X) <= 0)),
    }


def ranges(runs: list[dict[str, int]]) -> dict[str, tuple[int, int]]:
    return {name: (min(r[name] for r in runs), max(r[name] for r in runs)) for name in PUBLISHED}


def agrees(found: dict[str, tuple[int, int]], kind: str) -> bool:
    """Within the expected ranges, and around the published figures."""
    return all(
        EXPECTED[kind][name][0] <= low <= PUBLISHED[name] <= high <= EXPECTED[kind][name][1]
        for name, (low, high) in found.items()
    )


def sixty_points() -> tuple[np.ndarray, np.ndarray]:
    """Petals of the first 30 versicolor and the first 30 virginica flowers: they overlap."""
    X, species = load_iris_tenths()
    chosen = np.concatenate([np.flatnonzero(species == name)[:30] for name in ("versicolor", "virginica")])
    return X[chosen][:, 2:], species[chosen]


def draw(runs: dict[str, list[dict[str, int]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(7.2, 2.5), layout="constrained", sharey=True)
    shake = np.random.default_rng(0)
    for panel, (name, published) in zip(panels, PUBLISHED.items(), strict=True):
        panel.axvline(published, color="#222222", linewidth=1.2, linestyle="--")
        for k, (kind, colour) in enumerate({"once": "#0072B2", "every epoch": "#D55E00"}.items()):
            values = [r[name] for r in runs[kind]]
            heights = k + shake.uniform(-0.22, 0.22, len(values))
            panel.scatter(
                values, heights, s=16, c=colour, alpha=0.8, marker="os"[k], edgecolors="white", linewidths=0.4
            )
        label = name if name == "updates" else f"errors by {name}"
        panel.set_title(f"{label}\n(published: {published})", fontsize=9, loc="left")
        panel.set(yticks=[0, 1], yticklabels=["shuffled once", "every epoch"], ylim=(-0.5, 1.5))
        if name != "updates":
            panel.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=2)
            panel.set_xlim(2.5, 9.5)
        panel.tick_params(labelsize=8.5)
    figure.savefig(path, dpi=110)


def main() -> int:
    RESULTS.mkdir(exist_ok=True)
    runs = {kind: [one_order(kind, seed) for seed in range(ORDERS)] for kind in SHUFFLE}
    found = {kind: ranges(of_kind) for kind, of_kind in runs.items()}
    print(f"{ORDERS} orders of each kind, {EPOCHS} epochs; published: 1595 updates, 5 errors by voting, 6 by averaging")
    print(f"{'shuffled':<13}{'updates':>14}{'voting':>10}{'averaging':>12}   verdict")
    for kind, of_kind in found.items():
        cells = [f"{low}–{high}" for low, high in of_kind.values()]
        verdict = "agrees" if agrees(of_kind, kind) else "DIFFERS"
        print(f"{kind:<13}{cells[0]:>14}{cells[1]:>10}{cells[2]:>12}   {verdict}")
    few = fewest_mistakes(*sixty_points(), max_time=60)
    print(f"fewest mistakes on 60 points: at least {few.lower}, at most {few.upper}: {few.claim}")
    good = few.gap == 0 and all(agrees(found[kind], kind) for kind in found)
    record = {"epochs": EPOCHS, "published": PUBLISHED, "expected": EXPECTED, "ranges": found, "runs": runs}
    record |= {"fewest_mistakes": {"points": 60, "lower": few.lower, "upper": few.upper}, "reproduced": good}
    (RESULTS / "iris.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    draw(runs, RESULTS / "iris.png")
    print("reproduced" if good else "NOT reproduced", "· details in benchmarks/results/iris.json and iris.png")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
