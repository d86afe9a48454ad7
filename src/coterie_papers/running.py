"""Items by name, and how one is computed: its cells, then its sheet, then its files."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

from coterie.errors import InputError
from coterie_papers.cells import Cell, Store, complete, default_folder
from coterie_papers.collections import catalogue
from coterie_papers.items import PAPERS, Item, Scope, Sheet
from coterie_papers.writing import write_index, write_sheet

QUICK_RUNS = 3


@cache
def items() -> tuple[Item, ...]:
    """Every published table and figure, in the papers' order."""
    modules = [import_module(f"coterie_papers.{paper}") for paper in PAPERS]
    return tuple(item for module in modules for item in module.ITEMS)


def item(name: str) -> Item:
    """The item of that name.

    Examples
    --------
    >>> item("pessiot-table5").where
    'Table 5, section 3.3'
    """
    known = {each.name: each for each in items()}
    if name not in known:
        raise InputError(
            f"{name}: no table, figure or paper of that name. `coterie reproduce` lists all"
        )
    return known[name]


def chosen(name: str) -> list[Item]:
    """The items a name stands for: one, those of a paper, or all.

    Examples
    --------
    >>> [item.name for item in chosen("kim")]
    ['kim-table1', 'kim-table2', 'kim-section4']
    """
    if name == "all":
        return list(items())
    return [each for each in items() if each.paper == name] or [item(name)]


def needed(chosen: Item) -> list[str]:
    """The collections an item is computed on: the paper's if here, else substitutes."""
    names = list(chosen.needs)
    for original, others in chosen.original.items():
        if original in catalogue.WITHOUT_LOADER:
            continue
        if catalogue.whereabouts(original) is not None:
            names = [*(name for name in names if name not in others), original]
    return names


def missing(chosen: Item) -> list[str]:
    """The collections an item needs and that are not here."""
    return [name for name in needed(chosen) if catalogue.whereabouts(name) is None]


def scope_of(chosen: Item, runs: int | None = None, quick: bool = False) -> Scope:
    """How much to run: the paper's number of runs unless another is asked for."""
    return Scope(runs or (QUICK_RUNS if quick else chosen.runs), quick)


def reproduce(
    chosen: Item,
    out: Path,
    *,
    runs: int | None = None,
    quick: bool = False,
    jobs: int = 1,
    fresh: bool = False,
    store: Store | None = None,
    report: Callable[[Cell], None] = lambda _: None,
) -> tuple[Sheet, list[Path]]:
    """Compute one item and write its page, data and pictures to the folder `out`.

    Cells that are saved in `store`, or in the data of the folder, are not computed again.
    """
    scope = scope_of(chosen, runs, quick)
    store = store or Store(default_folder())
    for each in sorted(items(), key=lambda one: one.name == chosen.name):
        store.read(out / f"{each.name}.json")  # its own runs last: of several, these count
    planned = chosen.plan(scope)
    absent = missing(chosen)
    if fresh or any(store.get(each) is None for each in planned):
        if store.any_code:
            raise InputError(f"{chosen.name}: not all of its runs are saved")
        if absent:
            from coterie_papers.collections.files import locate

            locate(catalogue.entry(absent[0]).collection)  # raises and says what to do
    results = complete(planned, store, jobs=jobs, fresh=fresh, report=report)
    sheet = chosen.present(scope, results)
    written = write_sheet(out, chosen, scope, sheet, [store.record(each) for each in results])
    return sheet, [*written, write_index(out, items())]
