"""How much disk the default install takes: a new environment, `pip install .`, and the sum over what it brought.

    python benchmarks/install_size.py

Counts every installed file, compiled bytecode included, of all packages but pip and setuptools, which a new
environment has before. Needs a package index or a cache that pip can reach.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 12


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        before = sizes(Path(folder))
        command = [str(python), "-m", "pip", "install", "--quiet", "--only-binary=:all:", str(ROOT)]
        subprocess.run(command, check=True)
        added = {name: size for name, size in sizes(Path(folder)).items() if name not in before}
    total = sum(added.values())
    for name, size in sorted(added.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"{name:<28}{size / 1e6:>8.1f} MB")
    rest = total - sum(sorted(added.values(), reverse=True)[:SHOWN])
    print(f"{'everything else':<28}{rest / 1e6:>8.1f} MB")
    print(f"{'in all':<28}{total / 1e6:>8.1f} MB ({total / 2**20:.0f} MiB)")


def sizes(environment: Path) -> dict[str, int]:
    """Bytes by entry of site-packages."""
    [packages] = {path.resolve() for path in environment.glob("[Ll]ib*/**/site-packages")}  # lib64 is a link to lib
    found: dict[str, int] = defaultdict(int)
    for path in packages.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(packages).parts[0]] += path.stat().st_size
    return found


if __name__ == "__main__":
    main()
