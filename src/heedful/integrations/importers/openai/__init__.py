"""What OpenAI's programs and clients write: Codex rollouts, chat-completions logs, runs and sessions of the Agents SDK.

pieces.py and said.py read what they share, responses.py the items of the Responses API; runs.py makes items of them.
"""
