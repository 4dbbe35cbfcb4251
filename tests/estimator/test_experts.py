"""Hedge and weighted majority: the definitions, bounds that no adversary breaks, games in pieces, bad input, files."""

import copy
import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from tests.oracle import experts as oracle

from widemargin import SVC, Hedge, Perceptron, WeightedMajority, certify, store
from widemargin.base.errors import BadInput, CannotStore, DamagedFile, DataMismatch
from widemargin.certificate.experts import certify_hedge, certify_majority
from widemargin.data import load_iris
from widemargin.model.experts import HedgeRule, MajorityRule
from widemargin.solver.experts import ExpertState

GAMES = [Hedge(), Hedge(horizon=7), Hedge(rate=0.3), Hedge(rate=50.0), WeightedMajority(), WeightedMajority(beta=0.9)]
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)


@st.composite
def sequences(draw, loss=st.floats(0, 1) | st.sampled_from([0.0, 1.0]), most=40):
    n, rounds = draw(st.integers(1, 6)), draw(st.integers(1, most))
    rows = st.lists(loss, min_size=n, max_size=n)
    return np.array(draw(st.lists(rows, min_size=rounds, max_size=rounds)))


def falling(n):
    return lambda t: 2 * math.sqrt(math.log(n) / t)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris()
    X, y = X[::2], y[::2]
    experts = [DecisionTreeClassifier(max_depth=1, max_features=1, random_state=k).fit(X, y) for k in range(5)]
    return experts, X, y


# ---- definitions ----------------------------------------------------------------------------------------------------


@given(sequences())
def test_hedge_is_its_definition(losses):
    n = losses.shape[1]
    known = math.sqrt(8 * math.log(n) / 9) if n > 1 else 0.0
    for game, rate in ((Hedge(), falling(n)), (Hedge(horizon=9), lambda t: known), (Hedge(rate=0.7), lambda t: 0.7)):
        game.fit(losses)
        np.testing.assert_allclose(game.path_.loss, oracle.hedge(losses.tolist(), rate), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(game.path_.best_loss, np.cumsum(losses, axis=0).min(axis=1), rtol=1e-12)
        weights = np.exp(-rate(len(losses) + 1) * losses.sum(axis=0))
        np.testing.assert_allclose(game.weights_, weights / weights.sum(), rtol=1e-9)


@given(st.data())
def test_the_vote_is_its_definition(data):
    """With beta = 1/2 all sums are exact, so that ties are ties."""
    n, rounds, k = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 25)), data.draw(st.integers(2, 4))
    label = st.integers(0, k - 1)
    said = data.draw(st.lists(st.lists(label, min_size=n, max_size=n), min_size=rounds, max_size=rounds))
    y = np.array(data.draw(st.lists(label, min_size=rounds, max_size=rounds)))
    wrong = (np.array(said) != y[:, None]).astype(float)
    state = ExpertState.start(MajorityRule(n, 0.5))
    state.advance(wrong, np.array(said), y)
    expected = oracle.majority(said, y.tolist(), Fraction(1, 2))
    assert state.path.loss.tolist() == expected
    proof = certify_majority(wrong, state.rule, said=np.array(said), y=y, claimed=state.loss)
    assert proof.holds
    assert proof.loss == expected[-1]


# ---- bounds ---------------------------------------------------------------------------------------------------------


@pytest.mark.theorem("CesaBianchiLugosi06")
@given(sequences(), st.none() | st.integers(1, 60))
def test_hedge_stays_within_its_bound_after_every_round(losses, horizon):
    """Any losses in [0, 1]: L - L* <= ln N / eta_t + (eta_1 + … + eta_t) / 8; at a known horizon T that is
    sqrt(T ln N / 2)."""
    game = Hedge(horizon=horizon).fit(losses)
    assert (game.path_.regret <= game.path_.bound + 1e-9).all()
    assert game.certificate_.holds
    if horizon is not None and horizon == len(losses):
        assert game.regret_bound_ <= math.sqrt(horizon * math.log(losses.shape[1]) / 2) + 1e-9


@pytest.mark.theorem("CesaBianchiLugosi06")
@given(sequences())
def test_without_a_horizon_the_regret_is_at_most_the_root_of_rounds_and_experts(losses):
    """eta_t = 2 sqrt(ln N / t): after every round t the regret is at most sqrt(t ln N)."""
    game = Hedge().fit(losses)
    t = np.arange(1, len(losses) + 1)
    assert (game.path_.bound <= np.sqrt(t * math.log(losses.shape[1])) + 1e-9).all()
    assert (game.path_.regret <= game.path_.bound + 1e-9).all()


