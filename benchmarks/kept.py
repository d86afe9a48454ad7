"""Results kept in a file, so that an interrupted run goes on where it was."""

import json


def key(task):
    return "|".join(map(str, task))


def known(path):
    return json.loads(path.read_text()) if path.is_file() else {}


def keep(path, results):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**known(path), **results}, indent=0))


def measured(path, tasks, measure_all):
    """All that is known once the tasks not measured before are; each is kept when done."""
    done = known(path)
    todo = [task for task in tasks if key(task) not in done]
    for task, result in zip(todo, measure_all(todo), strict=True):
        keep(path, {key(task): result})
        print(key(task), *(f"{value:.3f}" for value in result), flush=True)
    return known(path)
