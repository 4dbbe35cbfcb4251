"""Plain, averaged and voted perceptrons on spam whose training labels are partly wrong: errors on clean messages."""

import numpy as np
from sklearn.model_selection import train_test_split

from widemargin import AveragedPerceptron, Perceptron, VotedPerceptron
from widemargin.data import sms_features

X, y, words = sms_features()
learn_X, test_X, learn_y, test_y = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
print(f"{learn_X.shape[0]} messages to learn from, {test_X.shape[0]} to test on, {len(words)} words")
print(f"{'wrong labels':<14}{'plain':>9}{'averaged':>10}{'voted':>9}   (errors in the test)")
rng = np.random.default_rng(0)
for share in (0.0, 0.05, 0.1, 0.2):
    turned = rng.random(len(learn_y)) < share
    labels = np.where(turned, np.where(learn_y == "spam", "ham", "spam"), learn_y)
    errors = []
    for learner in (Perceptron, AveragedPerceptron, VotedPerceptron):
        model = learner(max_iter=10).fit(learn_X, labels)
        errors.append(np.mean(model.predict(test_X) != test_y))
    print(f"{share:<14.0%}{errors[0]:>9.2%}{errors[1]:>10.2%}{errors[2]:>9.2%}")
