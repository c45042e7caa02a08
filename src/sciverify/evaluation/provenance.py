"""Where a run comes from: the side file ``RUN.meta.json`` beside a run file ``RUN``.

It holds everything that the answers depend on, so that a run can be repeated, and so that one that was interrupted does
not go on with other settings. docs/runs.md describes the keys.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sciverify.errors import RunFileError, SettingError, place
from sciverify.evaluation.exports import write_lines
from sciverify.evaluation.form import parse_line
from sciverify.index import IndexInfo
from sciverify.models.card import file_hash
from sciverify.records import Filters, Problem
from sciverify.stages import System
from sciverify.systems.pipeline import Pipeline
from sciverify.verification import PartialModel, PipelineVerifier
from sciverify.verification.reading import ModelVerifier

__all__ = [
    "PROVENANCE_SCHEMA",
    "Provenance",
    "describe_import",
    "describe_run",
    "differing_settings",
    "provenance_path",
    "read_provenance",
    "refuse_other_settings",
    "write_provenance",
]

PROVENANCE_SCHEMA = "sciverify.run/1"

_PACKAGES = ("sciverify", "numpy", "openvino", "tokenizers", "qdrant-edge-py", "PyStemmer", "sentencex")
_SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("dev", "development", "val", "valid", "validation"), "dev"),
    **dict.fromkeys(("test", "testing"), "test"),
}
_KEPT_PROBLEMS = 100


@dataclass(frozen=True)
class Provenance:
    """What a run was made with, and how far it is.

    Attributes:
        system: the system's name with its options; `Verdict.system`.
        retriever: the retriever's name with its options; "" where the system doesn't say.
        oracle: what the system was told (`sciverify.evaluation.oracle.ORACLES`); empty in the open setting.
        input: what its model saw (`sciverify.verification.INPUTS`).
        filters: which documents counted; only the filters that were set.
        claims: the claims file: ``file`` (its name), ``sha256``, ``number`` of claims, ``split`` as the name tells it.
        index: ``path``, ``documents``, ``revision``, ``average_length`` (words a document), ``encoder``.
        weights: the models by their use, each with its hash.
        versions: of Python and of the packages that the answers may depend on.
        started: when the first claim was begun, UTC.
        resumed: when the run was gone on with.
        ended: when the last claim was done; None before.
        done: how many claims have their line.
        problem_count: how many inputs failed; `problems` are the first 100 of them, each with ``where`` and
            ``message``.
        problems: see `problem_count`.
    """

    system: str
    retriever: str
    oracle: tuple[str, ...]
    input: str
    filters: Mapping[str, Any]
    claims: Mapping[str, Any]
    index: Mapping[str, Any]
    weights: Mapping[str, Any]
    versions: Mapping[str, Any]
    started: str
    resumed: tuple[str, ...] = ()
    ended: str | None = None
    done: int = 0
    problem_count: int = 0
    problems: tuple[Mapping[str, Any], ...] = ()

    @property
    def setting(self) -> str:
        """The setting in words: ``open``, ``oracle abstract + rationale`` ...; empty where an import can't tell."""
        if self.oracle:
            return f"oracle {' + '.join(self.oracle)}"
        return "open" if self.index else ""

    def settings(self) -> dict[str, object]:
        """Everything that the answers depend on, by a name that a person understands.

        An index may be moved and a claims file renamed: what is in them counts.
        """
        settings: dict[str, object] = {
            "system": self.system,
            "retriever": self.retriever,
            "setting": self.setting,
            "input": self.input,
            "filters": dict(self.filters),
            "claims": f"{self.claims.get('number')} with SHA-256 {str(self.claims.get('sha256'))[:12]}",
        }
        settings |= {f"index {key}": value for key, value in self.index.items() if key != "path"}
        settings |= {f"weights of the {key}": value for key, value in self.weights.items()}
        return settings | {"version of sciverify": self.versions.get("sciverify")}

    def with_problems(self, problems: Sequence[Problem]) -> Provenance:
        """A copy that counts these problems too and keeps the first hundred."""
        room = max(_KEPT_PROBLEMS - len(self.problems), 0)
        kept = ({"where": problem.where, "message": problem.message} for problem in problems[:room])
        return replace(self, problem_count=self.problem_count + len(problems), problems=(*self.problems, *kept))

    def at(self, done: int) -> Provenance:
        """A copy after `done` claims, ended now if these are all of them."""
        ended = _now() if self.ended is None and done == self.claims["number"] else self.ended
        return replace(self, done=done, ended=ended)

    def gone_on_with(self) -> Provenance:
        """A copy that says that the run was taken up again now."""
        return replace(self, resumed=(*self.resumed, _now()))


