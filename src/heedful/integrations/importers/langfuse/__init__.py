"""Exports of Langfuse traces: importer.py is the door; fields.py reads what is JSON inside of JSON."""
