"""What a process keeps of the database for seconds or minutes, cleared for tests that change it at once."""

from types import ModuleType


def forget(module: ModuleType) -> None:
    """Clear every cache of a module."""
    for member in vars(module).values():
        if hasattr(member, "cache_clear"):
            member.cache_clear()
