"""Non-interference, shown by worlds: what a requester may not see changes no byte of what they are handed.

A seed makes a history of several tenants and many principals, and one of the principals asks. The history is played
whole, and played again without everything that the requester may not see; every answer must be the same bytes, errors
included. `compare_worlds` plays one seed on stores of any adapter. The seed alone decides, so a printed seed replays.
"""
