"""A small corpus to try the system on: about a hundred landmark studies, summarised in our own words."""

from sciverify.demo.built import demo_index
from sciverify.demo.questions import DemoQuestion, demo_questions
from sciverify.demo.studies import demo_documents, demo_notice

__all__ = ["DemoQuestion", "demo_documents", "demo_index", "demo_notice", "demo_questions"]
