"""How a fit begins and ends: from an old solution, cut off, with rows left out, at the gap that was asked for."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from tests.estimator.machines import EXACT, MACHINES, feasible_nu, fitted, make, rows, scores, sets

import widemargin as wm
from widemargin.base.drive import Watch
from widemargin.estimator import svm_fit, svm_work
from widemargin.kernels import RBF
from widemargin.kernels.gram import GramSource
from widemargin.kernels.items import RowItems
from widemargin.model.box import BoxProblem
from widemargin.solver.box import BoxOptions
from widemargin.solver.sample_start import SMALLEST
from widemargin.solver.svm import BoxFit

machines = pytest.mark.parametrize("cls", MACHINES, ids=lambda cls: cls.__name__)
knobs = {wm.NuSVC: "nu", wm.OneClassSVM: "nu"}


def value(model):
    return model.certificate_.primal


# ---- the start -----------------------------------------------------------------------------------------------------


@given(cls=st.sampled_from(MACHINES), r=sets(), factor=st.sampled_from([0.1, 0.8, 0.97]))
def test_a_warm_start_leads_to_the_same_optimum(cls, r, factor):
    """From another price or nu, and from other rows of the same number."""
    cold, name = make(cls, r), knobs.get(cls, "C")
    warm = make(cls, r, warm_start=True, **{name: factor * cold.get_params()[name]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # at a tiny nu the objective is 0 but for rounding
        warm.fit(r.X[::-1].copy(), r.of(cls), sample_weight=r.w)
        warm.fit(r.X, r.of(cls), sample_weight=r.w)
    fitted(warm.set_params(**{name: cold.get_params()[name]}), r.X, r.of(cls), r.w)
    fitted(cold, r.X, r.of(cls), r.w)
    assert value(warm) == pytest.approx(value(cold), rel=1e-9)
    np.testing.assert_allclose(scores(warm, r.X), scores(cold, r.X), rtol=1e-6, atol=1e-6)


@machines
def test_a_warm_start_at_the_optimum_has_nothing_to_do(cls):
    r = rows(1, 200, 3)
    model = fitted(make(cls, r, warm_start=True), r.X, r.of(cls), r.w)
    known, steps = scores(model, r.X), np.max(model.n_iter_)
    for _ in range(2):
        fitted(model.set_params(tol=1e-3, gap_tol=1e-4), r.X, r.of(cls), r.w)
        assert np.max(model.n_iter_) == 1  # the least that is said
        np.testing.assert_allclose(scores(model, r.X), known, rtol=1e-9, atol=1e-9)
    fitted(model.set_params(warm_start=False, tol=1e-8, gap_tol=1e-10), r.X, r.of(cls), r.w)
    assert np.max(model.n_iter_) == steps


# ---- cut off -------------------------------------------------------------------------------------------------------


def cut(model, X, y, w=None):
    with pytest.warns(ConvergenceWarning) as said:
        model.fit(X, y, sample_weight=w)
    assert len(said) == 1
    assert str(said[0].message) == model.stop_reason_
    assert not model.converged_
    assert model.fit_status_ == 1
    return model


@pytest.mark.theorem("BoydVandenberghe04")
@given(cls=st.sampled_from(MACHINES), seed=st.integers(0, 10**6), steps=st.sampled_from([1, 3, 10, 30]))
def test_a_fit_cut_off_by_steps_says_how_far_it_is_from_the_optimum(cls, seed, steps):
    """dual <= least possible <= primal, whatever the point, and certify finds the same figures again."""
    r = rows(seed, 150)
    best = fitted(make(cls, r), r.X, r.of(cls), r.w)
    early = cut(make(cls, r, max_iter=steps), r.X, r.of(cls), r.w)
    c, off = early.certificate_, early.certificate_.rounding + best.certificate_.rounding
    assert c.holds, c.claim
    assert np.max(early.n_iter_) == steps
    assert c.dual <= value(best) + off
    assert value(best) <= c.primal + off
    assert c.relative_gap > early.gap_tol or c.kkt_violation > early.tol
    again = wm.certify(early, r.X, r.of(cls), r.w)
    assert again.holds
    assert (again.primal, again.dual) == pytest.approx((c.primal, c.dual), rel=1e-9, abs=again.rounding)
    assert f"max_iter={steps}" in early.stop_reason_
    assert f"relative gap {c.relative_gap:.2g} and violation {c.kkt_violation:.2g} reached" in early.stop_reason_


@machines
def test_a_fit_without_time_says_how_far_it_is_from_the_optimum(cls):
    r = rows(2, 900, 3)
    best = fitted(make(cls, r, tol=1e-3, gap_tol=1e-6), r.X, r.of(cls), r.w)
    early = cut(make(cls, r, max_time=1e-9), r.X, r.of(cls), r.w)
    c, off = early.certificate_, early.certificate_.rounding + best.certificate_.gap + best.certificate_.rounding
    assert c.holds, c.claim
    assert c.dual - off <= value(best) <= c.primal + off
    assert c.relative_gap > early.gap_tol
    assert "max_time=1e-09 s is over" in early.stop_reason_
    again = wm.certify(early, r.X, r.of(cls), r.w)
    assert (again.primal, again.dual) == pytest.approx((c.primal, c.dual), rel=1e-9)
    assert np.isfinite(scores(early, r.X)).all()


def test_what_certificates_will_take_follows_a_machine_that_becomes_busy(monkeypatch):
    """The pace is asked again when some time has passed, and the slower of the last two is planned with."""

    class Busy:
        n, now, speed = 1000, 0.0, 1.0

        def expand(self, _c):
            self.now += self.speed

        def monotonic(self):
            return self.now

    source = Busy()
    monkeypatch.setattr(svm_work, "time", source)
    pace = svm_work.Pace(source)
    first = pace.seconds()
    source.speed = 4.0
    assert pace.seconds() == first  # not yet
    source.now += svm_work.RARELY + 1
    assert pace.seconds() == pytest.approx(4 * first)
    source.speed = 1.0
    source.now += 4 * svm_work.RARELY + 4
    assert pace.seconds() == pytest.approx(4 * first)
    source.now += svm_work.RARELY + 1
    assert pace.seconds() == pytest.approx(first)


def test_of_many_parts_those_cut_off_are_told():
    r = rows(3, 120)
    y = np.arange(120) % 3
    model = cut(make(wm.SVC, r, max_iter=5), r.X, y)
    assert "0 of 3 binary parts converged" in model.stop_reason_
    assert len(model.certificate_.parts) == 3
    assert all(c.holds for c in model.certificate_.parts.values())
    best = fitted(make(wm.SVC, r), r.X, y)
    for name, part in model.certificate_.parts.items():
        assert part.dual <= best.certificate_.parts[name].primal <= part.primal


@machines
def test_what_ctrl_c_leaves_before_the_certificate_is_a_model(cls, monkeypatch):
    """It predicts, says that nothing was recomputed, and certify recomputes it."""
    r = rows(9, 300, 3)
    model = make(cls, r)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(cls, "_proved", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(r.X, r.of(cls), sample_weight=r.w)
    assert model.stop_reason_.startswith("interrupted after")
    assert not model.converged_
    assert np.isfinite(scores(model, r.X)).all()
    assert wm.certify(model, r.X, r.of(cls), r.w).holds


def test_ctrl_c_while_one_pair_is_refined_keeps_the_certificates_of_the_others(monkeypatch):
    """Pair 1 is sent back and interrupted: the others, one of which was refined before, have converged."""
    r, y = rows(3, 120), np.arange(120) % 3
    refined = wm.SVC._refined

    def interrupt(model, work, k, *args):
        if k == 1:
            raise KeyboardInterrupt
        return refined(model, work, k, *args)

    model = make(wm.SVC, r)
    with monkeypatch.context() as patched:
        patched.setattr(wm.SVC, "_not_at_their_end", lambda *_: [0, 1])
        patched.setattr(wm.SVC, "_refined", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(r.X, y)
    assert [c.holds for c in model.certificate_.parts.values()] == [True, None, True]
    assert model.stop_reason_.startswith("2 of 3 binary parts converged; part 1: interrupted after")
    again = wm.certify(model, r.X, y)
    assert again.holds
    for k, name in ((0, "1 vs 0"), (2, "2 vs 1")):
        assert list(model.certificate_.parts)[k] == name
        assert model.certificate_.parts[name].primal == pytest.approx(again.parts[name].primal, rel=1e-12)


@machines
def test_what_ctrl_c_leaves_before_the_first_state_is_the_start(cls, monkeypatch):
    """A model that says nothing of any row, with the gap that it has; the least that certify can recompute."""
    r = rows(9, 300, 3)
    model = make(cls, r)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(BoxFit, "start", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(r.X, r.of(cls), sample_weight=r.w)
    assert model.stop_reason_.startswith("interrupted after 0 steps")
    assert not model.converged_
    assert np.isfinite(scores(model, r.X)).all()
    again = wm.certify(model, r.X, r.of(cls), r.w)
    assert again.holds
    if cls in (wm.SVC, wm.SVR):
        c = model.certificate_
        assert (c.holds, c.dual, c.relative_gap) == (True, 0.0, 1.0)
        assert (again.primal, again.dual) == pytest.approx((c.primal, c.dual), rel=1e-12)


def test_ctrl_c_before_anything_was_learnt_keeps_what_a_warm_start_began_with(monkeypatch):
    r = rows(9, 300, 3)
    model = fitted(make(wm.SVC, r, warm_start=True), r.X, r.of(wm.SVC), r.w)
    known = scores(model, r.X)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(svm_fit, "refuse_overflow", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(r.X, r.of(wm.SVC), sample_weight=r.w)
    np.testing.assert_array_equal(scores(model, r.X), known)


def test_ctrl_c_among_samples_leaves_the_machine_of_the_last_one(monkeypatch):
    """Where time is short for all rows, samples are solved first: each is a machine."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4 * SMALLEST, 4))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, 0)
    run, runs = BoxFit.run, []

    def second(fit, *args, **options):
        runs.append(fit.problem.n)
        if len(runs) > 1:
            raise KeyboardInterrupt
        return run(fit, *args, **options)

    monkeypatch.setattr(svm_work.Pace, "seconds", lambda _: 1e-3)  # all rows would take hours
    monkeypatch.setattr(svm_work.Work, "_seconds", lambda *_: 0.0)
    monkeypatch.setattr(BoxFit, "run", second)
    model = wm.SVC(gamma=0.5, max_time=100)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert runs == [SMALLEST, 2 * SMALLEST]
    assert model.stop_reason_.startswith("interrupted after")
    assert model.score(X, y) > 0.9
    c = wm.certify(model, X, y)
    assert c.holds
    assert c.relative_gap < 1


