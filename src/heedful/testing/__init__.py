"""Shipped for those who write adapters and tests: builders, and the contract suite that every store must pass.

Needs pytest and hypothesis, which `import heedful` never does.
"""
