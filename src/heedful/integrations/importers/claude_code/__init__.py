"""Claude Code sessions: importer.py is the door; plan.py reads the tree, rows.py the content, row by row."""
