"""Text: sentences, windows, analysis, offsets."""
