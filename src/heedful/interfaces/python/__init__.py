"""The Python door: `from heedful import Memory`."""
