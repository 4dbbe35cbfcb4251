"""An example or two of every command, as data: the end of its help."""

from __future__ import annotations

EXAMPLES = {
    "easy": """
  wm easy mail.csv --target kind --time 60 -o mail      # mail/model.wm, report.html, leaderboard.csv
  wm easy mail.csv --target kind --cost fp=10,fn=1 --positive spam -o mail
  wm predict mail/model.wm new.csv""",
    "tune": """
  wm tune mail.csv --target kind --rule one-se -o tuned      # tuned/model.wm, leaderboard.csv, tuning.json
  wm tune mail.csv --target kind --learners svc,forest --cv 10 -o tuned --resume""",
    "train": """
  wm train iris.csv --target species --model averaged -o iris.wm
  wm train train.svm --model svc --kernel rbf --C 10 --certify -o svc.wm""",
    "predict": """
  wm predict iris.wm new.csv -o called.csv
  wm predict iris.wm new.csv --scores | head""",
    "evaluate": """
  wm evaluate iris.wm iris.csv
  wm evaluate mail.wm new.csv --cost fp=10,fn=1 --positive spam""",
    "certify": """
  wm certify iris.wm iris.csv --quiet && echo proved
  wm certify iris.wm iris.csv --prove""",
    "inspect": """
  wm inspect iris.wm
  wm inspect iris.wm --json | jq .certificate""",
    "study": """
  wm study bias-variance iris.csv --target species --model tree,forest
  wm study noise --help""",
    "convert": """
  wm convert heart.model heart.onnx
  wm convert iris.wm iris.model
  wm convert mail.csv mail.svm --target kind""",
    "doctor": """
  wm doctor
  wm doctor --json | jq .versions""",
    "demo": """
  wm demo
  wm demo -o /tmp/demo""",
}
