"""Estimators from model files of LIBSVM and LIBLINEAR: they predict as those do, and nothing is proved of their fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import CannotStore
from ..base.records import Trace
from ..certificate.record import SVMCertificate
from ..kernels.items import RowItems
from ..kernels.rows import Linear
from ..model.pairs import pairs
from ..store.liblinear_model import ONE_CLASS, LiblinearModel
from ..store.libsvm_layout import reordered
from ..store.libsvm_model import LibsvmModel
from .linear_svc import LinearSVC
from .linear_svr import LinearSVR
from .nu_svc import NuSVC
from .one_class import OneClassSVM
from .svc import SVC
from .svr import SVR, NuSVR

_KERNEL_MACHINES = {"c_svc": SVC, "nu_svc": NuSVC, "one_class": OneClassSVM, "epsilon_svr": SVR, "nu_svr": NuSVR}


def estimator_of(model: LibsvmModel | LiblinearModel) -> Any:
    """A fitted estimator that says what the model of another program says.

    Parameters
    ----------
    model : LibsvmModel or LiblinearModel

    Returns
    -------
    SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC or LinearSVR
        Support rows are numbered as in the file; the price C and all else that the file does not hold have their
        defaults, and `certificate_.holds` is None.

    Raises
    ------
    CannotStore
        Of a precomputed kernel the file has numbers of rows only; of one class there is nothing to decide.
    """
    if len(model.labels) == 1:
        raise CannotStore(f"the model knows one label, {model.labels[0]}, only: there is nothing to decide.")
    return _linear(model) if isinstance(model, LiblinearModel) else _kernel_machine(model)


def _beside(program: str) -> dict[str, Any]:
    """What is known of a fit that happened elsewhere: nothing."""
    claim = f"read from a model file of {program}, which holds no proof"
    return {
        "converged_": False,
        "stop_reason_": claim,
        "trace_": Trace(),
        "certificate_": SVMCertificate(claim=claim, holds=None, data_digest=""),
        "proof_": None,
    }


# ---- LIBLINEAR -------------------------------------------------------------------------------------------------------


def _linear(model: LiblinearModel) -> Any:
    if model.solver_type == ONE_CLASS:
        items = RowItems(sp.csr_matrix(model.w))
        return _filled(
            OneClassSVM(kernel="linear"), "LIBLINEAR", Linear(), items, np.ones((1, 1)), np.array([-model.rho])
        )
    known, beside = model.linear, {**_beside("LIBLINEAR"), "n_iter_": 0, "solver_": "LIBLINEAR"}
    squared = "L2LOSS" in model.solver_type
    params: dict[str, Any] = {"fit_intercept": model.bias >= 0, "regularize_intercept": True}
    estimator: Any
    if model.is_regressor:
        loss = "squared_epsilon_insensitive" if squared else "epsilon_insensitive"
        estimator = LinearSVR(loss=loss, **params)
        learnt: dict[str, Any] = {"coef_": known.coef[0].copy(), "intercept_": known.intercept.copy()}
    else:
        loss = "squared_hinge" if squared else "logistic" if model.has_probabilities else "hinge"
        scheme = "crammer_singer" if model.solver_type == "MCSVM_CS" else "ovr"
        penalty = "l1" if model.solver_type.startswith("L1R") else "l2"
        estimator = LinearSVC(penalty=penalty, loss=loss, multi_class=scheme, **params)
        order = np.argsort(model.labels)
        if len(order) == 2:
            sign = 1.0 if order[1] == 0 else -1.0
            coef, intercept = sign * known.coef[:1], sign * known.intercept[:1]
        else:
            coef, intercept = known.coef[order], known.intercept[order]
        learnt = {"classes_": model.labels[order], "coef_": coef, "intercept_": intercept}
    vars(estimator).update(**learnt, **beside, n_features_in_=model.w.shape[1])
    return estimator


# ---- LIBSVM ----------------------------------------------------------------------------------------------------------


def _kernel_machine(model: LibsvmModel) -> Any:
    if model.precomputed:
        raise CannotStore("a precomputed kernel leaves the numbers of its support rows in the file, not the rows.")
    cls = _KERNEL_MACHINES[model.svm_type]
    if not model.is_classifier:
        items = RowItems(sp.csr_matrix(model.support))
        return _filled(cls(kernel=model.kernel), "LIBSVM", model.kernel, items, model.coef, -model.rho)
    k, codes = len(model.labels), np.argsort(model.labels)
    coef, rho = reordered(model.coef, -model.rho, model.n_support, codes)
    ends = np.cumsum(model.n_support)
    rows = np.concatenate([np.arange(ends[c] - model.n_support[c], ends[c]) for c in codes])
    sign = -1.0 if k == 2 else 1.0  # two classes: scores speak for the second
    parts = len(rho)
    estimator = _filled(
        cls(kernel=model.kernel, probability=model.prob_a is not None and model.prob_b is not None),
        "LIBSVM",
        model.kernel,
        RowItems(sp.csr_matrix(model.support[rows])),
        sign * coef[:, rows],
        -sign * rho,
    )
    vars(estimator).update(
        classes_=model.labels[codes],
        n_support_=model.n_support[codes].astype(np.int32),
        n_iter_=np.zeros(parts, np.int32),
        margin_=np.full(parts, np.nan),
        class_weight_=np.ones(k),
        slacks_=None,
        **_sigmoids(model, codes, sign),
    )
    return estimator


def _sigmoids(model: LibsvmModel, codes: np.ndarray, sign: float) -> dict[str, Any]:
    """A stays where a pair turns round; B changes its sign, as that of the scores does."""
    if model.prob_a is None or model.prob_b is None:
        return {"probA_": None, "probB_": None}
    number = {pair: q for q, pair in enumerate(pairs(len(codes)))}
    turned = [(int(codes[a]), int(codes[b])) for a, b in number]
    at = [number[min(pair), max(pair)] for pair in turned]
    signs = np.array([1.0 if i < j else -1.0 for i, j in turned])
    return {"probA_": model.prob_a[at], "probB_": sign * signs * model.prob_b[at]}


def _filled(estimator: Any, program: str, kernel: Any, items: RowItems, coef: np.ndarray, intercept: np.ndarray) -> Any:
    """What all kernel machines keep."""
    n, d = items.X.shape
    vars(estimator).update(
        **_beside(program),
        kernel_=kernel,
        support_items_=items,
        support_=np.arange(n, dtype=np.int32),
        support_free_=np.zeros(n, dtype=bool),
        dual_coef_=type(items.X)(coef) if sp.issparse(items.X) else coef,
        intercept_=intercept,
        n_support_=np.array([n], np.int32),
        n_iter_=0,
        fit_status_=1,
        shape_fit_=(n, d),
        n_features_in_=d,
    )
    if isinstance(estimator, SVR):
        estimator.C_ = float(estimator.C)
    return estimator
