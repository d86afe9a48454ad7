"""The same from the command line: several paths, standard input, looking, editing."""

import errno
import json
import signal

import pytest

import coterie
from commands import refuse, run, succeed
from coterie.commands.files import file_to_write
from coterie.folders import content_checksum, file_checksum
from coterie.report.html import render
from small import KINDS, TEXTS, clustered

FAST = ("--method", "mm", "--language", "en", "--min-df", 1)


@pytest.fixture
def out(tmp_path):
    return clustered().save(tmp_path / "out")


def numbers(out):
    shown = json.loads(succeed("show", out, "--json").stdout)
    return {row["number"]: (row["name"], row["size"]) for row in shown}


def test_show_lists_clusters_and_one_of_them(out):
    assert [size for _, size in numbers(out).values()] == [12, 12, 12]
    shown = succeed("show", out).stdout
    assert all(name.split()[0] in shown for name, _ in numbers(out).values())
    one = json.loads(succeed("show", out, 1, "--json").stdout)
    assert one["words"][0]["word"] in succeed("show", out, 1).stdout
    assert len(one["documents"]) == 5
    refuse("cluster 8: no such cluster", "show", out, 8)


def test_edits_are_kept_and_undone(out):
    before = numbers(out)
    done = succeed("rename", out, "1=Erstes Thema", "2= Zwei ")
    assert f"coterie undo {out}" in done.stderr
    assert [numbers(out)[n][0] for n in (1, 2)] == ["Erstes Thema", "Zwei"]
    succeed("merge", out, 1, 2)
    assert numbers(out)[1] == ("Erstes Thema", 24)
    succeed("split", out, 1, "-k", 2)
    assert sorted(numbers(out)) == [1, 3, 4]
    succeed("move", out, "d00", "d01", "--to", 3)
    assert set(coterie.load(out).labels[:2]) == {3}
    succeed("drop", out, 4)
    assert sorted(numbers(out)) == [1, 3]
    for _ in range(5):
        succeed("undo", out)
    assert numbers(out) == before
    refuse("nothing to undo", "undo", out)


@pytest.mark.parametrize("command", ["rename", "within", "update"])
def test_ctrl_c_ends_an_edit_when_it_is_written(out, tmp_path, monkeypatch, command):
    def interrupted(*given, **named):
        signal.raise_signal(signal.SIGINT)
        return render(*given, **named)

    (tmp_path / "new.txt").write_text("moon orbit star")
    more = {"rename": ["1=Tea"], "within": [1, "--out", tmp_path / "one"]}
    monkeypatch.setattr("coterie.report.results.render", interrupted)
    done = run(command, out, *more.get(command, [tmp_path / "new.txt"]))
    assert done.exit_code == 130
    assert "The results are being written; Ctrl-C again stops at once" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Wrote ")
    assert sum(size for _, size in numbers(out).values()) == 36 + (command == "update")


def test_results_may_lie_within_others_but_not_in_their_model_or_documents(out, tmp_path):
    succeed("within", out, 1, "--out", out / "one")
    assert len(numbers(out)) == 3
    succeed("rename", out, "1=Tea")
    assert len(numbers(out / "one")) > 1
    for inside in ("model", "corpus/x", "parts/1"):
        refuse(f"{inside}: within the results in", "within", out, 1, "--out", out / inside)
    model = tmp_path / "else" / "model"  # not in results
    succeed("within", out, 1, "--out", model)
    assert len(numbers(model)) > 1


