"""What a verifier gets right on sets kept from its training, beside the baselines claim-only and majority.

    python benchmarks/verifier.py src/sciverify/models/weights/verifier --data ../shared/data --json measured.json

SciFact (the held-out training claims of a fold, or dev where a release candidate is measured), HealthVer dev,
COVID-Fact's held-out claims, Climate-FEVER, PubMedQA, BioASQ's yes/no questions and NLI4CT dev. A table in Markdown
goes to standard output, what happens to standard error. docs/training.md says how each set is measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path

from sciverify.errors import SciverifyError
from sciverify.training.measured_sets import MEASURED, measure
from sciverify.training.measurement_report import measurements_json, measurements_markdown
from sciverify.training.sets import FOLDS
from sciverify.verification import JointVerifier, open_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public data sets")
    parser.add_argument("--sets", default=",".join(MEASURED), help="names with commas between (default: %(default)s)")
    parser.add_argument("--fold", type=int, choices=FOLDS, default=1, help="SciFact's fold that the model did not see")
    parser.add_argument("--release-candidate", action="store_true", help="ask SciFact's dev claims, not a fold's")
    parser.add_argument("--index", type=Path, help="of SciFact's abstracts, to keep; made there if missing")
    parser.add_argument("--evidence", type=float, help="probability below which a document is NEI; default the model's")
    parser.add_argument("--element", type=float, help="probability from which an element is quoted; as above")
    parser.add_argument("--json", type=Path, help="write all measures with their intervals to this file")
    options = parser.parse_args()
    try:
        model = open_model(options.model)
        measurements = measure(
            JointVerifier(model, evidence=options.evidence, element=options.element),
            options.data,
            options.sets.split(","),
            fold=options.fold,
            release_candidate=options.release_candidate,
            index=options.index,
            notify=partial(print, file=sys.stderr, flush=True),
        )
    except SciverifyError as error:
        parser.exit(1, f"{error}\n")
    if options.json:
        report = {"model": model.name, "measurements": measurements_json(measurements)}
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(measurements_markdown(measurements))


if __name__ == "__main__":
    main()
