"""An explorer over a small collection."""

import shutil
from dataclasses import replace

import pytest

from coterie.explorer import uploads, workspace
from coterie.explorer.store import Store
from coterie.explorer.workspace import Workspace
from exploring import Client
from small import ENGLISH, clustered


@pytest.fixture(autouse=True)
def _every_word_counts(monkeypatch):
    """Words are counted as in `small`, however few the documents."""
    monkeypatch.setattr(
        workspace, "reading_of", lambda each: replace(uploads.reading_of(each), options=ENGLISH)
    )


@pytest.fixture
def room(tmp_path):
    made = Workspace(Store(tmp_path / "session"))
    yield made
    made.end()


@pytest.fixture
def client(room):
    return Client(room)


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A folder of results, which no test changes."""
    return clustered().save(tmp_path_factory.mktemp("saved") / "results")


@pytest.fixture
def results(saved, tmp_path):
    """A folder of results of one's own."""
    return shutil.copytree(saved, tmp_path / "results")


@pytest.fixture
def opened(client, results):
    """The identifier of an open result."""
    return client.room.open_folder(results).id
