"""LIBSVM's solutions of the five formulations, by libsvm-official, in a process of its own.

Called with a file of arrays `{set}_X`, `{set}_y` (-1 and +1), `{set}_target`, `{set}_Z` (rows to be judged), a JSON of
parameters, and the file for the answers: signed coefficient of every row, rho, what LIBSVM printed, scores of Z.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import numpy as np

FORMS = {"c_svc": 0, "nu_svc": 1, "one_class": 2, "eps_svr": 3, "nu_svr": 4}


def solve(form: str, X: np.ndarray, y: np.ndarray, Z: np.ndarray, p: dict[str, float]) -> dict[str, Any]:
    from libsvm import svm, svmutil

    options = f"-s {FORMS[form]} -t 2 -c {p['C']} -g {p['gamma']} -n {p.get(form + '_nu', 0.5)}"
    options += f" -p {p['epsilon']} -m 500 -e {p['tol']}"
    said: list[str] = []
    parameter = svmutil.svm_parameter(options)
    parameter.print_func = listener = svm.PRINT_STRING_FUN(lambda text: said.append(text.decode()))
    model = svmutil.svm_train(svmutil.svm_problem(y, X), parameter)
    del listener
    coef = np.zeros(len(y))
    coef[np.array(model.get_sv_indices(), dtype=int) - 1] = np.array(model.get_sv_coef())[:, 0]
    labels = model.get_labels()
    sign = -1.0 if form in ("c_svc", "nu_svc") and labels[0] < 0 else 1.0  # LIBSVM's first class is the first seen
    _, _, scores = svmutil.svm_predict([], Z, model, "-q")
    text = "".join(said)
    found = {"coef": sign * coef, "rho": sign * model.rho[0], "scores": sign * np.array(scores)[:, 0]}
    for name in ("obj", "epsilon"):
        match = re.search(rf"{name} = (\S+?),?\s", text)
        found[name] = float(match.group(1)) if match else np.nan
    return found


def main(data: str, parameters: str, out: str) -> None:
    file = np.load(data)
    answers = {}
    for name, p in json.loads(parameters).items():
        X, y, z, Z = (file[f"{name}_{part}"] for part in ("X", "y", "target", "Z"))
        for form in FORMS:
            found = solve(form, X, z if form.endswith("svr") else y, Z, p)
            answers |= {f"{name}_{form}_{key}": value for key, value in found.items()}
    np.savez(out, **answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
