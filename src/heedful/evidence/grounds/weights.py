"""Weights of grounds, as scripts/fit_grounds.py made them."""

from __future__ import annotations

START = -2.772
WEIGHTS: tuple[float, ...] = (
    0.449,  # near
    0.862,  # nearest_share
    -0.208,  # words
    0.160,  # subject
    -0.122,  # subject_count
    -0.527,  # lone_subject
    0.234,  # here
    0.000,  # elsewhere
    -0.288,  # replaced
    -0.137,  # replaces
    -0.244,  # before_change
    0.579,  # after_change
    0.328,  # late
    0.610,  # last_of_sort
    0.273,  # after_call
    0.197,  # failed
    -0.113,  # passed
    0.933,  # gap
    -0.001,  # note_concludes
    0.102,  # note_plans
    0.427,  # structured
    0.816,  # is_verification
    0.354,  # is_tool_result
    0.310,  # is_action
    -0.320,  # is_observation
    -1.204,  # is_human_note
    0.000,  # is_tool_call
    0.256,  # state:is_verification
    -0.202,  # state:is_tool_result
    0.155,  # state:is_action
    0.068,  # state:is_observation
    -0.423,  # state:is_human_note
    0.000,  # state:is_tool_call
    0.283,  # state:late
    -0.210,  # state:failed
    -0.393,  # state:passed
    -0.452,  # state:replaced
    -0.519,  # state:before_change
    0.303,  # causal:is_verification
    0.760,  # causal:is_tool_result
    -0.510,  # causal:is_action
    -0.603,  # causal:is_observation
    -0.469,  # causal:is_human_note
    0.000,  # causal:is_tool_call
    0.034,  # causal:late
    0.289,  # causal:failed
    -0.145,  # causal:passed
    -0.077,  # causal:replaced
    0.262,  # causal:before_change
    -0.118,  # workflow:is_verification
    0.060,  # workflow:is_tool_result
    0.778,  # workflow:is_action
    -0.165,  # workflow:is_observation
    -0.176,  # workflow:is_human_note
    0.000,  # workflow:is_tool_call
    -0.121,  # workflow:late
    0.078,  # workflow:failed
    0.144,  # workflow:passed
    0.115,  # workflow:replaced
    0.100,  # workflow:before_change
    0.450,  # gotcha:is_verification
    -0.394,  # gotcha:is_tool_result
    -0.131,  # gotcha:is_action
    0.475,  # gotcha:is_observation
    -0.324,  # gotcha:is_human_note
    0.000,  # gotcha:is_tool_call
    0.162,  # gotcha:late
    0.114,  # gotcha:failed
    0.299,  # gotcha:passed
    0.127,  # gotcha:replaced
    -0.151,  # gotcha:before_change
    -0.075,  # premise:is_verification
    0.130,  # premise:is_tool_result
    0.018,  # premise:is_action
    -0.095,  # premise:is_observation
    0.188,  # premise:is_human_note
    0.000,  # premise:is_tool_call
    -0.031,  # premise:late
    -0.075,  # premise:failed
    -0.018,  # premise:passed
    0.000,  # premise:replaced
    0.063,  # premise:before_change
)
"""In the order of features.NAMES."""
GAP_START = 0.241
GAP_WEIGHTS: tuple[float, ...] = (
    5.083,
    -2.080,
    1.005,
    -3.122,
    -0.309,
    -1.608,
    2.123,
    -0.891,
    0.975,
    1.384,
    -0.369,
    0.546,
    -6.228,
)
"""In the order of choose.gap_numbers."""
