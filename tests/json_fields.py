"""The fields of the JSON output: as docs/json-schema.md lists them, as they are declared, and as they are printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args, get_origin, get_type_hints, is_typeddict

DOCS = Path(__file__).parents[1] / "docs" / "json-schema.md"
ROW = re.compile(r"^\| `(?P<path>[^`]+)` \| (?P<type>[^|]+) \|", re.MULTILINE)


def documented_fields(heading: str) -> list[tuple[str, str]]:
    """Path and type of every field in the section of docs/json-schema.md with this heading, in order."""
    parts = re.split(r"^## ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    [part] = [part for part in parts if part.startswith(f"{heading}\n")]
    return [(row["path"], row["type"].strip()) for row in ROW.finditer(part)]


def fields_of(kind: type, prefix: str = "") -> list[tuple[str, str]]:
    """The dotted path of every field that a declaration holds, and its type in JSON's words."""
    found = []
    for name, hint in get_type_hints(kind).items():
        path, options = prefix + name, [option for option in _options(hint) if option is not type(None)]
        [option] = options
        optional = " or null" if type(None) in _options(hint) else ""
        if get_origin(option) is list:
            [item] = get_args(option)
            found.append((path, f"array of {'objects' if is_typeddict(item) else 'strings'}{optional}"))
            found += fields_of(item, f"{path}[].") if is_typeddict(item) else []
        elif get_origin(option) is dict:
            found.append((path, f"object{optional}"))
            found += [(f"{path}.{label}", "number") for label in ("SUPPORTS", "REFUTES", "NEI")]
        elif is_typeddict(option):
            found.append((path, f"object{optional}"))
            found += fields_of(option, f"{path}.")
        else:
            names = {str: "string", int: "integer", float: "number", bool: "boolean"}
            found.append((path, f"{names[option]}{optional}"))
    return found


def _options(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) not in (list, dict) and get_args(hint) else (hint,)


def paths_in(value: object, prefix: str = "") -> set[str]:
    """The dotted paths of the fields that a value holds."""
    paths: set[str] = set()
    if isinstance(value, dict):
        for name, part in value.items():
            paths |= {prefix + name} | paths_in(part, f"{prefix}{name}.")
    elif isinstance(value, list):
        for part in value:
            paths |= paths_in(part, f"{prefix[:-1]}[].")
    return paths
