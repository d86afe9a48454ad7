"""The published tables and figures as data, and the experiments that compute them again."""

from coterie_papers.items import Item, Scope, Sheet
from coterie_papers.running import chosen, item, items, missing, needed, reproduce, scope_of

__all__ = [
    "Item",
    "Scope",
    "Sheet",
    "chosen",
    "item",
    "items",
    "missing",
    "needed",
    "reproduce",
    "scope_of",
]
