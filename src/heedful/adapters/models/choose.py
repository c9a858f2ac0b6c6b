"""Choose: settings -> the embedder that is searched by, and those that can be made here besides."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.adapters.models.openai import OpenAiEmbedder
from heedful.adapters.models.proposer import OpenAiProposer
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.ports.embedder import Embedder
from heedful.ports.proposer import Proposer
from heedful.ports.router import Router
from heedful.settings import Settings


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedders of a process; none of them has loaded or connected to anything yet.

    Attributes:
        configured: None: search goes by text alone.
        known: every one that can be made, by whose identity a store's vectors may be; each identity once.
    """

    configured: Embedder | None
    known: tuple[Embedder, ...]


NO_EMBEDDERS = Embedders(None, ())


def embedders_of(settings: Settings) -> Embedders:
    """The embedders that these settings name."""
    ngrams, local, endpoint = NgramEmbedder(), LocalEmbedder(), _endpoint(settings)
    match settings.embedder:
        case "ngrams":
            configured: Embedder | None = ngrams
        case "local":
            configured = local
        case "openai":
            configured = endpoint
        case "none":
            configured = None
    # An endpoint that nobody named is not asked, whatever vectors a store has.
    names_endpoint = settings.embedder == "openai" or settings.embedder_url is not None
    return Embedders(configured, (ngrams, local, endpoint) if names_endpoint else (ngrams, local))


def router_of(settings: Settings, embedders: Embedders) -> Router | None:
    """The router that these settings name; it has loaded nothing yet."""
    return None if settings.router == "none" else BundledRouter(bundled_weights, embedders.configured)


def proposer_of(settings: Settings) -> Proposer | None:
    """The proposer that these settings name; it has connected to nothing yet."""
    if settings.proposer_model is None:
        return None
    return OpenAiProposer(url=settings.proposer_url, name=settings.proposer_model, key=settings.proposer_key)


def _endpoint(settings: Settings) -> Embedder:
    return OpenAiEmbedder(
        url=settings.embedder_url,
        name=settings.embedder_model,
        dimensions=settings.embedder_dimensions,
        key=settings.embedder_key,
    )
