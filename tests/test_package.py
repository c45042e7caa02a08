"""The package as a whole: its public surface, its version, what importing it does, its documents."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sciverify

PACKAGE = Path(sciverify.__file__).parent
ROOT = Path(__file__).parents[1]
SOURCES = sorted(PACKAGE.rglob("*.py"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.md")])


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def exported(path: Path) -> list[str] | None:
    """A module's ``__all__``, without importing the module; None where it has none."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return ast.literal_eval(node.value)
    return None


def in_order(name: str) -> tuple[object, ...]:
    """Constants, then classes, then the rest; numbers within names by value (the order that the linter keeps)."""
    rank = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    return rank, [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestPublicSurface:
    def test_every_name_exists(self):
        missing = [name for name in sciverify.__all__ if not hasattr(sciverify, name)]
        assert missing == []

    def test_nothing_else_looks_public(self):
        parts = {path.stem for path in PACKAGE.glob("*.py")} | {
            path.parent.name for path in PACKAGE.glob("*/__init__.py")
        }
        public = {name for name in vars(sciverify) if not name.startswith("_")}
        assert public - parts - {"annotations"} <= set(sciverify.__all__)

    @pytest.mark.parametrize("path", SOURCES, ids=module_name)
    def test_all_is_sorted_and_without_doubles(self, path):
        names = exported(path)
        if names is None:
            assert path.name == "__main__.py" or not defines_public(path), "a module with public names lists them"
        else:
            assert names == sorted(set(names), key=in_order)

    @pytest.mark.parametrize(
        "path",
        [path for path in SOURCES if "training" not in path.parts and path.name != "__main__.py"],
        ids=module_name,
    )
    def test_every_module_exports_what_it_has(self, path):
        module = importlib.import_module(module_name(path))
        assert [name for name in exported(path) or [] if not hasattr(module, name)] == []


def defines_public(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    definitions = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return any(not node.name.startswith("_") for node in definitions)


class TestVersion:
    def test_stands_in_one_place(self):
        holders = [path for path in SOURCES if re.search(r"^__version__\s*=", path.read_text(encoding="utf-8"), re.M)]
        assert [path.name for path in holders] == ["_version.py"]
        assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    def test_is_that_of_the_installed_package(self):
        assert sciverify.__version__ == importlib.metadata.version("sciverify")
        assert re.fullmatch(r"\d+\.\d+\.\d+(\.?(a|b|rc|dev)\d+)?", sciverify.__version__)


class TestImporting:
    def test_is_light_and_touches_no_network(self):
        heavy = "{'torch', 'transformers', 'openvino', 'nncf', 'onnx', 'scipy', 'sklearn', 'rich', 'qdrant_edge'}"
        code = f"""
import sys
events = []
sys.addaudithook(lambda name, _: events.append(name) if name.startswith(("socket.", "urllib.", "http.")) else None)
import sciverify
print(sorted({heavy} & set(sys.modules)), events)
"""
        assert run_python(code).strip() == "[] []"

    def test_leaves_logging_warnings_and_signals_alone(self):
        code = """
import logging, signal, warnings
before = (logging.root.handlers[:], logging.root.level, warnings.filters[:], signal.getsignal(signal.SIGINT))
import sciverify
after = (logging.root.handlers[:], logging.root.level, warnings.filters[:], signal.getsignal(signal.SIGINT))
print(before == after)
"""
        assert run_python(code).strip() == "True"

    def test_the_package_is_typed(self):
        assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if not path.is_relative_to(PACKAGE / "testing")], ids=module_name
)
def test_no_assert_guards_user_input(path):
    """`python -O` drops assert statements; only the conformance suites, which are tests, may use them."""
    statements = [n.lineno for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Assert)]
    assert statements == []


class TestDocuments:
    @pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
    def test_relative_links_resolve(self, path):
        assert broken_links(path, path.read_text(encoding="utf-8")) == []

    def test_a_broken_link_is_found(self, tmp_path):
        other = tmp_path / "other.md"
        other.write_text("# One thing & `two`\n\n# One thing & `two`\n", encoding="utf-8")
        page = tmp_path / "page.md"
        text = (
            "# Here\n[a](other.md) [b](other.md#one-thing--two) [c](other.md#one-thing--two-1) [d](#here)\n"
            "[e](https://example.org/x.md) [f](none.md) [g](other.md#three) [h](#there) ![i](none.png)\n"
            "[j]: none.txt\n\n```\n[k](none.py)\n```\n`[l](none.c)`\n"
        )
        page.write_text(text, encoding="utf-8")
        assert broken_links(page, text) == ["none.md", "other.md#three", "#there", "none.png", "none.txt"]


def broken_links(path: Path, text: str) -> list[str]:
    """The links of a Markdown file, in order, that lead to no file, or to no heading of one."""
    prose = re.sub(r"^(```|~~~).*?^\1.*?$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*<?(\S+?)>?\s*$"
    links = [first or second for first, second in re.findall(inline, prose, flags=re.MULTILINE)]
    broken = []
    for link in links:
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


def anchors(path: Path) -> set[str]:
    """The anchors that headings of a Markdown file get: lower case, spaces to hyphens, numbered when they repeat."""
    text = re.sub(r"^(```|~~~).*?^\1.*?$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", text, flags=re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
        if found[anchor]:
            found[f"{anchor}-{found[anchor]}"] = 0
    return set(found)
