"""Imports point down the list of layers, and each module keeps to what it may load."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import sciverify

ROOT = Path(sciverify.__file__).parent

# Bottom to top: a part imports from the layers below its own, and from itself. A new part is entered here.
LAYERS = (
    {"_version", "errors"},
    {"records"},
    {"stages", "display", "study_design"},
    {"text"},
    {"corpora", "index"},
    {"retrieval", "models", "testing"},
    {"verification", "consensus", "demo"},
    {"consensus_weights"},
    {"consensus_views"},
    {"systems"},
    {"evaluation"},
    {"pooling", "training", "connectors"},
    {"cli", "web"},
    {"api"},
    {"__main__", "__init__"},
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# `_repr_html_` of a record loads its HTML when a notebook asks for it.
UPWARDS = {("records", "display")}

# Which extra a part may load; everything else must do with the default install.
EXTRAS = {"training": "train", "evaluation": "evaluation"}
IMPORTED_AS = {"qdrant-edge-py": "qdrant_edge", "pystemmer": "Stemmer"}
HEAVY = {"torch", "transformers", "onnx", "nncf", "scipy", "sklearn"}

LONGEST = 330  # lines that say something; blank ones are not counted

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

MODULES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}


def part_of(module: str) -> str:
    """The part of the package that a module belongs to: ``index/store.py`` is of index, ``errors.py`` of errors."""
    return module.split("/")[0].removesuffix(".py")


def imports(source: str, module: str = "text/x.py") -> list[tuple[str, bool]]:
    """The dotted names that a module imports, at its top or within functions, and whether that is at its top.

    ``from sciverify import index`` counts as sciverify.index.
    """
    tree = ast.parse(source)
    inside = {id(node) for function in ast.walk(tree) if is_function(function) for node in ast.walk(function)}
    package = ["sciverify", *Path(module).parts[:-1]]
    found = []
    for node in ast.walk(tree):
        at_top = id(node) not in inside
        if isinstance(node, ast.Import):
            found += [(alias.name, at_top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name == "sciverify":
                found += [(f"sciverify.{alias.name}", at_top) for alias in node.names]
            else:
                found.append((name, at_top))
    return found


def is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def layer_faults(module: str, source: str) -> list[str]:
    """Imports of a module that point up or sideways."""
    here, faults = part_of(module), []
    for name, at_top in imports(source, module):
        if not name.startswith("sciverify."):
            if name == "sciverify":
                faults.append(f"{module} imports the package as a whole")
            continue
        there = name.split(".")[1]
        if there.startswith("__") and there != "__init__":
            there = "_version"
        if there == here or LEVEL.get(there, len(LAYERS)) < LEVEL[here]:  # the public surface is the topmost
            continue
        if (here, there) in UPWARDS and not at_top:
            continue
        faults.append(f"{module} imports {name}")
    return faults


def declared(extra: str | None = None) -> set[str]:
    """The names under which the project's dependencies are imported."""
    requirements = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    names = [re.split(r"[^\w.-]", requirement)[0].lower() for requirement in requirements]
    return {IMPORTED_AS.get(name, name.replace("-", "_")) for name in names}


def outside_faults(module: str, source: str) -> list[str]:
    """Imports of a module that are neither of the standard library nor of what its part may load."""
    allowed = declared() | (declared(EXTRAS[part_of(module)]) if part_of(module) in EXTRAS else set())
    roots = {name.split(".")[0] for name, _ in imports(source, module)}
    return sorted(roots - sys.stdlib_module_names - allowed - {"sciverify"})


def test_every_part_has_its_layer():
    assert {part_of(module) for module in MODULES} <= set(LEVEL), "enter the new part in LAYERS"
    assert sum(map(len, LAYERS)) == len(LEVEL), "a part stands in two layers"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module):
    assert layer_faults(module, MODULES[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", MODULES)
def test_heavy_libraries_are_for_training_only(module):
    source = MODULES[module].read_text(encoding="utf-8")
    assert part_of(module) == "training" or not HEAVY & set(outside_faults(module, source))


@pytest.mark.parametrize("module", MODULES)
def test_only_declared_libraries_are_imported(module):
    faults = outside_faults(module, MODULES[module].read_text(encoding="utf-8"))
    assert faults == [], "declare it in pyproject.toml, or keep it in sciverify.training"


@pytest.mark.parametrize("module", MODULES)
def test_modules_stay_short(module):
    lines = [line for line in MODULES[module].read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= LONGEST


def test_a_heavy_library_is_found_wherever_it_hides():
    assert not HEAVY & declared()
    for name in HEAVY:
        assert outside_faults("models/session.py", f"def f():\n    import {name}.part") == [name]


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("text/a.py", "from sciverify.index import Index", "sciverify.index"),
        ("text/a.py", "def f():\n    import sciverify.systems", "sciverify.systems"),
        ("index/a.py", "from sciverify.corpora import open_corpus", "sciverify.corpora"),
        ("index/a.py", "from ..corpora.registry import x", "sciverify.corpora.registry"),
        ("index/a.py", "from .. import cli", "sciverify.cli"),
        ("models/a.py", "from sciverify import evaluation", "sciverify.evaluation"),
        ("records.py", "from sciverify.display import document_html", "sciverify.display"),
        ("display.py", "def f():\n    from sciverify import text", "sciverify.text"),
        ("cli/a.py", "import sciverify", "the package as a whole"),
        ("cli/a.py", "from sciverify import check", "sciverify.check"),
    ],
)
def test_a_wrong_import_is_found(module, source, fault):
    assert [text for text in layer_faults(module, source) if fault in text]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("index/a.py", "from sciverify.index.store import Store\nfrom .store import Store\nfrom . import store"),
        ("index/a.py", "from sciverify.text import analysis\nimport sqlite3, numpy as np"),
        ("records.py", "def f():\n    from sciverify.display import document_html"),
        ("cli/a.py", "from sciverify import __version__"),
        ("__init__.py", "from sciverify.systems import load_system"),
        ("training/a.py", "import torch"),
    ],
)
def test_a_right_import_is_not(module, source):
    assert layer_faults(module, source) == []
    assert outside_faults(module, source) == []
