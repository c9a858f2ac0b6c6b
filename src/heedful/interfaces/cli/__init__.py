"""The command line: one file a group of commands; each translates, calls one verb, and shows what came back."""
