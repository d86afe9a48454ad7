"""Tables that are not quite tables are refused, or what was left out of them is noted."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns
from coterie.errors import InputError


def read(folder, name, content, **columns):
    """The texts of a file that is written first, and the notes."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    notes = ReadingNotes()
    texts = [each.text for each in documents(folder / name, Columns(**columns), notes)]
    return texts, notes


def refusal(folder, name, content, **columns):
    with pytest.raises(InputError) as caught:
        read(folder, name, content, **columns)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_quote_that_is_never_closed_is_refused_with_its_line(tmp_path):
    rows = [f"{n},some words" for n in range(20_000)]
    rows[100] = '100,"some words'
    message = refusal(tmp_path, "a.csv", "id,text\n" + "\n".join(rows))
    assert "a.csv: the row in line 102 opens a quote that is never closed" in message


def test_a_quote_closed_by_the_quotes_of_a_later_row_is_refused_with_both_lines(tmp_path):
    content = 'id,text\n1,"two\nlines"\n2,"open\n3,x\n4,"closed, and more"\n5,y\n'
    message = refusal(tmp_path, "a.csv", content)
    assert (
        "row in line 4 opens a quote that is not closed before the quote in line 6" in message
    )


def test_a_row_with_quotes_amid_a_quoted_field_is_left_out_and_noted(tmp_path):
    texts, notes = read(tmp_path, "a.csv", 'id,text\n1,"a "b" c"\n2,x\n3,y\n')
    assert texts == ["x", "y"]
    assert notes.examples == {"a quote amid a quoted field": ["a.csv, line 2"]}


def test_rows_of_another_width_are_left_out_and_noted_with_their_lines(tmp_path):
    content = 'id,text\n1,a\n\n2,"b\nb"\n3\n4,c,extra\n5,d,,\n'
    texts, notes = read(tmp_path, "a.csv", content)
    assert texts == ["a", "b\nb", "d"]
    assert notes.left_out == {
        "fewer fields than the header": 1,
        "more fields than the header": 1,
    }
    assert notes.examples["fewer fields than the header"] == ["a.csv, line 6"]
    assert notes.examples["more fields than the header"] == ["a.csv, line 7"]


@pytest.mark.parametrize("n_rows", [3, 5000])
def test_a_table_most_of_whose_rows_are_ragged_is_refused(tmp_path, n_rows):
    message = refusal(tmp_path, "a.csv", "id,text\n1,a\n" + "2,b,c\n" * n_rows)
    assert "a.csv: most rows do not fit the header" in message