# ---- rows left out -------------------------------------------------------------------------------------------------


def large(cls):
    """Many rows that are certain, and some that lie at their bounds."""
    r = rows(4, 3000, 4, noise=0.3, gamma=0.25)
    extra = {"nu": 0.3} if "nu" in cls().get_params() else {"C": 10.0}
    return r, {"gamma": r.gamma, "tol": 1e-3, "gap_tol": 1e-6, **extra}


def test_rows_at_their_bounds_are_left_out():
    r, _ = large(wm.SVC)
    source = GramSource(RBF(r.gamma), RowItems(r.X))
    for shrink in (False, True):
        fit = BoxFit(source, BoxProblem.c_svc(r.y, 10.0), BoxOptions(memory=1 << 28, shrink=shrink))
        fit.run()
        assert np.isnan(fit.state.f).any() == shrink


@machines
def test_rows_left_out_do_not_change_the_optimum(cls):
    """The certificate looks at all rows, whichever were left out on the way."""
    r, asked = large(cls)
    one, two = (fitted(cls(**asked, shrinking=s), r.X, r.of(cls), r.w) for s in (True, False))
    gap = one.certificate_.gap + two.certificate_.gap + one.certificate_.rounding + two.certificate_.rounding
    assert abs(value(one) - value(two)) <= gap
    # |w - w*|^2 / 2 is at most the gap.
    reach = sum(np.sqrt(2 * max(model.certificate_.gap, 0.0)) for model in (one, two))
    if cls is wm.NuSVC:
        reach /= min(one.proof_.rho[0], two.proof_.rho[0])
    reach += abs(one.intercept_[0] - two.intercept_[0]) + 1e-9
    assert np.abs(scores(one, r.X) - scores(two, r.X)).max() <= 2 * reach


