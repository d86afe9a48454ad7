"""What `mutate.py` breaks is still there to be broken."""

import runpy
from pathlib import Path

MUTATE = runpy.run_path(str(Path(__file__).with_name("mutate.py")))


def test_every_mutation_finds_its_place_once():
    source = MUTATE["ROOT"] / "src" / "coterie"
    texts = {each.file: (source / each.file).read_text("utf-8") for each in MUTATE["MUTATIONS"]}
    gone = [each.name for each in MUTATE["MUTATIONS"] if not each.applied(texts[each.file])]
    assert not gone
    assert len({each.name for each in MUTATE["MUTATIONS"]}) == len(MUTATE["MUTATIONS"])