def test_columns_of_the_same_name_are_refused_by_name(tmp_path):
    message = refusal(tmp_path, "a.csv", "id,text,text\n1,a,b\n")
    assert message == "a.csv: several columns are named 'text'. Columns: id, text, text"
    table = pa.table([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    pq.write_table(table, tmp_path / "b.parquet")
    message = refusal(tmp_path, "c.parquet", (tmp_path / "b.parquet").read_bytes())
    assert "several columns are named 'text'" in message


def test_columns_without_a_name_are_numbered(tmp_path):
    texts, _ = read(tmp_path, "a.csv", ",words,\n1,a,b\n", text=("column 3",))
    assert texts == ["b"]


def test_repeated_keys_are_refused_by_name_and_line(tmp_path):
    content = '{"text": "a"}\n{"text": "b", "x": {"y": 1, "y": 2}}\n'
    message = refusal(tmp_path, "a.jsonl", content)
    assert message == "a.jsonl: line 2: an object has the key 'y' more than once"
    message = refusal(tmp_path, "a.json", '[{"text": "a", "text": "b"}]')
    assert message == "a.json: an object has the key 'text' more than once"


@pytest.mark.parametrize(
    "first", ["17,good", "x," + "a long sentence of many words that is no name " * 3]
)
def test_a_first_row_that_looks_like_data_is_noted(tmp_path, first):
    _, notes = read(tmp_path, "a.csv", f"{first}\n18,bad\n")
    assert "the first row was read as names of columns, but looks like data" in notes.guesses[0]
    _, notes = read(tmp_path, "b.csv", "id,text\n18,bad\n")
    assert notes.guesses == ["text taken from column 'text'"]


def test_one_odd_row_does_not_choose_the_text_column(tmp_path):
    rows = [{"n": str(n), "body_of_mail": f"words of mail {n}"} for n in range(300)]
    rows[7]["summary"] = "a much longer text than all the others " * 1000
    texts, notes = read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    assert texts[0] == "words of mail 0"
    assert notes.guesses == ["text taken from column 'body_of_mail'"]


def test_a_table_without_text_is_refused_with_its_columns(tmp_path):
    message = refusal(tmp_path, "a.csv", "a,b\n1,2\n")
    assert message == "a.csv: no column holds text; name it with --text. Columns: a, b"
    many = ",".join(f"c{n}" for n in range(50))
    message = refusal(tmp_path, "a.csv", f"{many}\n{many}\n", text=("body",))
    assert message.startswith("a.csv: no column 'body'. Columns: c0, c1,")
    assert message.endswith("c19 and 30 more")


def test_what_was_kept_of_a_damaged_file_is_noted(tmp_path):
    good = '{"text": "words"}\n' * 1149
    (tmp_path / "a.jsonl").write_text(good + '{"text": "a", "text": "b"}\n')
    (tmp_path / "b.txt").write_text("more words")
    notes = ReadingNotes()
    assert len(list(documents(tmp_path, notes=notes))) == 1150
    assert not notes.skipped
    assert notes.lines()[1] == (
        "1 file was read in part: 1 line 1150: an object has the key 'text' more than once "
        "(a.jsonl, 1,149 documents kept)"
    )
    assert ReadingNotes.from_values(json.loads(json.dumps(notes.to_values()))) == notes


@pytest.mark.parametrize("space", [" ", "\t", "  "])
def test_repeated_keys_are_refused_however_they_are_spaced(tmp_path, space):
    content = f'{{"text": "a", "text"{space}: "b"}}\n'
    message = refusal(tmp_path, "a.jsonl", content)
    assert message == "a.jsonl: line 1: an object has the key 'text' more than once"
    texts, _ = read(tmp_path, "b.jsonl", f'{{"text"{space}: "a : b"}}\n')
    assert texts == ["a : b"]


@pytest.mark.parametrize("end", ['4,a screen of 32"', '4,"'])
@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tsv", "\t")])
def test_rows_between_an_open_quote_and_a_stray_one_are_noted(tmp_path, name, delimiter, end):
    lines = f'id,text\n1,fine\n2,"open quote\n3,plain\n{end}\n5,more\n'
    texts, notes = read(tmp_path, name, lines.replace(",", delimiter))
    assert len(texts) == 3
    assert notes.guesses[0] == (
        f"{name}: the row in line 3 may be several, as its lines would be rows; is a quote in "
        "it not closed?"
    )
    _, notes = read(tmp_path, name, lines.replace(",", delimiter) * 3)
    assert "the row in line 3 and 2 more may be several" in notes.guesses[0]


def test_texts_of_several_lines_are_no_rows(tmp_path):
    content = 'text,id\n"Dear Ann,\nyes, of course.",1\n"Tea, milk\n\nand, rum",2\n"a\nb",3\n'
    texts, notes = read(tmp_path, "a.csv", content)
    assert len(texts) == 3
    assert notes.guesses == ["text taken from column 'text'"]


def test_a_row_of_several_lines_that_is_left_out_is_named_with_all(tmp_path):
    content = 'id,text,tag\n1,fine,a\n2,"open,b\n3,plain,c\n4,",x",d\n5,more,e\n6,m,f\n'
    texts, notes = read(tmp_path, "a.csv", content)
    assert texts == ["fine", "more", "m"]
    assert notes.examples == {"more fields than the header": ["a.csv, lines 3 to 5"]}


def test_a_tab_may_be_declared_and_a_quote_may_not(tmp_path):
    texts, _ = read(tmp_path, "a.csv", "sep=\t\nid\ttext\n1\tgreen, tea\n")
    assert texts == ["green, tea"]
    texts, _ = read(tmp_path, "a.csv", 'sep="\nid"text\n')
    assert texts == ['id"text']