@pytest.mark.theorem("FreundSchapire97")
@given(sequences(), st.floats(1e-3, 20))
def test_hedge_with_a_fixed_rate_loses_a_factor_of_the_best_and_a_constant(losses, rate):
    """Any losses in [0, 1] and beta = exp(-rate): L <= (ln(1/beta) L* + ln N) / (1 - beta)."""
    game = Hedge(rate=rate).fit(losses)
    most = (rate * game.path_.best_loss + math.log(losses.shape[1])) / (1 - math.exp(-rate))
    assert (game.path_.loss <= most + 1e-9).all()
    assert (game.path_.bound <= most - game.path_.best_loss + 1e-9).all()
    assert game.certificate_.holds


@pytest.mark.theorem("LittlestoneWarmuth94")
@given(sequences(st.sampled_from([0.0, 1.0])), st.floats(0.01, 0.99))
def test_the_vote_errs_at_most_so_often(wrong, beta):
    """Any mistakes of the experts: M <= (m* ln(1/beta) + ln N) / ln(2 / (1 + beta)) after every round."""
    game = WeightedMajority(beta=beta).fit(wrong)
    best = game.path_.best_loss
    most = (best * math.log(1 / beta) + math.log(wrong.shape[1])) / math.log(2 / (1 + beta))
    assert (game.path_.loss <= most + 1e-9).all()
    assert (game.path_.regret <= game.path_.bound).all()
    assert (game.path_.bound <= most - best + 1e-9).all()
    assert game.certificate_.holds


@pytest.mark.theorem("LittlestoneWarmuth94")
@given(st.data())
def test_the_bound_of_a_vote_holds_for_any_number_of_classes(data):
    """If the right label has not the most weight, the experts that are wrong have half of it or more."""
    n, rounds, k = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 30)), data.draw(st.integers(2, 5))
    said = np.array(data.draw(st.lists(st.lists(st.integers(0, k - 1), min_size=n, max_size=n), min_size=rounds,
                                       max_size=rounds)))  # fmt: skip
    y = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=rounds, max_size=rounds)))
    state = ExpertState.start(MajorityRule(n, data.draw(st.floats(0.05, 0.95))))
    state.advance((said != y[:, None]).astype(float), said, y)
    assert (state.path.regret <= state.path.bound).all()


def spiteful(weights, t):
    """Whoever has the most weight loses."""
    return (weights >= weights.max() * (1 - 1e-9)).astype(float)


def level(weights, t):
    """Halves take turns."""
    return np.arange(len(weights)) % 2 == t % 2


def late(weights, t):
    """One expert is bad at first and perfect later; all others the reverse."""
    bad = t < 60
    return np.where(np.arange(len(weights)) == 0, bad, not bad)


def random(weights, t):
    return np.random.default_rng(t).integers(0, 2, len(weights))


@each_game
@pytest.mark.parametrize("n", [1, 2, 3, 16])
@pytest.mark.parametrize("adversary", [spiteful, level, late, random])
def test_an_adversary_who_sees_the_weights_cannot_break_the_bound(game, n, adversary):
    game, told = clone(game), []
    weights = np.full(n, 1 / n)
    for t in range(150):
        told.append(adversary(weights, t).astype(float))
        game.partial_fit(told[-1])
        weights = game.weights_
        assert game.regret_ <= game.regret_bound_ + 1e-9
    assert certify(game, told).holds


def test_bounds_are_not_idle():
    """An adversary brings the regret of two experts near to what is allowed, and the best rate needs the horizon."""
    T = 400
    game = Hedge(horizon=T)
    for _ in range(T):
        weights = game.weights_ if hasattr(game, "_state") else np.full(2, 0.5)
        game.partial_fit([1.0, 0.0] if weights[0] >= weights[1] else [0.0, 1.0])
    assert 0.4 * game.regret_bound_ < game.regret_ <= game.regret_bound_
    assert game.regret_bound_ < Hedge().fit(np.zeros((T, 2))).regret_bound_


# ---- games in pieces ------------------------------------------------------------------------------------------------


