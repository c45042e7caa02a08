"""Conformance suites: what a retriever, a verifier or a reader must keep, as tests to derive from."""
