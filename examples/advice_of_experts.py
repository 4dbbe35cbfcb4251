"""Hedge over classifiers of spam: after every message its loss is close to that of the best of them, provably so."""

import sys
from pathlib import Path

import matplotlib
from sklearn.naive_bayes import MultinomialNB

from widemargin import AveragedPerceptron, Hedge, Perceptron, WeightedMajority
from widemargin.data import sms_features
from widemargin.report.plot import RegretDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/advice_of_experts.png")
path.parent.mkdir(parents=True, exist_ok=True)

X, y, _ = sms_features()
early = [Perceptron(max_iter=1), AveragedPerceptron(max_iter=5), MultinomialNB(), MultinomialNB(alpha=0.01)]
experts = [expert.fit(X[:300], y[:300]) for expert in early]  # learnt from few messages, then listened to
games = {
    "Hedge": Hedge(experts=experts, horizon=X.shape[0] - 300).fit(X[300:], y[300:]),
    "weighted majority": WeightedMajority(experts=experts).fit(X[300:], y[300:]),
}
for name, game in games.items():
    print(f"{name}: {game.certificate_.verdict()}: {game.certificate_.claim}")
print("errors of the experts:", games["Hedge"].expert_losses_.astype(int).tolist())
RegretDisplay.from_estimator({"Hedge": games["Hedge"]}).figure_.savefig(path, dpi=110)
print("picture:", path)