def test_a_link_that_leads_back_to_itself_is_no_folder_for_results(out, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for inside in ("loop", "loop/x"):
        path = tmp_path / inside
        refuse("loop: a link that leads back to itself", "within", out, 1, "--out", path)
        refuse("loop: a link that leads back to itself", "cluster", out, "--out", path)


DRIVING = "\x1b]0;owned\x07\x9b2J\u202e[/x]"


def test_names_of_anybody_do_not_drive_the_terminal(out, tmp_path):
    done = run("assign", tmp_path / DRIVING, out)
    assert done.exit_code == 2
    assert r"\x1b]0;owned\x07\x9b2J\u202e[/x]" in done.stderr
    succeed("rename", out, f"1={DRIVING}")
    shown = succeed("show", out).stdout + succeed("show", out, 1).stdout
    assert shown.count("]0;owned2J[/x]") == 2
    as_json = succeed("show", out, "--json").stdout
    for each in (shown, as_json):
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(each)
    assert json.loads(as_json)[0]["name"] == coterie.load(out).names[1]


def test_what_a_table_over_time_leaves_out_is_a_note(tmp_path):
    rows = [f"{text},{'' if at % 3 else 2020 + at % 2}" for at, text in enumerate(TEXTS)]
    (tmp_path / "a.csv").write_text("\n".join(["text,\x1b]0;day", *rows]) + "\n")
    to = ("--text", "text", "--out", tmp_path / "out")
    succeed("cluster", tmp_path / "a.csv", "-k", 3, *FAST, *to)
    done = succeed("over", tmp_path / "out", "\x1b]0;day", "--by", "year")
    missing = r"Note: 24 of 36 documents have no date in '\x1b]0;day' and are left out"
    assert done.stderr == f"{missing}\n"


@pytest.mark.parametrize("text", ["{}", "[", "[" * 200_000, "null", '{"n_documents": 1e999}'])
def test_a_strangers_results_say_what_they_like_of_themselves(text, out, frame, tmp_path):
    record = json.loads((out / "coterie.json").read_text())
    (out / "clusters.json").write_text(text)
    record["files"]["clusters.json"] = file_checksum(out / "clusters.json")
    record["checksum"] = content_checksum(record)
    (out / "coterie.json").write_text(json.dumps(record))
    frame.to_csv(tmp_path / "new.csv", index=False)
    to = ("--text", "body", "--out", out)
    done = succeed("cluster", tmp_path / "new.csv", "-k", 3, *FAST, *to)
    assert "will be replaced: clusters.json is not readable" in done.stderr


def test_assign_honours_edits(out, frame, tmp_path):
    succeed("merge", out, 1, 2)
    succeed("rename", out, "1=Both")
    frame.to_csv(tmp_path / "new.csv", index=False)
    succeed("assign", out, tmp_path / "new.csv", "--out", tmp_path / "to.csv", "-q")
    text = (tmp_path / "to.csv").read_text()
    assert text.count('"Both"') >= 24
    loaded = coterie.load(out)
    assert loaded.predict(TEXTS).tolist() == loaded.labels.tolist()
    assert "Both" in succeed("assign", out, tmp_path / "new.csv").stdout


def test_find_and_within(out, tmp_path):
    assert "12 documents" in succeed("find", out, "moon").stdout
    assert "12 documents" not in succeed("find", out, "moon", "goal").stdout
    hits = json.loads(succeed("find", out, "moon", "--json").stdout)
    assert len(hits) == 12
    succeed("merge", out, 1, 2)
    succeed("within", out, 1, "-k", 2, "--out", tmp_path / "part")
    assert len(coterie.load(tmp_path / "part").corpus) == 24


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("rename", "1"), "expected a number and a name, as 3=Space"),
        (("rename", "x=y"), "expected a number and a name"),
        (("merge", 1), "merge: only one cluster"),
        (("merge", 1, 9), "cluster 9: no such cluster"),
        (("split", 9), "cluster 9: no such cluster"),
        (("move", "nobody", "--to", 1), "document 'nobody': no such id"),
        (("drop", 1, 2, 3), "these are all clusters"),
    ],
)
def test_a_wrong_edit_is_one_line_and_changes_nothing(out, arguments, complaint):
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    done = run(arguments[0], out, *arguments[1:])
    assert done.exit_code == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


def test_a_folder_that_is_no_result_is_told(tmp_path):
    (tmp_path / "a").mkdir()
    for command in (("show",), ("undo",), ("find", "x")):
        refuse(str(tmp_path / "a"), command[0], tmp_path / "a", *command[1:])


def test_near_names_are_proposed(tmp_path):
    refuse("Did you mean 'merge'?", "merg", tmp_path)
    refuse("Did you mean 'plsa'?", "cluster", tmp_path, "--method", "plas")
    refuse("Did you mean '--method'?", "cluster", tmp_path, "--metod", "plsa")
    (tmp_path / "a.csv").write_text("body,kind\ngreen tea,a\ndark rum,b\n")
    refuse("Did you mean 'body'?", "cluster", tmp_path / "a.csv", "--text", "boddy")


def test_several_paths_are_one_collection(tmp_path, frame):
    for name, texts in (("a", TEXTS[:18]), ("b", TEXTS[18:])):
        (tmp_path / name).mkdir()
        for i, text in enumerate(texts):
            (tmp_path / name / f"{i:02}.txt").write_text(text)
    frame.to_csv(tmp_path / "c.csv", index=False)
    both = (tmp_path / "a", tmp_path / "b", tmp_path / "c.csv")
    done = succeed("cluster", *both, "-k", 3, *FAST, "--out", tmp_path / "out")
    assert "72 documents read" in done.stderr
    result = coterie.load(tmp_path / "out")
    assert result.corpus.ids[0] == "a/00.txt"
    assert result.corpus.texts(slice(18)) == TEXTS[:18]
    assert result.about.title == "a, b, c.csv"


