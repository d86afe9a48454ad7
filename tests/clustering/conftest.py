"""A small collection and its clustering, for all tests in this folder."""

import pytest

from small import clustered, make_frame


@pytest.fixture
def frame():
    return make_frame()


@pytest.fixture
def result():
    return clustered()