@each_game
def test_rounds_one_by_one_or_in_batches_are_the_same_bits(game):
    losses = np.random.default_rng(3).integers(0, 2, (200, 5)).astype(float)
    if isinstance(game, Hedge):
        losses *= np.random.default_rng(4).random((200, 5))
    whole, single, some = clone(game).fit(losses), clone(game), clone(game)
    for row in losses:
        single.partial_fit(row)
    for cut in np.split(losses, [3, 4, 111]):
        some.partial_fit(cut)
        some = pickle.loads(pickle.dumps(copy.deepcopy(some)))
    for other in (single, some):
        assert other.path_.columns.tobytes() == whole.path_.columns.tobytes()
        assert other.weights_.tobytes() == whole.weights_.tobytes()
        assert other.n_rounds_ == 200
        assert other.certificate_.holds is None
        assert "as played" in other.certificate_.claim
        assert certify(other, losses).holds
        assert other.certificate_.data_digest == whole.certificate_.data_digest
    again = single.fit(losses[:50])
    assert again.n_rounds_ == 50
    assert again.path_.columns.tobytes() == whole.path_.columns[:, :50].tobytes()


def test_long_games_are_cut_into_blocks_without_a_trace(monkeypatch):
    losses = np.random.default_rng(0).random((500, 3))
    whole = Hedge().fit(losses).path_.columns.tobytes()
    monkeypatch.setattr("widemargin.solver.experts.BLOCK", 21)
    assert Hedge().fit(losses).path_.columns.tobytes() == whole


def test_a_game_can_be_read_as_it_goes():
    game = Hedge().fit([[0.0, 1.0], [0.5, 0.5]])
    assert repr(game.path_).startswith("RegretPath(2 rounds, regret 0.5, bound ")
    assert game.path_.to_dict()["best_loss"] == [0.0, 0.5]
    assert (game.n_experts_, game.n_rounds_, game.loss_) == (2, 2, pytest.approx(1.0))
    assert game.expert_losses_.tolist() == [0.5, 1.5]


# ---- classifiers as experts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [Hedge, WeightedMajority])
def test_over_classifiers(cls, iris):
    experts, X, y = iris
    game = cls(experts=experts).fit(X, y)
    wrong = np.column_stack([e.predict(X) != y for e in experts]).astype(float)
    assert game.expert_losses_.tolist() == wrong.sum(axis=0).tolist()
    assert game.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert game.certificate_.holds
    assert game.certificate_.best_expert == wrong.sum(axis=0).argmin()
    if cls is Hedge:
        np.testing.assert_array_equal(game.path_.loss, Hedge().fit(wrong).path_.loss)
    votes = game.predict_proba(X)
    for i in range(len(X)):
        for c, name in enumerate(game.classes_):
            expected = sum(w for w, e in zip(game.weights_, experts, strict=True) if e.predict(X[[i]])[0] == name)
            assert votes[i, c] == pytest.approx(expected, abs=1e-12)
    assert game.predict(X).tolist() == game.classes_[votes.argmax(axis=1)].tolist()
    assert game.score(X, y) == np.mean(game.predict(X) == y)
    assert is_classifier(game)
    assert not is_classifier(cls())
    assert certify(game, X, y).holds
    stream = cls(experts=experts)
    for i in range(len(X)):
        stream.partial_fit(X[[i]], y[[i]])
    assert stream.path_.columns.tobytes() == game.path_.columns.tobytes()
    with pytest.raises(DataMismatch, match="not the rounds of the game"):
        certify(game, X[::-1], y[::-1])


def test_the_vote_follows_the_best_expert(iris):
    _, X, y = iris
    good, bad = DecisionTreeClassifier().fit(X, y), Perceptron(max_iter=1).fit(X, np.roll(y, 25))
    for cls in (Hedge, WeightedMajority):
        game = cls(experts=[bad, good, bad]).fit(X, y)
        assert game.weights_.argmax() == 1
        assert game.score(X, y) == 1.0


def test_a_clone_keeps_its_experts_and_can_be_searched(iris):
    experts, X, y = iris
    game = Hedge(experts=experts, rate=0.1).fit(X, y)
    twin = clone(game)
    assert twin.experts is experts
    assert not hasattr(twin, "_state")
    search = GridSearchCV(Hedge(experts=experts), {"rate": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_estimator_.certificate_.holds


def test_parameters_and_names():
    game = Hedge(rate=0.5)
    assert game.get_params() == {"experts": None, "rate": 0.5, "horizon": None}
    assert repr(game) == "Hedge(rate=0.5)"
    assert "Hedge" in game._repr_html_()
    frame = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], columns=["fast", "slow"])
    assert Hedge().fit(frame).loss_ == Hedge().fit(frame.to_numpy()).loss_


# ---- certificates ---------------------------------------------------------------------------------------------------


def test_a_certificate_catches_a_false_claim():
    losses = np.random.default_rng(1).random((300, 4))
    game = Hedge().fit(losses)
    assert game.certificate_.rounding < 1e-8
    game._state.loss += 1e-6
    false = certify(game, losses)
    assert false.holds is False
    assert "the model claims" in false.claim
    voted = WeightedMajority().fit(np.round(losses))
    voted._state.loss -= 1
    assert certify(voted, np.round(losses)).holds is False


