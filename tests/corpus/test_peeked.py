"""The first rows of a table tell its columns, also those that the very first rows lack."""

import json

import coterie


def test_a_column_may_begin_some_rows_below_the_first(tmp_path):
    rows = [{"name": f"n{i}"} for i in range(30)] + 2 * [{"body": "tea and milk"}]
    table = tmp_path / "rows.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    corpus = coterie.read(table, text="body")
    assert len(corpus) == 32
    assert "tea" in list(corpus.words)


def test_the_delimiter_is_told_by_more_than_the_first_line(tmp_path):
    lines = ["title,x;text", *(f"a, b, c {i};tea and milk {i}" for i in range(20))]
    table = tmp_path / "rows.csv"
    table.write_text("\n".join(lines), encoding="utf-8")
    corpus = coterie.read(table, text="text")
    assert len(corpus) == 20
