"""OTLP JSON with GenAI spans: importer.py is the door; values.py reads both dialects, messages.py the content."""