@pytest.mark.parametrize("kind", ["lines", "csv", "jsonl"])
def test_standard_input_is_a_table_or_a_document_a_line(kind, frame, tmp_path):
    content = {
        "lines": "\n".join(TEXTS) + "\n\n",
        "csv": frame.to_csv(index=False),
        "jsonl": frame.drop(columns="day").to_json(orient="records", lines=True),
    }[kind]
    named = () if kind == "lines" else ("--text", "body")
    succeed("cluster", "-", "-k", 3, *FAST, *named, "--out", tmp_path / "out", given=content)
    result = coterie.load(tmp_path / "out")
    assert result.corpus.texts(slice(None)) == TEXTS
    assert result.labels.tolist() == clustered().labels.tolist()


def test_errors_of_a_file_to_write_name_it(tmp_path):
    path = tmp_path / "a.csv"
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError) as caught, file_to_write(path, replace=False):
        raise full
    assert caught.value.filename == str(path)
    assert not list(tmp_path.iterdir())


def test_clusters_as_json_and_what_is_replaced(tmp_path, frame):
    frame.to_csv(tmp_path / "c.csv", index=False)
    command = ("cluster", tmp_path / "c.csv", "--text", "body", "-k", 3, *FAST)
    shown = json.loads(succeed(*command, "--json").stdout)
    assert [each["size"] for each in shown["clusters"]] == [12, 12, 12]
    assert "replaced" not in succeed(*command, "--out", tmp_path / "out").stderr
    again = succeed(*command, "--out", tmp_path / "out").stderr
    assert f"{tmp_path / 'out'} holds earlier results, which will be replaced: " in again
    assert "c.csv, 36 documents in 3 clusters" in again


def test_method_names_are_completed():
    from coterie.cli import main

    method = next(each for each in main.commands["cluster"].params if each.name == "method")
    names = [each.value for each in method.shell_complete(None, "mm-")]
    assert names == ["mm-incremental", "mm-hierarchical", "mm-reduced", "mm-gibbs"]


def test_coarser_clusters_are_a_result_of_their_own(out, tmp_path):
    succeed("rename", out, "1=One", "2=Two", "3=Three")
    shown = succeed("at", out, 2, "--out", tmp_path / "two")
    assert len(numbers(tmp_path / "two")) == 2
    assert (
        len({"One", "Two", "Three"} & {name for name, _ in numbers(tmp_path / "two").values()})
        == 1
    )
    assert len(numbers(out)) == 3
    assert "24" in shown.stdout
    again = succeed("at", out, 3, "--out", tmp_path / "two").stderr
    assert "36 documents in 2 clusters, 3 edits" in again


def test_two_results_are_compared(out, tmp_path):
    coterie.load(out).move("d00", 3).save(tmp_path / "other")
    shown = succeed("compare", out, tmp_path / "other").stdout
    assert "97 % of 36 documents stayed in their cluster, 1 moved" in shown
    assert "d00" in shown
    found = json.loads(succeed("compare", out, tmp_path / "other", "--json").stdout)
    assert [row["id"] for row in found["moved"]] == ["d00"]
    assert sum(row["documents"] for row in found["contingency"]) == 36


def test_shares_by_a_column_are_a_table_and_a_picture(out, tmp_path):
    done = succeed("by", out, "kind", "--picture", tmp_path / "by.png")
    rows = [line.split() for line in done.stdout.splitlines()[1:4]]
    assert sorted(row[0] for row in rows) == sorted(set(KINDS))
    assert all(row[1] == "12" and "100" in row and "+" in row for row in rows)
    assert (tmp_path / "by.png").read_bytes().startswith(b"\x89PNG")
    refuse("by.doc", "by", out, "kind", "--picture", tmp_path / "by.doc")
    refuse("by.png: exists already", "by", out, "kind", "--picture", tmp_path / "by.png")
    succeed("by", out, "kind", "--picture", tmp_path / "by.png", "--replace")
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["by.png"]
    assert {
        row["share"] for row in json.loads(succeed("by", out, "kind", "--json").stdout)
    } == {
        0.0,
        1.0,
    }
    assert "Period" in succeed("over", out, "day", "--by", "year").stdout
