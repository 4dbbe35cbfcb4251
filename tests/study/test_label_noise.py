"""Studies of wrong labels: paired splits, honest intervals, and a file that takes up where it was left."""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from widemargin.base.errors import BadInput
from widemargin.study import NoiseStudy, label_noise_study
from widemargin.study.label_noise import interval

LEARNERS = {"one": KNeighborsClassifier(1), "many": KNeighborsClassifier(15), "none": DummyClassifier()}
LEARNERS |= {f"about {k}": KNeighborsClassifier(k) for k in (13, 17)}  # these hardly differ
SETS = {f"set {k}": make_classification(150, 6, random_state=k) for k in range(4)} | {
    "iris": load_iris(return_X_y=True)
}


@pytest.fixture(scope="module")
def study():
    return label_noise_study(LEARNERS, SETS, repeats=2)


def test_intervals_are_those_of_students_t(study):
    """Against SciPy: of one mean, and of paired differences."""
    values = np.array([0.3, 0.1, 0.25, 0.4])
    told, expected = interval(values), ttest_1samp(values, 0).confidence_interval()
    assert (told["low"], told["high"]) == pytest.approx((expected.low, expected.high))
    assert np.isnan(interval(values[:1])["low"])
    one, many = study.loss("one", 0.2), study.loss("many", 0.2)
    gap = ttest_rel(one, many).confidence_interval()
    assert gap.low > 0  # the nearest neighbour believes every label
    found = [o for o in study.orderings() if (o["better"], o["worse"], o["share"]) == ("many", "one", 0.2)]
    assert (found[0]["low"], found[0]["high"]) == pytest.approx((gap.low, gap.high))


def test_orderings_are_told_only_where_the_interval_excludes_zero(study):
    told = {(o["share"], frozenset((o["better"], o["worse"]))) for o in study.orderings()}
    for share in (0.05, 0.1, 0.2):
        for pair in combinations(LEARNERS, 2):
            gap = ttest_rel(study.loss(pair[0], share), study.loss(pair[1], share)).confidence_interval()
            assert ((share, frozenset(pair)) in told) == (gap.low > 0 or gap.high < 0)
    assert 0 < len(told) < 30
    assert all(o["low"] > 0 for o in study.orderings())


def test_figures_are_means_of_what_was_found(study):
    assert study.sets == list(SETS)
    line = next(line for line in study.table() if line["learner"] == "one" and line["share"] == 0.1)
    errors = {q: [np.mean([study.found[s, "one", q, r][0] for r in (0, 1)]) for s in SETS] for q in (0.0, 0.1)}
    assert line["mean"] == pytest.approx(np.mean(errors[0.1]) - np.mean(errors[0.0]))
    assert line["clean error"] == pytest.approx(np.mean(errors[0.0]))
    assert study.shares == [0.0, 0.05, 0.1, 0.2]
    assert study.seconds("one") > 0


def test_test_labels_stay_clean_and_training_labels_are_turned():
    """A learner that remembers its rows, where each stands ten times: it errs where most of its labels are turned."""
    X, y = np.arange(3000.0)[:, None] // 10, np.arange(3000) // 10 % 2  # ten equal rows with one label
    study = label_noise_study({"tree": DecisionTreeClassifier()}, {"steps": (X, y)}, shares=(0.2,), repeats=1)
    assert study.found["steps", "tree", 0.0, 0][0] == 0
    assert 0 < study.found["steps", "tree", 0.2, 0][0] < 0.1  # majorities of about seven labels, a fifth turned


def test_a_study_goes_on_where_it_was_left(tmp_path):
    keep, done = tmp_path / "noise.json", []
    options = {"repeats": 2, "keep": keep, "after": lambda name, r, study: done.append((name, r))}
    few = dict(list(SETS.items())[:2])
    assert label_noise_study(LEARNERS, few, max_time=0, **options).sets == []
    part = label_noise_study(LEARNERS, {"set 0": few["set 0"]}, **options)
    assert (part.sets, part.repeats("set 0")) == (["set 0"], [0, 1])
    whole = label_noise_study(LEARNERS, few, **options)
    assert done == [("set 0", 0), ("set 0", 1), ("set 1", 0), ("set 1", 1)]
    at_once = label_noise_study(LEARNERS, few, repeats=2)
    assert {k: v[0] for k, v in whole.found.items()} == {k: v[0] for k, v in at_once.found.items()}
    again = NoiseStudy.from_dict(json.loads(keep.read_text()))
    assert again.found == whole.found
    with pytest.raises(BadInput, match="other most_rows"):
        label_noise_study(LEARNERS, few, most_rows=50, **options)


def test_large_sets_are_drawn_from_and_one_class_is_refused():
    seen = []

    class Counts(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(len(y))
            return super().fit(X, y)

    label_noise_study({"counts": Counts()}, {"a": SETS["set 0"]}, most_rows=60, repeats=1, shares=())
    assert seen == [40]
    with pytest.raises(BadInput, match="one class only"):
        label_noise_study(LEARNERS, {"a": (np.ones((9, 1)), np.ones(9))}, repeats=1)
