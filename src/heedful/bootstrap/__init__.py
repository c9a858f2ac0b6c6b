"""Bootstrap: settings -> App. The only place where adapters are chosen; nothing opens at import."""

from heedful.adapters.registry_restore import RegistryFolder
from heedful.bootstrap.app import App
from heedful.bootstrap.founding import init_store
from heedful.bootstrap.opening import make_room, open_store, registry_problems
from heedful.bootstrap.principals import default_principal
from heedful.bootstrap.throwaway import throwaway_store

__all__ = [
    "App",
    "RegistryFolder",
    "default_principal",
    "init_store",
    "make_room",
    "open_store",
    "registry_problems",
    "throwaway_store",
]
