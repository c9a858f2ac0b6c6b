"""Every trace format that can be read, the surest recognised first."""

from __future__ import annotations

from heedful.integrations.importers.atif.trajectory import AtifTrajectory
from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.integrations.importers.conversation.payloads import PayloadDocument, PayloadLines
from heedful.integrations.importers.document import DocumentFormat
from heedful.integrations.importers.langfuse.importer import LangfuseFormat
from heedful.integrations.importers.langgraph.database import LangGraphDatabase
from heedful.integrations.importers.langgraph.history import LangGraphHistory
from heedful.integrations.importers.openai.agents_sessions import AgentsSessionsImporter
from heedful.integrations.importers.openai.agents_state import AgentsState
from heedful.integrations.importers.openai.chat_format import ChatDocument, ChatLinesImporter
from heedful.integrations.importers.openai.codex import CodexImporter
from heedful.integrations.importers.openhands.v0 import OpenHandsTrajectory
from heedful.integrations.importers.openhands.v1 import OpenHandsEvents
from heedful.integrations.importers.otlp.importer import OtlpFormat
from heedful.integrations.importers.plain.format import PlainDocument, PlainLinesImporter
from heedful.integrations.importers.swe_agent.mini import MiniSweAgentTrajectory
from heedful.integrations.importers.swe_agent.trajectory import SweAgentTrajectory
from heedful.integrations.importers.webarena.importer import WebArenaPage
from heedful.ports.importer import TraceImporter

LINE_FORMATS: tuple[TraceImporter, ...] = (
    ClaudeCodeImporter(),
    OpenHandsEvents(),
    WebArenaPage(),
    LangGraphDatabase(),
    PayloadLines(OtlpFormat()),
    PayloadLines(LangfuseFormat()),
    AgentsSessionsImporter(),
    CodexImporter(),
    PlainLinesImporter(),
    ChatLinesImporter(),
)
"""Formats that are told by their first lines or bytes: JSONL, databases, pages."""

DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = (
    AtifTrajectory(),
    MiniSweAgentTrajectory(),
    SweAgentTrajectory(),
    OpenHandsTrajectory(),
    LangGraphHistory(),
    PayloadDocument(OtlpFormat()),
    PayloadDocument(LangfuseFormat()),
    AgentsState(),
    PlainDocument(),
    ChatDocument(),
)
"""Formats that are one JSON document, told by what is in it."""
