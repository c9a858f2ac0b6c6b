"""One trace format a module, behind ports/importer.py."""