class Unlucky(HedgeRule):
    """A rule that promises too much."""

    def bound(self, rate, rate_sum, best):
        return super().bound(rate, rate_sum, best) / 10


def test_a_certificate_catches_a_broken_bound():
    losses = (np.arange(200)[:, None] % 2 == np.arange(2)).astype(float)
    losses[:, 1] = 1 - losses[:, 0]
    proof = certify_hedge(losses, Unlucky(2))
    assert proof.holds is False
    assert f"after round {proof.worst_round} it was above its bound" in proof.claim


@given(sequences(most=200))
def test_the_recomputed_loss_agrees_within_its_rounding(losses):
    game = Hedge().fit(losses)
    assert abs(game.loss_ - game.certificate_.loss) <= game.certificate_.rounding
    exact = oracle.hedge(losses.tolist(), falling(losses.shape[1]))[-1]
    assert abs(exact - game.certificate_.loss) <= game.certificate_.rounding + 1e-12


def test_sums_of_long_games_lose_nothing_to_rounding():
    """Losses whose blocks are exact and whose running sum is not: the certificate's sum is right to the last digit."""
    losses = np.random.default_rng(0).integers(0, 2**46, (1 << 17, 2)) * 2.0**-46
    sums = [math.fsum(column) for column in losses.T]
    proof = certify_hedge(losses, HedgeRule(2, 0.01))
    assert abs(proof.best_loss - min(sums)) <= math.ulp(min(sums))
    assert abs(np.cumsum(losses, axis=0)[-1].min() - min(sums)) > 8 * math.ulp(min(sums))


# ---- files ----------------------------------------------------------------------------------------------------------


@each_game
def test_games_are_stored_and_go_on(game):
    losses = np.random.default_rng(3).integers(0, 2, (60, 3)).astype(float)
    whole = clone(game).fit(losses)
    half = store.loads(store.dumps(clone(game).partial_fit(losses[:25])))
    half.partial_fit(losses[25:])
    assert half.path_.columns.tobytes() == whole.path_.columns.tobytes()
    back = store.loads(store.dumps(whole))
    assert back.get_params() == whole.get_params()
    assert back.certificate_.to_dict() == whole.certificate_.to_dict()
    assert store.dumps(back) == store.dumps(whole)
    assert certify(back, losses).holds
    assert store.loads(store.dumps(clone(game))).get_params() == game.get_params()


def test_experts_of_our_own_are_stored_and_others_are_refused(iris):
    experts, X, y = iris
    game = Hedge(experts=[Perceptron().fit(X, y), SVC().fit(X, y)]).fit(X, y)
    back = store.loads(store.dumps(game))
    assert back.predict(X).tolist() == game.predict(X).tolist()
    assert certify(back, X, y).holds
    with pytest.raises(CannotStore, match="DecisionTreeClassifier"):
        store.dumps(Hedge(experts=experts).fit(X, y))


def test_a_state_that_does_not_fit_its_rule_is_refused():
    game = Hedge().fit(np.zeros((4, 3)))
    game._state.rule = replace(game._state.rule, n=2)
    with pytest.raises(DamagedFile, match="3 losses for 2 experts"):
        store.loads(store.dumps(game))


# ---- bad input ------------------------------------------------------------------------------------------------------

