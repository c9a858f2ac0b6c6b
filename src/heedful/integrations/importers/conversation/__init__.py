"""Messages in the shapes that several formats share: parse.py reads one, thread.py takes each once, spans.py orders."""