def describe_run(
    system: System,
    index: IndexInfo,
    *,
    claims_file: str,
    sha256: str,
    number: int,
    oracle: Sequence[str] = (),
    input: str = "full",
    filters: Filters | None = None,
) -> Provenance:
    """The provenance of a run that begins now.

    Args:
        system: what checks the claims.
        index: what it searches.
        claims_file: the path of the claims; only its name is kept.
        sha256: the hash of that file's bytes.
        number: how many claims it holds.
        oracle: see `Provenance`.
        input: what was asked for; a model that was trained to see less sees less.
        filters: see `Provenance`.
    """
    name = Path(claims_file).name
    return Provenance(
        system=system.name,
        retriever=system.retriever.name if isinstance(system, Pipeline) and system.retriever else "",
        oracle=tuple(sorted(set(oracle))),
        input=_seen(system, input),
        filters=_set_filters(filters or Filters()),
        claims={"file": name, "sha256": sha256, "number": number, "split": _split(name)},
        index={
            "path": str(Path(index.path).resolve()),
            "documents": index.documents,
            "revision": index.revision,
            "average_length": round(index.average_length, 6),
            "encoder": index.encoder,
        },
        weights=_weights(system),
        versions={"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES},
        started=_now(),
    )


def describe_import(options: Mapping[str, object], claims: Path | None, number: int) -> Provenance:
    """The provenance of a run that was made of another tool's file: how that was made is not known.

    Args:
        options: the form, the file's name and the options of the import.
        claims: the claims file, if one was named.
        number: how many claims the run holds.
    """
    given = ", ".join(f"{name}={value!r}" for name, value in options.items() if value is not None)
    return Provenance(
        system=f"import({given})",
        retriever="",
        oracle=(),
        input="",
        filters={},
        claims={
            "file": claims.name if claims else None,
            "sha256": file_hash(claims) if claims else None,
            "number": number,
            "split": _split(claims.name) if claims else None,
        },
        index={},
        weights={},
        versions={"python": platform.python_version(), "sciverify": _version("sciverify")},
        started=_now(),
    ).at(number)


def provenance_path(run: str | Path) -> Path:
    """The side file of a run."""
    run = Path(run)
    return run.with_name(f"{run.name}.meta.json")


def write_provenance(run: str | Path, provenance: Provenance) -> None:
    """Write the side file of a run, whole or not at all.

    Raises:
        RunFileError: it cannot be written.
    """
    content = json.dumps({"schema": PROVENANCE_SCHEMA, **asdict(provenance)}, indent=2)
    write_lines(provenance_path(run), content.split("\n"), replace=True)


def read_provenance(run: str | Path) -> Provenance | None:
    """What the side file of a run says; None where there is none.

    Raises:
        RunFileError: there is one, but it cannot be read or is not of this form.
    """
    path = provenance_path(run)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
        raise RunFileError(problem, where=place(path), remedy="Check the file and its permissions") from error
    values = parse_line(content, place(path))
    schema = values.pop("schema", None)
    if schema != PROVENANCE_SCHEMA:
        problem = f"the schema is {schema!r}, not {PROVENANCE_SCHEMA}"
        raise RunFileError(problem, where=place(path), remedy="Use the version of sciverify that made the run")
    for field in fields(Provenance):
        if field.name not in values or not _is_of_form(field.type, values[field.name]):
            problem = f"{field.name!r} is missing or not of its form"
            raise RunFileError(problem, where=place(path), remedy="Delete this file, or make the run anew")
        if isinstance(values[field.name], list):
            values[field.name] = tuple(values[field.name])  # type: ignore[arg-type]
    return Provenance(**{field.name: values[field.name] for field in fields(Provenance)})  # type: ignore[arg-type]


def differing_settings(one: Provenance, other: Provenance) -> dict[str, tuple[object, object]]:
    """The settings that two runs don't share, with the value of each; None where one has no such setting."""
    first, second = one.settings(), other.settings()
    names = dict.fromkeys([*first, *second])
    pairs = {name: (first.get(name), second.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def refuse_other_settings(run: str | Path, earlier: Provenance | None, now: Provenance) -> None:
    """Refuse to go on with a run that was begun with other settings.

    Raises:
        SettingError: it was, and the message says which; or there is no record of how it was begun.
    """
    remedy = "Name another run file, or start over with --force"
    if earlier is None:
        problem = f"this run was begun without a record of its settings ({provenance_path(run).name} is missing)"
        raise SettingError(problem, where=place(run), remedy=remedy)
    if differing := differing_settings(earlier, now):
        what = "; ".join(f"{name} was {_shown(old)}, is now {_shown(new)}" for name, (old, new) in differing.items())
        raise SettingError(f"this run was begun with other settings: {what}", where=place(run), remedy=remedy)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _split(name: str) -> str | None:
    words = re.split(r"[^a-z]+", name.lower())
    return next((_SPLITS[word] for word in words if word in _SPLITS), None)


def _set_filters(filters: Filters) -> dict[str, object]:
    """The filters that were set, as JSON gives them back: lists, no tuples."""
    values = {key: value for key, value in asdict(filters).items() if value not in (None, ())}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _weights(system: System) -> dict[str, str]:
    verifier = system.verifier if isinstance(system, Pipeline) else None
    if isinstance(verifier, PipelineVerifier) and verifier.has_two_models:
        return {"selector": verifier.selector.name, "labeller": verifier.model.name}
    return {"verifier": verifier.model.name} if isinstance(verifier, ModelVerifier) else {}


def _seen(system: System, input: str) -> str:
    """What the model sees: a model may have been trained on a part of the input, whatever was asked for."""
    verifier = system.verifier if isinstance(system, Pipeline) else None
    model = verifier.model if isinstance(verifier, ModelVerifier) else None
    return model.input if isinstance(model, PartialModel) else input


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _is_of_form(annotation: object, value: object) -> bool:
    """Whether a JSON value fits a field; annotations are strings in this module."""
    if annotation == "str":
        return isinstance(value, str)
    if annotation == "str | None":
        return value is None or isinstance(value, str)
    if annotation == "int":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if annotation == "tuple[str, ...]":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if annotation == "tuple[Mapping[str, Any], ...]":
        return isinstance(value, list) and all(isinstance(item, dict) for item in value)
    return isinstance(value, dict)
