"""The example of the section on summaries in docs/asking.md runs, with a server where it says that there is one."""

from __future__ import annotations

import re
from pathlib import Path

from chat_server import ChatServer, completion, send

PAGE = Path(__file__).parents[2] / "docs" / "asking.md"
SECTION = re.search(r"^## Summaries\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_example_runs(capsys):
    assert SECTION is not None
    [example] = re.findall(r"^```python\n(.*?)^```$", SECTION[1], re.MULTILINE | re.DOTALL)
    with ChatServer(send(completion("Coffee delayed sleep in adults."))) as server:
        exec(compile(example.replace("http://127.0.0.1:8080/v1", server.url), str(PAGE), "exec"), {})
    assert server.bodies[0]["model"] == "my-model"
    assert "Coffee delayed sleep." in capsys.readouterr().out
