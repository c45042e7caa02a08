"""How many of the 50 written questions over the demo corpus a system answers right.

    python benchmarks/questions.py [--system NAME] [--count-retracted]

Prints the number right, a table of answers, and for each wrong one the studies that decide it: what their summaries
answer (see docs/demo-corpus.md) and how the system labelled them. The expected answers leave retracted papers out, and
so does the search, unless --count-retracted is given.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import sciverify
from sciverify.demo import DemoQuestion, demo_index, demo_questions
from sciverify.records import Claim, ConsensusLabel, Filters, Label, Verdict
from sciverify.systems import SYSTEMS

ANSWERS = tuple(ConsensusLabel)
GIVEN = {Label.SUPPORTS: "yes", Label.REFUTES: "no", Label.NEI: "neither"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default="default", choices=tuple(SYSTEMS))
    parser.add_argument("--count-retracted", action="store_true", help="search retracted papers too, and count them")
    options = parser.parse_args()
    questions = demo_questions()
    claims = [Claim(question.id, question.question) for question in questions]
    filters = None if options.count_retracted else Filters(retracted=False)
    with demo_index() as index:
        verdicts = sciverify.check(claims, index=index, system=options.system, filters=filters)
    print(report(questions, verdicts))


def report(questions: Sequence[DemoQuestion], verdicts: Sequence[Verdict]) -> str:
    """The number right, the table, and the wrong ones; one verdict per question, in order."""
    pairs = list(zip(questions, verdicts, strict=True))
    wrong = [(question, verdict) for question, verdict in pairs if verdict.consensus.label is not question.answer]
    lines = [f"{len(pairs) - len(wrong)} of {len(pairs)} right", "", *table(pairs)]
    for question, verdict in wrong:
        lines += ["", *explanation(question, verdict)]
    return "\n".join(lines)


def table(pairs: Sequence[tuple[DemoQuestion, Verdict]]) -> list[str]:
    """Expected answers in rows, given ones in columns."""
    count = Counter((question.answer, verdict.consensus.label) for question, verdict in pairs)
    head = f"{'expected / given':<18}" + "".join(f"{answer:>13}" for answer in ANSWERS)
    return [head, *(f"{row:<18}" + "".join(f"{count[row, column]:>13}" for column in ANSWERS) for row in ANSWERS)]


def explanation(question: DemoQuestion, verdict: Verdict) -> list[str]:
    """Each study on a side in the expected lists or in the verdict, with both."""
    expected = dict.fromkeys(question.yes, "yes") | dict.fromkeys(question.no, "no")
    expected |= dict.fromkeys(question.retracted, "retracted")
    given = {finding.document.id: finding for finding in verdict.findings}
    deciding = [id for id, finding in given.items() if finding.label is not Label.NEI and id not in expected]
    lines = [
        f"{question.id}: {question.question}",
        f"    expected {question.answer}, given {verdict.consensus.label}: {verdict.consensus.reason}",
    ]
    for id in (*expected, *deciding):
        read = "not read"
        if id in given:
            label = given[id].label
            read = f"{GIVEN[label]} (probability {given[id].probabilities.of(label):.2f})"
        lines.append(f"    {id:<40} expected {expected.get(id, 'neither'):<9}  given {read}")
    return lines


if __name__ == "__main__":
    main()
