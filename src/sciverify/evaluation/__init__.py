"""Scorers, one module each, and what they share: gold claims, run files, the bootstrap over claims.

`sciverify.evaluation.tasks.TASKS` names them all.
"""

from sciverify.evaluation.bootstrap import Difference, Interval, bootstrap, compare
from sciverify.evaluation.candidates import PredictedCandidate
from sciverify.evaluation.gold import GoldClaim, GoldEvidence, load_gold, sentence_counts
from sciverify.evaluation.measures import CountedScores, Measure, Scores
from sciverify.evaluation.run_writer import RunWriter
from sciverify.evaluation.runs import PredictedDocument, Prediction, prediction_line, read_run
from sciverify.evaluation.scifact import SciFactScores, score_predictions, score_scifact
from sciverify.evaluation.table import scores_table
from sciverify.evaluation.tally import Tally

__all__ = [
    "CountedScores",
    "Difference",
    "GoldClaim",
    "GoldEvidence",
    "Interval",
    "Measure",
    "PredictedCandidate",
    "PredictedDocument",
    "Prediction",
    "RunWriter",
    "SciFactScores",
    "Scores",
    "Tally",
    "bootstrap",
    "compare",
    "load_gold",
    "prediction_line",
    "read_run",
    "score_predictions",
    "score_scifact",
    "scores_table",
    "sentence_counts",
]
