"""Weights of grounds, as scripts/fit_grounds.py made them."""

from __future__ import annotations

START = -2.811
WEIGHTS: tuple[float, ...] = (
    0.438,  # near
    0.919,  # nearest_share
    -0.222,  # words
    0.159,  # subject
    -0.119,  # subject_count
    -0.524,  # lone_subject
    0.240,  # here
    0.000,  # elsewhere
    -0.274,  # replaced
    -0.151,  # replaces
    -0.256,  # before_change
    0.572,  # after_change
    0.329,  # late
    0.602,  # last_of_sort
    0.273,  # after_call
    0.188,  # failed
    -0.119,  # passed
    0.943,  # gap
    0.001,  # note_concludes
    0.099,  # note_plans
    0.571,  # structured
    0.819,  # is_verification
    0.354,  # is_tool_result
    0.308,  # is_action
    -0.321,  # is_observation
    -1.206,  # is_human_note
    0.000,  # is_tool_call
    0.260,  # state:is_verification
    -0.187,  # state:is_tool_result
    0.152,  # state:is_action
    0.061,  # state:is_observation
    -0.422,  # state:is_human_note
    0.000,  # state:is_tool_call
    0.280,  # state:late
    -0.209,  # state:failed
    -0.399,  # state:passed
    -0.437,  # state:replaced
    -0.519,  # state:before_change
    0.308,  # causal:is_verification
    0.747,  # causal:is_tool_result
    -0.505,  # causal:is_action
    -0.601,  # causal:is_observation
    -0.467,  # causal:is_human_note
    0.000,  # causal:is_tool_call
    0.034,  # causal:late
    0.295,  # causal:failed
    -0.138,  # causal:passed
    -0.073,  # causal:replaced
    0.261,  # causal:before_change
    -0.123,  # workflow:is_verification
    0.056,  # workflow:is_tool_result
    0.781,  # workflow:is_action
    -0.161,  # workflow:is_observation
    -0.178,  # workflow:is_human_note
    0.000,  # workflow:is_tool_call
    -0.122,  # workflow:late
    0.070,  # workflow:failed
    0.138,  # workflow:passed
    0.116,  # workflow:replaced
    0.094,  # workflow:before_change
    0.449,  # gotcha:is_verification
    -0.391,  # gotcha:is_tool_result
    -0.131,  # gotcha:is_action
    0.474,  # gotcha:is_observation
    -0.322,  # gotcha:is_human_note
    0.000,  # gotcha:is_tool_call
    0.167,  # gotcha:late
    0.120,  # gotcha:failed
    0.296,  # gotcha:passed
    0.121,  # gotcha:replaced
    -0.148,  # gotcha:before_change
    -0.075,  # premise:is_verification
    0.130,  # premise:is_tool_result
    0.010,  # premise:is_action
    -0.094,  # premise:is_observation
    0.184,  # premise:is_human_note
    0.000,  # premise:is_tool_call
    -0.030,  # premise:late
    -0.089,  # premise:failed
    -0.016,  # premise:passed
    0.000,  # premise:replaced
    0.055,  # premise:before_change
)
"""In the order of features.NAMES."""
GAP_START = -0.488
GAP_WEIGHTS: tuple[float, ...] = (
    1.549,
    -0.430,
    0.288,
    -0.908,
    -0.275,
    -0.291,
    0.666,
    -0.053,
    0.804,
    0.501,
    -0.637,
    0.169,
    -0.937,
)
"""In the order of choose.gap_numbers."""
