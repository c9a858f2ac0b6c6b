"""LangGraph threads: database.py reads a checkpoint database, history.py a state history, thread.py tells either."""
