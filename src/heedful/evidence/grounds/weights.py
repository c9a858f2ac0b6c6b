"""Weights of grounds, as scripts/fit_grounds.py made them: of `features.NAMES` and of `choose.gap_numbers`."""

from __future__ import annotations

START = -3.099
WEIGHTS: tuple[float, ...] = (
    0.324,  # near
    0.624,  # nearest_share
    -0.181,  # words
    0.153,  # subject
    -0.003,  # subject_count
    -0.378,  # lone_subject
    0.133,  # here
    0.000,  # elsewhere
    -0.274,  # replaced
    -0.185,  # replaces
    -0.278,  # before_change
    0.514,  # after_change
    0.415,  # late
    0.713,  # last_of_sort
    0.186,  # after_call
    0.206,  # failed
    -0.046,  # passed
    0.691,  # gap
    -0.347,  # note_concludes
    0.037,  # note_plans
    0.475,  # structured
    0.845,  # is_verification
    0.386,  # is_tool_result
    0.212,  # is_action
    -0.223,  # is_observation
    -1.191,  # is_human_note
    -0.048,  # is_tool_call
    0.231,  # state:is_verification
    -0.114,  # state:is_tool_result
    0.135,  # state:is_action
    0.063,  # state:is_observation
    -0.303,  # state:is_human_note
    -0.240,  # state:is_tool_call
    0.189,  # state:late
    -0.109,  # state:failed
    -0.276,  # state:passed
    -0.357,  # state:replaced
    -0.431,  # state:before_change
    0.260,  # causal:is_verification
    0.679,  # causal:is_tool_result
    -0.401,  # causal:is_action
    -0.424,  # causal:is_observation
    -0.406,  # causal:is_human_note
    -0.005,  # causal:is_tool_call
    0.072,  # causal:late
    0.235,  # causal:failed
    -0.102,  # causal:passed
    -0.061,  # causal:replaced
    0.148,  # causal:before_change
    -0.078,  # workflow:is_verification
    0.062,  # workflow:is_tool_result
    0.572,  # workflow:is_action
    -0.105,  # workflow:is_observation
    -0.172,  # workflow:is_human_note
    0.080,  # workflow:is_tool_call
    0.054,  # workflow:late
    0.050,  # workflow:failed
    0.090,  # workflow:passed
    0.072,  # workflow:replaced
    0.046,  # workflow:before_change
    0.453,  # gotcha:is_verification
    -0.331,  # gotcha:is_tool_result
    -0.126,  # gotcha:is_action
    0.307,  # gotcha:is_observation
    -0.385,  # gotcha:is_human_note
    0.091,  # gotcha:is_tool_call
    0.087,  # gotcha:late
    0.080,  # gotcha:failed
    0.245,  # gotcha:passed
    0.071,  # gotcha:replaced
    -0.070,  # gotcha:before_change
    -0.021,  # premise:is_verification
    0.089,  # premise:is_tool_result
    0.030,  # premise:is_action
    -0.064,  # premise:is_observation
    0.075,  # premise:is_human_note
    0.027,  # premise:is_tool_call
    0.012,  # premise:late
    -0.051,  # premise:failed
    -0.003,  # premise:passed
    0.000,  # premise:replaced
    0.029,  # premise:before_change
)
"""In the order of features.NAMES."""
GAP_START = 0.824
GAP_WEIGHTS: tuple[float, ...] = (2.630, -0.958, 0.337, -0.931, -1.271, -1.554)
"""In the order of choose.gap_numbers."""
