"""The page is complete, harmless whatever the corpus holds, and asks the network nothing."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from coterie.findings import summarize
from coterie.report import render
from coterie.report.figures import objective_curve

VOID = {"meta", "input", "br", "link", "img", "hr", "path", "polyline"}


class Page(HTMLParser):
    """Tags, attributes, text by tag, and whether every tag is closed in order."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.open, self.scripts = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        (self.scripts if inside == "script" else self.text).append(data)

    def values(self, name):
        return [value for _, attribute, value in self.attributes if attribute == name]


def page_of(model, corpus, **options):
    options = {"method": "PLSA", "title": "News"} | options
    html = render(summarize(model, corpus, **options))
    page = Page(html)
    assert page.open == []
    return html, page


EVIL = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "{{ 7 * 7 }}{% raw %}",
]


@pytest.mark.parametrize("evil", EVIL)
def test_whatever_the_corpus_holds_is_shown_and_never_run(model, make_corpus, evil):
    corpus = make_corpus(
        texts=[f"{evil}\n\n{evil} orbit moon", *["t\n\nteam goal ice"] * 5],
        labels=[evil, "a", "a", "a", "a", "a"],
        ids=[evil, *"bcdef"],
        titles=[evil, *["t"] * 5],
    )
    corpus.words[3] = evil
    corpus.notes.lines = lambda: [evil]
    model.get_params = lambda: {"random_state": evil, evil: evil}
    html, page = page_of(model, corpus, method=evil, title=evil)
    harmless = Page(render(summarize(model, make_corpus(labels=list("abcdef")), method="m")))
    assert page.tags.count("script") == harmless.tags.count("script") == 1
    assert page.tags.count("style") == 1
    assert "img" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert "alert" not in "".join(page.scripts)
    assert page.text.count(evil) >= 5
    assert html.count(evil) == 0 or evil == EVIL[-1]


def test_the_policy_allows_the_one_script_by_its_hash_and_nothing_else(model, corpus):
    html, page = page_of(model, corpus)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    policy = policy.replace("&#39;", "'")
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    directives = dict(part.split(maxsplit=1) for part in policy.split("; "))
    assert directives == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest_of(style)}'",
        "script-src": f"'sha256-{digest_of(script)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert not page.values("style")  # which the policy would forbid
    looks = page.values("data-css")
    assert len(set(looks)) > 3
    assert all(f'[data-css="{each}"]{{' in style for each in looks)


def digest_of(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_page_asks_the_network_nothing(model, labelled):
    html, page = page_of(model, labelled)
    assert not page.values("src")
    assert not page.values("srcset")
    assert all(value.startswith("#") for value in page.values("href"))
    assert not re.search(r"https?://|url\(|@import|fetch\(", html)


def test_every_link_within_the_page_has_its_target(model, labelled):
    _, page = page_of(model, labelled)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {value[1:] for value in page.values("href")} <= set(ids)
    referred = " ".join(page.values("aria-labelledby") + page.values("for")).split()
    assert set(referred) <= set(ids)


def test_the_page_holds_every_part(model, labelled):
    _, page = page_of(model, labelled, seconds=2.5)
    text = " ".join(" ".join(page.text).split())
    for part in (
        "6 documents in 3 clusters, by the method PLSA.",
        "goal · team · ice",
        "orbit moon orbit said",
        "Doubtful documents",
        "2 documents (33 %) might as well be in another cluster: the first choice has less "
        "than 50 %, or the second is less than 20 points behind.",
        "2 doubtful",
        "Agreement with the labels",
        "Measured on the 5 documents with a label.",
        "Worth in label noise",
        "share of random labels giving this NMI",
        "Classes against clusters",
        "4, converged",
        "6 documents read.",
        "1 document has no word left",
        "first choice of no document",
        "2.5 s",
    ):
        assert part in text, part
    assert page.tags.count("article") == 3
    assert "polyline" in page.tags


def test_the_word_for_numbers_is_named_and_explained_once(model, make_corpus):
    corpus = make_corpus()
    html, page = page_of(model, corpus)
    assert "(numbers)" not in html
    corpus.words[0] = "#"
    html, page = page_of(model, corpus)
    assert page.text.count("(numbers)") == 1
    assert html.count("(numbers) stands for any number") == 1
    assert "#" not in page.text


def test_without_labels_history_or_doubt_those_parts_are_left_out(model, corpus):
    model.memberships_ = np.eye(3)[model.labels_]
    del model.history_, model.n_iter_, model.converged_
    html, page = page_of(model, corpus)
    assert "svg" not in page.tags
    assert "table" not in page.tags
    assert "Agreement" not in html
    assert "Doubtful documents" not in html
    assert "Duplicates" not in html
    assert "Coarser" not in html


def test_without_the_script_everything_but_the_search_box_is_shown(model, corpus):
    _, page = page_of(model, corpus)
    hidden = [tag for tag, name, _ in page.attributes if name == "hidden"]
    assert hidden == ["form"]


@pytest.mark.parametrize("n_clusters", [1, 40])
def test_any_number_of_clusters_is_drawn(make_corpus, model, n_clusters):
    corpus = make_corpus([f"t\n\n{'team' if i % 2 else 'moon'}" for i in range(50)])
    model.labels_ = np.arange(50) % n_clusters
    model.memberships_ = np.eye(n_clusters)[model.labels_]
    del model.components_
    _, page = page_of(model, corpus)
    assert page.tags.count("article") == n_clusters


def test_the_curve_keeps_the_place_of_missing_iterations():
    curve = objective_curve([None, -4.0, None, -2.0, -2.0])
    assert curve.points == "0.0,160.0 400.0,0.0 600.0,0.0"
    assert (curve.start, curve.end, curve.first, curve.last) == (2, 5, -4.0, -2.0)
    assert objective_curve([1.0, 1.0]).points == "0.0,80.0 600.0,80.0"
    assert objective_curve([None, 1.0]) is None