X, Y = load_iris()
TREE = DecisionTreeClassifier(max_depth=1).fit(X, Y)
BAD = {
    "loss too large": (lambda g: g.fit([[0.0, 1.5]]), BadInput, r"expert 1 in row 0 is 1\.5"),
    "negative loss": (lambda g: g.fit([[0.0, 0.0], [-1.0, 0.0]]), BadInput, r"expert 0 in row 1 is -1\.0"),
    "NaN": (lambda g: g.fit([[np.nan, 0.0]]), BadInput, "expert 0 in row 0 is nan"),
    "infinity": (lambda g: g.fit([[0.0, np.inf]]), BadInput, "is inf"),
    "words": (lambda g: g.fit([["a", "b"]]), BadInput, "losses must be numbers"),
    "ragged": (lambda g: g.fit([[1.0], [1.0, 0.0]]), BadInput, "losses must be numbers"),
    "no rounds": (lambda g: g.fit(np.empty((0, 3))), BadInput, r"shape \(0, 3\)"),
    "no experts": (lambda g: g.fit(np.empty((3, 0))), BadInput, r"shape \(3, 0\)"),
    "3-D": (lambda g: g.fit(np.zeros((2, 2, 2))), BadInput, r"shape \(2, 2, 2\)"),
    "a number": (lambda g: g.fit(1.0), BadInput, r"shape \(\)"),
    "y without experts": (lambda g: g.fit([[0.0]], [1]), BadInput, "y was given"),
    "other number of experts": (
        lambda g: g.fit([[0.0, 1.0]]).partial_fit([0.0, 0.0, 1.0]),
        BadInput,
        "3 losses a round, but the game has 2",
    ),
    "predict without experts": (lambda g: g.fit([[0.0]]).predict(X), AttributeError, "has no attribute 'predict'"),
    "unfitted": (lambda g: type(g)(experts=[TREE]).predict(X), NotFittedError, "not fitted yet"),
    "unfitted certify": (lambda g: certify(g, [[0.0]]), NotFittedError, "not fitted yet"),
    "other rounds": (lambda g: certify(g.fit([[0.0, 1.0]]), [[1.0, 0.0]]), DataMismatch, "1 with digest [0-9a-f]{16}"),
    "fewer rounds": (lambda g: certify(g.fit([[0.0], [1.0]]), [[0.0]]), DataMismatch, "1 with digest .* it had 2"),
    "weights": (lambda g: certify(g.fit([[0.0]]), [[0.0]], None, [1.0]), BadInput, "rounds have no weights"),
    "unfitted expert": (
        lambda g: g.set_params(experts=[DecisionTreeClassifier()]).fit(X, Y),
        NotFittedError,
        "DecisionTreeClassifier",
    ),
    "empty experts": (lambda g: g.set_params(experts=[]).fit(X, Y), BadInput, r"experts=\[\]"),
    "no predictor": (lambda g: g.set_params(experts=[3]).fit(X, Y), BadInput, "expert 0 is int"),
    "regressor": (
        lambda g: g.set_params(experts=[LinearRegression().fit(X, X[:, 0])]).fit(X, Y),
        BadInput,
        "expert 0, LinearRegression, is no classifier",
    ),
    "strange label": (lambda g: g.set_params(experts=[TREE]).fit(X[:1], ["rose"]), BadInput, "'rose' in row 0"),
    "lengths": (lambda g: g.set_params(experts=[TREE]).fit(X, Y[:-1]), BadInput, "X has 150 rows, but y has 149"),
    "no labels": (lambda g: g.set_params(experts=[TREE]).fit(X), BadInput, "y is None"),
    "experts changed": (
        lambda g: g.set_params(experts=[TREE]).fit(X, Y).set_params(experts=[TREE] * 2).partial_fit(X, Y),
        BadInput,
        "2 experts, but the game began with 1",
    ),
    "experts a word": (lambda g: g.set_params(experts="all").fit(X, Y), ValueError, "'experts' parameter of"),
}


@pytest.mark.parametrize("game", [Hedge(), WeightedMajority()], ids=repr)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(game, case):
    act, error, words = BAD[case]
    with pytest.raises(error, match=words):
        act(clone(game))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: Hedge(rate=0).fit([[0.0]]), "'rate' parameter of Hedge .* Got 0"),
        (lambda: Hedge(horizon=0).fit([[0.0]]), "'horizon' parameter of Hedge .* Got 0"),
        (lambda: Hedge(horizon=2.5).fit([[0.0]]), "'horizon' parameter"),
        (lambda: Hedge(rate=1.0, horizon=3).fit([[0.0]]), r"rate=1\.0 and horizon=3"),
        (lambda: WeightedMajority(beta=1.0).fit([[0.0]]), "'beta' parameter of WeightedMajority"),
        (lambda: WeightedMajority(beta=0.0).fit([[0.0]]), "'beta' parameter"),
        (lambda: WeightedMajority().fit([[0.0, 0.5]]), r"is 0\.5: a vote knows mistakes only"),
        (
            lambda: Hedge(rate=1.0).fit([[0.0]]).set_params(rate=2.0).partial_fit([0.0]),
            r"changed to Hedge\(rate=2\.0\) in the middle",
        ),
    ],
)
def test_wrong_parameters_are_named(act, words):
    with pytest.raises(ValueError, match=words):
        act()


def test_a_refused_batch_changes_nothing():
    game = Hedge().fit([[0.0, 1.0]])
    before = pickle.dumps(game)
    with pytest.raises(BadInput):
        game.partial_fit([[0.0, 0.0], [0.0, 2.0]])
    with pytest.raises(BadInput):
        game.fit([[2.0]])
    assert pickle.dumps(game) == before
