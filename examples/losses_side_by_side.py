"""What learners make small in place of the 0-1 loss: exponential, logistic in base 2, hinge; all lie above it."""

import sys
from pathlib import Path

import matplotlib

from widemargin.report.plot import LossesDisplay

matplotlib.use("Agg")
path = Path(sys.argv[1] if len(sys.argv) > 1 else "out/losses_side_by_side.png")
path.parent.mkdir(parents=True, exist_ok=True)

picture = LossesDisplay.from_losses()
picture.figure_.savefig(path, dpi=110)
print(f"{len(picture.losses)} losses; picture: {path}")
