"""Scorers, one module each, and what they share: gold claims, run files, the bootstrap over claims."""

from sciverify.evaluation.bootstrap import Interval
from sciverify.evaluation.gold import GoldClaim, GoldEvidence, load_gold, sentence_counts
from sciverify.evaluation.runs import PredictedDocument, Prediction, RunWriter, prediction_line, read_run
from sciverify.evaluation.scifact import MetricIntervals, SciFactScores, score_predictions, score_scifact
from sciverify.evaluation.tally import Tally

__all__ = [
    "GoldClaim",
    "GoldEvidence",
    "Interval",
    "MetricIntervals",
    "PredictedDocument",
    "Prediction",
    "RunWriter",
    "SciFactScores",
    "Tally",
    "load_gold",
    "prediction_line",
    "read_run",
    "score_predictions",
    "score_scifact",
    "sentence_counts",
]
