"""Where the loss comes from: bagging takes variance from trees and nothing from a linear model."""

import sys
from pathlib import Path

import matplotlib
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from widemargin.report.plot import BiasVarianceDisplay
from widemargin.study import bias_variance, known_source

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/bias_and_variance.png")
path.parent.mkdir(parents=True, exist_ok=True)

source = known_source("friedman1", n=150)
X, y, _ = source.points(150, repeats=3)  # three labels at each x tell the noise
learners = {
    "one tree": DecisionTreeRegressor(),
    "15 bagged trees": BaggingRegressor(DecisionTreeRegressor(), 15),
    "linear model": LinearRegression(),
    "15 bagged linear models": BaggingRegressor(LinearRegression(), 15),
}
studies = {
    name: bias_variance(learner, X, y, B=40, source=source, noise="repeats") for name, learner in learners.items()
}
for name, record in studies.items():
    print(f"{name:<25}" + "  ".join(f"{word} {value:.3f} ± {error:.2g}" for word, value, error in record.table()))
BiasVarianceDisplay.from_studies(studies).figure_.savefig(path, dpi=110)
print("picture:", path)
