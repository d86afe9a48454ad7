"""Every method, paper and cited article has its full reference in docs/bibliography.md."""

import re
from pathlib import Path

from coterie.methods import METHODS
from coterie_papers.items import PAPERS

ROOT = Path(__file__).parents[2]
BIBLIOGRAPHY = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
OURS = {"Coterie", "all of these", "library"}  # references of no article


def first_author_and_year(citation):
    year = re.search(r"\b(\d{4})\b", citation)
    return re.match(r"[^\s,:]+", citation).group(), year and year.group(1)


def entries():
    """The headings with what stands below them."""
    _, *parts = re.split(r"^### ", BIBLIOGRAPHY, flags=re.MULTILINE)
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def is_cited(citation):
    author, year = first_author_and_year(citation)
    known = [first_author_and_year(heading) for heading in entries()]
    return any(author == a and year in (None, y) for a, y in known)


def test_authors_and_years_are_read_from_short_citations():
    assert first_author_and_year("Long, Zhang and Yu (2005)") == ("Long", "2005")
    assert first_author_and_year("Pessiot et al.") == ("Pessiot", None)
    assert not is_cited("Long, Zhang and Yu (1905)")
    assert not is_cited("Nobody (2005)")


def test_every_method_has_its_reference():
    for method in METHODS.values():
        if method.reference not in OURS:
            assert is_cited(method.reference), (method.name, method.reference)


def test_every_paper_has_its_reference_and_no_year_is_invented():
    for name, citation in PAPERS.items():
        author, year = first_author_and_year(citation)
        (heading,) = [h for h in entries() if first_author_and_year(h) == (author, year)]
        assert f"items `{name}-…`" in entries()[heading]
        assert ("states no year" in entries()[heading]) == (year is None)


def test_every_entry_has_bibtex_with_a_key_of_its_own():
    keys = re.findall(r"^@\w+\{(\w+),$", BIBLIOGRAPHY, re.MULTILINE)
    assert len(keys) == len(set(keys)) >= len(entries())
    for heading, text in entries().items():
        (block,) = re.findall(r"```bibtex\n(.*?)```", text, re.DOTALL)
        assert block.count("{") == block.count("}"), heading
        for field in ("author", "title"):
            assert f"  {field} = {{" in block, heading
        year = first_author_and_year(heading)[1]
        assert set(re.findall(r"  year = \{(\d+)\}", block)) == ({year} if year else set())


def test_methods_named_in_the_bibliography_exist():
    named = {
        name for text in entries().values() for name in re.findall(r"`([a-z0-9-]+)`", text)
    }
    assert named <= set(METHODS)


def test_the_citation_file_names_the_project_and_the_papers():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert text.startswith("cff-version: 1.2.0\n")
    assert '- name: "The Coterie developers"' in text
    assert "preferred-citation" not in text
    assert "\t" not in text
    for title in re.findall(r"  title = \{(.*)\}", BIBLIOGRAPHY.partition("## Mixtures")[0]):
        assert f'title: "{title}"' in text