# ---- the gap -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap_tol", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("cls", [wm.SVC, wm.SVR])
def test_the_gap_that_is_asked_for_is_reached_beyond_what_is_solved_whole(cls, gap_tol):
    """More rows than those whose last digits come from equations of all free variables at once."""
    r = rows(5, 2200, 3, noise=0.2, gamma=1.0)
    model = fitted(cls(gamma=1.0, C=3.0, tol=1e-3 if gap_tol > 1e-9 else 1e-8, gap_tol=gap_tol), r.X, r.of(cls))
    assert model.stop_reason_.startswith("converged")


@machines
def test_defaults_reach_what_they_promise(cls):
    r = rows(6, 300, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        extra = {"nu": 0.2} if cls is wm.NuSVC else {}
        model = fitted(cls(**extra), r.X, r.of(cls), r.w)
    assert (model.gap_tol, model.tol) == (1e-4, 1e-3)
    exact = fitted(cls(**extra, **EXACT), r.X, r.of(cls), r.w)
    assert exact.certificate_.relative_gap <= 1e-10
    assert abs(value(exact) - value(model)) <= 1e-4 * abs(value(exact))


# ---- on the way ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "n"), [(22, 700), (26, 779)])
def test_machines_on_the_way_have_the_scale_of_the_last_one(monkeypatch, seed, n):
    """nu-SVC is divided by its margin, which early on may be anything, also negative."""
    monkeypatch.setattr(Watch, "asks_to_stop", lambda self, *seen: bool(self.observe and self.observe(*seen)))
    r, sizes = rows(seed, n, 3, noise=0.3), []

    def observe(step, columns, snapshot):
        sizes.append(float(np.std(snapshot().scores(RowItems(r.X)))))

    model = wm.NuSVC(nu=0.1 * feasible_nu(r.y, np.ones(n)), gamma=1.0, observe=observe).fit(r.X, r.y)
    assert len(sizes) > 5
    last = float(np.std(model.decision_function(r.X)))
    assert last / 20 <= min(sizes)
    assert max(sizes) <= 20 * last


def test_a_nu_that_leaves_no_margin_is_told():
    """Where the reduced hulls meet, w is 0, and what is left of it is rounding."""
    r = rows(10, 705, 3, noise=5.0)
    model = wm.NuSVC(nu=0.09, gamma=0.1).fit(r.X, r.y)
    assert model.converged_
    assert "no margin is left between the classes, and scores are mere rounding: raise nu" in model.stop_reason_
    assert abs(model.certificate_.primal) <= model.certificate_.rounding
