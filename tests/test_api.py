"""The public names and signatures, against tests/api.txt. A change on purpose: make api, and a line in CHANGELOG.md."""

import inspect
from importlib import import_module
from pathlib import Path

import widemargin

SNAPSHOT = Path(__file__).with_name("api.txt")
ROOMS = ("data", "errors", "kernels", "report.plot", "store", "study")


def public_names(module):
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    return sorted(n for n in names if not inspect.ismodule(getattr(module, n)) and n != "__version__")


def signature(value):
    """Names, kinds and defaults; annotations may change without breaking a caller."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    bare = [p.replace(default=...) if " at 0x" in repr(p.default) else p for p in bare]
    return str(inspect.Signature(bare))


def members(cls):
    """Public methods and properties, also inherited ones; scikit-learn's own request methods are its affair."""
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        owner = next(c for c in cls.__mro__ if name in vars(c))
        ours = owner.__module__.startswith("widemargin")
        known = isinstance(value, property) or callable(getattr(cls, name, None))  # the rest are defaults of parameters
        request = name.startswith("set_") and name.endswith("_request")
        if ours and known and not request and not name.startswith("_"):
            yield name, "" if isinstance(value, property) else signature(getattr(cls, name))


def snapshot():
    lines = []
    for room, module in [("", widemargin), *((f".{r}", import_module(f"widemargin.{r}")) for r in ROOMS)]:
        for name in public_names(module):
            value = getattr(module, name)
            where = f"widemargin{room}.{name}"
            if inspect.isclass(value):
                lines.append(f"class {where}{signature(value)}")
                lines += [f"    {member}{text}" for member, text in members(value)]
            else:
                lines.append(where + (signature(value) if callable(value) else ""))
    return "\n".join(lines) + "\n"


def test_the_public_names_and_signatures_are_as_agreed():
    assert snapshot() == SNAPSHOT.read_text(encoding="utf-8"), "on purpose? make api, and a line in CHANGELOG.md"


if __name__ == "__main__":
    SNAPSHOT.write_text(snapshot(), encoding="utf-8")
