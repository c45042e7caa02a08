"""All that is to be said about a run in one object, and as one self-contained HTML page."""

from sciverify.evaluation.report.contents import Comparison, Report, WorstError, make_report
from sciverify.evaluation.report.page import render_html

__all__ = ["Comparison", "Report", "WorstError", "make_report", "render_html"]
