"""Break the code on purpose, one thing at a time: the tests named beside it must turn red.

Each mutation replaces one piece of text in a copy of `src`, or what a pattern finds, and runs
only the tests that should notice. What is not there exactly once any more is skipped with a
message: the mutation must be written anew, as `test_mutate.py` says in every `make test`. One
whose tests are all skipped, as those of the page are without Chromium, is skipped too. Ends
with exit code 1 if a mutation survives or is skipped.

    python tests/soak/mutate.py              all mutations
    python tests/soak/mutate.py calibration  those whose name or file contains this
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LIMIT = 600  # seconds for the tests of one mutation
N_WORKERS = min(4, os.cpu_count() or 1)


class Mutation(NamedTuple):
    """What is broken where, and the tests that must notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str
    keyword: str = ""
    is_pattern: bool = False

    def applied(self, text: str) -> str | None:
        """The text with the one place broken; None where it is not there once."""
        pattern = self.old if self.is_pattern else re.escape(self.old)
        new = self.new if self.is_pattern else self.new.replace("\\", r"\\")
        broken, n_places = re.subn(pattern, new, text, flags=re.MULTILINE)
        return broken if n_places == 1 else None


GIBBS, KERNEL = "models/gibbs.py", "kernels/gibbs.py"
VON_MISES, CALIBRATION = "models/von_mises.py", "automatic/calibration.py"
ALIKE = "kernels/alike.py"
NUMBER, DUPLICATES, BASE = "automatic/number.py", "findings/duplicates.py", "base.py"
MIXTURE, CLUSTERS, LDCC = "models/mixture.py", "models/clusters.py", "models/dirichlet.py"
SPLITS, TERMINAL = "inference/hierarchical.py", "terminal.py"
SAMPLERS, COMMON = "tests/test_samplers.py", "tests/test_common.py"
OBJECTIVE, META = "tests/test_objective.py", "tests/test_metamorphic.py"
STEPS, STRATEGIES = "tests/automatic/test_steps.py", "tests/inference/test_strategies.py"
SCHEMA, WEIGHTING = "tests/test_schema.py", "tests/automatic/test_weights.py"
FOUND, VECTORS = "tests/findings/test_duplicates.py", "tests/models/test_von_mises.py"

GUARD, API = "explorer/guard.py", "tests/explorer/test_api.py"
GUARDED, STEERED = "tests/explorer/test_guard.py", "tests/clustering/test_steering.py"
PAGE, PAYLOAD = "tests/report/test_page.py", "tests/report/test_payload.py"
GPU, PASSES, ON_GPU = "kernels/gpu.py", "kernels/blocks.py", "tests/test_gpu.py"

MUTATIONS = [
    Mutation("an error leaves work under way", "executors/threads.py",
             "if not isinstance(error, KeyboardInterrupt):", "if False:",
             "tests/test_engine.py", "under_way"),
    Mutation("Ctrl-C waits for work under way", "executors/threads.py",
             "if not isinstance(error, KeyboardInterrupt):", "if True:",
             "tests/test_engine.py", "under_way"),
    Mutation("words and vectors in single precision", "multiview/joint.py",
             "X if self.vectors is None else X.astype(np.float64, copy=False)", "X",
             "tests/multiview/test_joint.py", "double_precision"),
    Mutation("a single file is replaced unasked", "commands/files.py",
             "if os.path.lexists(path) and not replace:", "if False:",
             "tests/clustering/test_commands.py", "picture"),
    Mutation("the full page is written after Ctrl-C", "cli.py",
             "lambda: is_stopped or stop_was_asked()", "lambda: False",
             "tests/test_cli.py", "stopped_fit"),
    Mutation("factors that are all zero are taken", "models/baselines.py",
             "if not np.any(self.factors_):", "if False:", SCHEMA, "factors"),
    Mutation("a cluster adds statistics in another order", "executors/dask.py",
             "*parts[first : first + GROUP]", "*parts[first : first + GROUP][::-1]",
             "tests/test_dask.py", "bits"),
    Mutation("a lost worker's steps are not taken again", "executors/dask.py",
             "            self._results(self._steps(units, version, step, shared))",
             "            pass", "tests/test_dask.py", "mid_fit"),
    Mutation("a step asked for twice moves rows twice", "executors/workers.py",
             "held.version, held.rows, held.before = version + 1, after, before",
             "held.version, held.rows, held.before = version + 1, after, after",
             "tests/test_dask.py", "mid_fit"),
    Mutation("partitions forget terms of others", "corpus/partitions.py",
             "self._documents[columns] += n_documents",
             "self._documents[columns] = n_documents",
             "tests/test_dask.py", "read"),
    Mutation("counts of all partitions come here at once", "executors/dask.py",
             "for future in begun:\n            (result,) = self.client.gather([future])",
             "for result in self.client.gather(list(begun)):",
             "tests/test_dask.py", "never_has"),
    Mutation("counts beside a cluster are in memory", "corpus/storing.py",
             "self._most = min(BESIDE_CLUSTER,", "self._most = max(1 << 60,",
             "tests/test_dask.py", "no_memory_here or never_has"),
    Mutation("online EM takes whole steps", "models/online.py",
             "(1 - step) * old + step * new", "new",
             "tests/models/test_online.py", "cappe"),
    Mutation("online EM loses unseen words", "models/online.py",
             "words[unseen] = UNSEEN * by_cluster / len(words)", "pass",
             "tests/models/test_online.py", "lacks"),
    Mutation("longer steps are never taken back", "engine.py",
             "            shared = longer.taken_back()\n            continue",
             "            pass", "tests/test_accelerated.py", "rises"),
    Mutation("rows stay where topics move further", "engine.py",
             "        z = further_along(x, y, z, length)", "        z = z.copy()",
             "tests/test_accelerated.py", "third"),
    Mutation("lengths of steps know no rows", "engine.py",
             "sum(map(moved_squares, x, y, z), self._of_rows)",
             "sum(map(moved_squares, x, y, z), np.zeros(2))",
             "tests/test_accelerated.py", "third"),
    Mutation("a word's segments overlap on a GPU", PASSES,
             "lengths = xp.minimum(SEGMENT, ends[owner] - starts)",
             "lengths = ends[owner] - starts", ON_GPU),
    Mutation("partial sums of a word share a row", PASSES,
             "xp.where(shares, xp.cumsum(shares) - 1, -1)",
             "xp.where(shares, (xp.cumsum(shares) - 1) // 2, -1)", ON_GPU),
    Mutation("partial sums are left out on a GPU", GPU,
             "(len(segments.firsts), -(-shape.width // 32))", "(0, 1)", ON_GPU),
    Mutation("scales of half precision are not in the likelihood", GPU,
             "logs.sum() if more is None else logs.sum() + more.sum()", "logs.sum()", ON_GPU),
    Mutation("a GPU prunes one pair too many", GPU, "[2 * rank]", "[2 * rank + 2]", ON_GPU),
    Mutation("every restart sends the counts again", "executors/gpu.py",
             "                return counts\n        self._sent = None",
             "                pass\n        self._sent = None", ON_GPU),
    Mutation("the page finds words anywhere in words", "report/web/search.js",
             "if (anywhere || !inWord(this.all, at)) {", "if (true) {", PAGE, "inner"),
    Mutation("the page forgets the rest of texts", "report/web/search.js",
             "found[i] &= here[i] | there[i];", "found[i] &= here[i];", PAGE, "cut_off"),
    Mutation("the page writes data as markup", "report/web/dom.js",
             "  element.append(...children.flat()",
             "  for (const each of children.flat()) if (typeof each === 'string') "
             "element.insertAdjacentHTML('beforeend', each); else element.append(each ?? '');"
             "\n  element.append(...[]", PAGE, "hostile"),
    Mutation("words of the rest are counted from 0", "report/packing.py",
             "    gaps[first] = rows[first] + 1", "    gaps[first] = rows[first]", PAYLOAD,
             "read_back"),
    Mutation("the sample leaves typical documents out", "report/payload.py",
             "first = list(dict.fromkeys([*typical, *doubtful]))[:n_listed]", "first = []",
             PAYLOAD, "sample"),
    Mutation("explorer: all interfaces of any machine", "explorer/server.py",
             "if not in_one:", "if False:", "tests/explorer/test_command.py", "outside"),
    Mutation("explorer: any host in a container", GUARD,
             "host[0] not in self.hosts", "False", "tests/explorer/test_command.py", "same"),
    Mutation("doctor: an old package is enough", "commands/doctor.py",
             "(wanted)] >= wanted", "(wanted)] >= []", "tests/test_doctor.py", "broken"),
    Mutation("doctor: broken, and exit code 0", "commands/doctor.py",
             'if found["problems"]:', "if False:", "tests/test_doctor.py", "broken"),
    Mutation("explorer: any host is answered", GUARD,
             "if len(host) != 1 or host[0] not in self.hosts:", "if len(host) != 1:", GUARDED),
    Mutation("explorer: any origin may change", GUARD,
             'if origin and origin != [f"http://{host}"]:', "if False:", GUARDED),
    Mutation("explorer: an origin may be missing", GUARD,
             'if not origin and method not in ("GET", "HEAD"):', "if False:", GUARDED),
    Mutation("explorer: the token is not asked for", GUARD,
             "and not self._has_token(headers):", "and False:", GUARDED),
    Mutation("explorer: bodies in pieces grow without end", GUARD,
             "        if total > most:", "        if False:", GUARDED),
    Mutation("explorer: a site may load the scripts", GUARD,
             'return reads_page or from_where in (["same-origin"], ["none"])', "return True",
             GUARDED),
    Mutation("explorer: edits are not written down", "explorer/workspace.py",
             "                opened.journal.write(result.edits)", "                pass", API),
    Mutation("explorer: a changed folder is overwritten", "explorer/journal.py",
             "if self._base not in known:", "if False:", API),
    Mutation("explorer: a first picture can be edited", "explorer/workspace.py",
             "if result is self._opened(name).first:", "if False:", API),
    Mutation("an edit remembers the words of other documents", "findings/summary.py",
             "alone, found.assignments.members(label), views", "alone, views",
             "tests/clustering/test_remembering.py"),
    Mutation("an edit remembers the places of other documents", "clustering/layout.py",
             "remembered([rows], _disc", "remembered([len(rows)], _disc",
             "tests/clustering/test_remembering.py"),
    Mutation("a drop computes the axes again", "clustering/layout.py",
             "remembered([], _latent, found.all_counts)\n    places = np",
             "remembered([found.positions], _latent, found.all_counts)\n    places = np",
             "tests/clustering/test_remembering.py"),
    Mutation("a drop takes similarities from other documents", DUPLICATES,
             "kept[members[0]]", "members[0]", FOUND, "left_out"),
    Mutation("the map of the screen is printed", "report/web/colours.js",
             "printing = begins", "printing = false", PAGE, "for_paper"),
    Mutation("wide tables are cut on paper", "report/templates/report.css",
             '.heat.wide td::before { content: attr(data-cluster) ": "; ',
             ".heat.wide td::before { ", PAGE, "wide_table"),
    Mutation("explorer: only the first files of a dropped folder", "explorer/static/home.js",
             "if (!some.length) return;", "if (!some.length || found.length >= 100) return;",
             "tests/explorer/test_browser.py", "folder_with"),
    Mutation("a steered fit holds nothing fixed", "multiview/second_stage.py",
             "        q[known] = before[known]\n", "", STEERED),
    Mutation("a steered fit forgets what was moved", "clustering/steering.py",
             "return [*moves, Rename(given)] if given else moves",
             "return [Rename(given)] if given else []", STEERED),
    Mutation("memory is never too small", BASE, "        if fitting.is_too_large(needed):",
             "        if False:", "tests/test_memory.py", "refusal"),
    Mutation("limits of cgroups are not read", "memory.py",
             "min([_free_of_machine(root), *_left_of_cgroups(root)])",
             "min([_free_of_machine(root)])", "tests/test_memory.py", "cgroup"),
    Mutation("memory of a restart is not reckoned", BASE,
             "return size.data + n_together * largest_stage", "return size.data",
             "tests/test_memory.py", "measured"),
    Mutation("coherence takes repeated words for gone", "kernels/windows.py",
             "not (repeats and inside[word] > 0)", "True",
             "tests/test_kernels.py", "window_counts"),
    Mutation("coherence forgets the last window", "kernels/windows.py",
             "end, last = first[d + 1], max(lengths[d] - window + 1, 1)",
             "end, last = first[d + 1], max(lengths[d] - window, 1)",
             "tests/test_kernels.py", "window_counts"),
    Mutation("coherence drops rare words from windows", "corpus/sequences.py",
             "position.get(term, RARE)", "position.get(term, DROPPED)",
             "tests/evaluation/test_coherence.py", "rare"),
    Mutation("the silhouette counts a document with itself", "evaluation/internal.py",
             "(alike[every, cluster] - itself)", "alike[every, cluster]",
             "tests/evaluation/test_internal.py", "scikit_learn"),
    Mutation("a comparison keeps the run that Ctrl-C ended", "comparison/runs.py",
             "        if stopped():\n            break\n", "",
             "tests/comparison/test_comparison.py", "ctrl_c"),
    Mutation("the slowest method of a comparison is best", "comparison/table.py",
             "sign = 1 if measure.more_is_better else -1", "sign = 1",
             "tests/comparison/test_comparison.py", "mark"),
    Mutation("Gibbs counts empty documents", GIBBS,
             "np.bincount(labels[used],", "np.bincount(labels,",
             "tests/models/test_gibbs.py", "empty_documents"),
    Mutation("Gibbs ignores cluster_prior", GIBBS,
             "rng.dirichlet(cluster_prior + n_t)", "rng.dirichlet(0.5 + n_t)",
             SAMPLERS, "joint and Mixture"),
    Mutation("Gibbs adds to word_prior", GIBBS,
             "standard_gamma(word_prior + n_wt)", "standard_gamma(word_prior + 1 + n_wt)",
             SAMPLERS, "joint and Mixture"),
    Mutation("clusters are drawn from wrong shares", GIBBS,
             "np.cumsum(memberships, axis=1)", "np.cumsum(memberships**2, axis=1)",
             "tests/models/test_gibbs.py", "drawn_by"),
    Mutation("no burn-in", GIBBS,
             "int(model.burn_in * model.max_iter)", "0",
             "tests/models/test_gibbs.py", "burn_in"),
    Mutation("a segment is counted with itself", KERNEL,
             "n_dt[d, old] -= 1", "n_dt[d, old] -= 0",
             "tests/models/test_ldcc.py", "tables_and_joint"),
    Mutation("word prior without the number of words", KERNEL,
             "all_gamma = n_words * gamma", "all_gamma = gamma", SAMPLERS, "CoClusters"),
    Mutation("a word is counted with itself", KERNEL,
             "        n_wz[w, k] -= 1", "        n_wz[w, k] -= 0", SAMPLERS, "CoClusters"),
    Mutation("word cluster prior without their number", KERNEL,
             "_rising(n_t[t] + n_word_clusters * beta, length)",
             "_rising(n_t[t] + beta, length)", SAMPLERS, "CoClusters"),
    Mutation("a power in place of a rising factorial", KERNEL,
             "product *= x + i", "product *= x", "tests/models/test_ldcc.py",
             "from_its_conditional"),
    Mutation("log-probability of LDCC", LDCC,
             "_log_rising(totals, counts.shape[1] * prior)", "_log_rising(totals, prior)",
             "tests/models/test_ldcc.py"),
    Mutation("LDCC takes fractions", LDCC,
             "X.data != np.floor(X.data)", "X.data != X.data", "tests/models/test_ldcc.py",
             "whole"),
    Mutation("concentration of splits is not passed on", SPLITS,
             "divided(memberships, parents, self.concentration, rng)",
             "divided(memberships, parents, 10.0, rng)", STRATEGIES, "concentration"),
    Mutation("concentration of splits is ignored", SPLITS,
             "standard_gamma(concentration, size=shape)", "standard_gamma(10.0, size=shape)",
             STRATEGIES, "concentration"),
    Mutation("the lightest cluster is split", SPLITS,
             "np.argmax(weights / copies)", "np.argmin(weights / copies)", STRATEGIES,
             "splits_double"),
    Mutation("short continued fraction", VON_MISES,
             "range(200, -1, -1)", "range(1, -1, -1)", VECTORS, "underflow"),
    Mutation("Debye's second term", VON_MISES,
             "(3 * t - 5 * t**3) / 24", "(3 * t + 5 * t**3) / 24", VECTORS, "underflow"),
    Mutation("Debye's factor", VON_MISES,
             "np.log(t / (2 * np.pi * order))", "np.log(t / (np.pi * order))", VECTORS,
             "underflow"),
    Mutation("least concentration", VON_MISES,
             "_KAPPA = 1e-6, 1e5", "_KAPPA = 1e-3, 1e5", VECTORS, "concentrations_end"),
    Mutation("largest concentration", VON_MISES,
             "_KAPPA = 1e-6, 1e5", "_KAPPA = 1e-6, 1e4", VECTORS, "concentrations_end"),
    Mutation("reading: who is quoted is text", "corpus/quotes.py",
             "        if at not in attributions and not", "        if not",
             "tests/corpus/test_mail.py", "left_out"),
    Mutation("reading: who is quoted in quotes is text", "corpus/quotes.py",
             "depths[at] > depths[at - 1]", "depths[at] > 0 == depths[at - 1]",
             "tests/corpus/test_mail.py", "left_out"),
    Mutation("reading: a list of addresses is headers", "corpus/quotes.py",
             "0 < addressed < len(block)", "0 < addressed", "tests/corpus/test_mail.py",
             "left_out"),
    Mutation("reading: comments of XML are text", "corpus/kinds/xml_files.py",
             '"<!--": "-->", ', "", "tests/corpus/test_xml.py"),
    Mutation("reading: threads begin anew", "corpus/mail.py",
             "first = next(known, named[0])", "first = named[0]",
             "tests/corpus/test_mail.py", "threads"),
    Mutation("reading: pairs are joined at once", "corpus/scripts.py",
             "TOGETHER = 0.9 ", "TOGETHER = 0.1 ", "tests/corpus/test_vocabulary.py", "pairs"),
    Mutation("reading: pairs are not joined", "corpus/scripts.py",
             "TOGETHER = 0.9 ", "TOGETHER = 1.9 ", "tests/corpus/test_vocabulary.py", "pairs"),
    Mutation("reading: signs are an alphabet", "corpus/encodings.py",
             "letters >= LEAST_LETTERS * len(beyond) and", "", "tests/corpus/test_readers.py",
             "few_or_odd"),
    Mutation("reading: one language for all", "corpus/text.py",
             "return words if code == self._main else", "return words if True else",
             "tests/corpus/test_vocabulary.py", "another_stays"),
    Mutation("reading: no end to a slow file", "corpus/kinds/office.py",
             "            timer.start()\n", "", "tests/corpus/test_office.py", "too_long"),
    Mutation("reading: parts expand for ever", "corpus/kinds/extraction.py",
             "        if self._left < 0:", "        if False:", "tests/corpus/test_office.py",
             "cannot_be_read"),
    Mutation("reading: entities grow", "corpus/kinds/extraction.py",
             'in content.replace(b"\\0", b"")', "in content[:0]", "tests/corpus/test_office.py",
             "cannot_be_read"),
    Mutation("reading: a key twice is not seen", "corpus/kinds/json_files.py",
             "line.count('\":') != len(value) or", "", "tests/corpus/test_strict_tables.py"),
    Mutation("reading: a key twice is not seen after a space", "corpus/kinds/json_files.py",
             "and SPACED.search(line)", "and False", "tests/corpus/test_strict_tables.py",
             "spaced"),
    Mutation("reading: swallowed rows are not told", "corpus/kinds/delimited.py",
             "and _could_be_rows(record, delimiter)", "and False",
             "tests/corpus/test_strict_tables.py", "stray"),
    Mutation("reading: entities of two bytes grow", "corpus/kinds/extraction.py",
             'in content.replace(b"\\0", b"")', "in content", "tests/corpus/test_office.py",
             "said_with_the_reason"),
    Mutation("reading: entities of chapters grow", "corpus/kinds/extraction.py",
             "if not _has_entities(content):", "if True:", "tests/corpus/test_office.py",
             "chapter"),
    Mutation("reading: Arrow expands before it is measured", "corpus/kinds/arrow.py",
             "budget.expect(ipc.expanded_bytes(messages.read_next_message()))",
             "messages.read_next_message()", "tests/corpus/test_limits.py", "arrow_bomb"),
    Mutation("reading: Arrow is not checked", "corpus/kinds/arrow.py",
             "        batch.validate(full=True)\n", "", "tests/corpus/test_limits.py",
             "outside"),
    Mutation("reading: Parquet is believed", "corpus/parquet.py",
             "budget.expect(sum(expanded_bytes(file, chunk) for chunk in chunks))",
             "budget.expect(sum(chunk.total_uncompressed_size for chunk in chunks))",
             "tests/corpus/test_limits.py", "lies"),
    Mutation("reading: columns of Parquet overlap", "corpus/parquet.py",
             "if stored > size:", "if False:", "tests/corpus/test_limits.py", "lies"),
    Mutation("reading: rows without bytes are free", "corpus/parquet.py",
             "max(batch.num_rows, sum(size.total for size in sizes))",
             "sum(size.total for size in sizes)", "tests/corpus/test_limits.py",
             "without_bytes"),
    Mutation("reading: computed values are free", "corpus/kinds/databases.py",
             "                file.budget.expand(sum(sizes))\n", "",
             "tests/corpus/test_limits.py", "computed"),
    Mutation("reading: the clock of a database runs on", "corpus/kinds/databases.py",
             "                patience.renew()\n", "", "tests/corpus/test_limits.py", "clock"),
    Mutation("reading: lines of a mailbox have no end", "corpus/mail.py",
             "partial(stream.readline, limits.document + 1)", "stream.readline",
             "tests/corpus/test_limits.py", "mailbox"),
    Mutation("reading: headers of a tape have no end", "corpus/archives.py",
             "self.size > LARGEST_HEADER", "False", "tests/corpus/test_limits.py",
             "large_header"),
    Mutation("reading: formats multiply", "corpus/markup.py",
             "if name in FORMATTING:", "if False:", "tests/corpus/test_slow_texts.py",
             "multiply"),
    Mutation("reading: parameters of mail have no end", "corpus/mail.py",
             'if name.lower().startswith("content-")', "if False",
             "tests/corpus/test_slow_texts.py", "parameters"),
    Mutation("reading: long numbers of XML", "corpus/kinds/xml_files.py",
             "return html.unescape(short)", "return html.unescape(text)",
             "tests/corpus/test_xml.py", "hostile"),
    Mutation("reading: any line with From is a mailbox", "clustering/sources.py",
             "looks_like_mailbox(start.lstrip())", 'start.startswith(b"From ")',
             "tests/clustering/test_standard_input.py", "from"),
    Mutation("reading: pipes at an address are opened", "corpus/partitions.py",
             'below[name].get("type", "file") != "file"', "False", "tests/test_dask.py",
             "pipes"),
    Mutation("reading: every comma is a point", "corpus/kinds/delimited.py",
             'CellsWithCommas if delimiter == ";" else Cells', "CellsWithCommas",
             "tests/corpus/test_near_tables.py", "commas"),
    Mutation("reading: a day in any digits", "corpus/kinds/opened.py",
             r"(?<!\d)((?:19", r"((?:19", "tests/corpus/test_dates.py", "day"),
    Mutation("peeked rows", "corpus/tables.py",
             r"^(PEEKED_ROWS\b[^=\n]*= )\d+", r"\g<1>1", "tests/corpus/test_peeked.py",
             is_pattern=True),
    Mutation("cells with leading zeros are numbers", "corpus/columns.py",
             "(0|[1-9][0-9]*|", "([0-9]+|", "tests/corpus/test_columns.py", "csv"),
    Mutation("long ids are cut short", "corpus/columns.py",
             "abs(int(cell)) <= EXACT", "abs(int(cell)) >= 0", "tests/corpus/test_columns.py",
             "cells"),
    Mutation("rounding of duplicates", DUPLICATES,
             "ROUNDING = 1e-5", "ROUNDING = 0.0", FOUND, "single_precision"),
    Mutation("limit of duplicates", DUPLICATES,
             "ALIKE = 0.9\n", "ALIKE = 0.95\n", FOUND, "single_precision"),
    Mutation("rare part too small", ALIKE,
             "if largest * (largest + gap) <", "if 0.1 * largest <", FOUND, "no_pair"),
    Mutation("bound too tight", ALIKE,
             "product >= least - ROUNDING", "product >= least + 0.07", FOUND,
             "rare_parts_allow"),
    Mutation("texts of another block", "corpus/blocks.py",
             "first = int(self.ends[block - 1]) if block else 0", "first = 0",
             "tests/corpus/test_storing.py", "several_blocks"),
    Mutation("counts on disk are not sorted", "corpus/counting.py",
             "            rows.sort_indices()\n", "", "tests/corpus/test_storing.py", "pairs"),
    Mutation("the sample follows the order of documents", "automatic/large.py",
             "np.argsort(scrambled, kind=\"stable\")[:SAMPLE]", "np.argsort(filled)[:SAMPLE]",
             "tests/automatic/test_large.py", "any_order"),
    Mutation("calibration: negative slope of the margin", CALIBRATION,
             "if coefficients[n_clusters] < 0:", "if False:", STEPS, "larger_margin"),
    Mutation("calibration: empty documents count", CALIBRATION,
             "has_words = np.diff(weights.indptr) > 0",
             "has_words = np.diff(weights.indptr) >= 0", STEPS, "without_words"),
    Mutation("calibration: the second overtakes", CALIBRATION,
             "np.clip(expit(logit), 1 / n_clusters + MARGIN, SUREST)",
             "np.clip(expit(logit), 0.01, SUREST)", STEPS, "order_of_clusters"),
    Mutation("calibration: worst match of names", CALIBRATION,
             "linear_sum_assignment(-together)", "linear_sum_assignment(together)", STEPS,
             "renamed_for"),
    Mutation("calibration: never sure", CALIBRATION,
             "SUREST = 0.999", "SUREST = 0.9", STEPS, "always_or_never"),
    Mutation("number: offers too near each other", NUMBER,
             "if APART * chosen <= k <=", "if chosen < k <=", STEPS, "stand_out"),
    Mutation("number: low scores are offered", NUMBER,
             "IN_SIGHT = 0.75", "IN_SIGHT = 0.5", STEPS, "stand_out"),
    Mutation("number: few and many exchanged", NUMBER,
             "(min if asked == FEW else max)", "(max if asked == FEW else min)",
             "tests/automatic/test_automatic.py", "few_and_many"),
    Mutation("vectors: the checksum is not looked at", "corpus/vector_cache.py",
             " and checksum == _checksum(key, vector)", "",
             "tests/corpus/test_embedding.py", "damaged"),
    Mutation("vectors: a damaged file stays", "corpus/vector_cache.py",
             "            self.file.unlink(missing_ok=True)", "            pass",
             "tests/corpus/test_embedding.py", "damaged"),
    Mutation("vectors: one cache for all models", "corpus/embedding.py",
             "hashlib.blake2b(identity.encode()", "hashlib.blake2b(b\"model\"",
             "tests/corpus/test_embedding.py", "once"),
    Mutation("vectors: a saved name is downloaded", "clustering/sources.py",
             "download=how.embeddings is None", "download=True",
             "tests/corpus/test_embedding.py", "model_of_the_fit"),
    Mutation("number: smallest size", NUMBER,
             "LEAST_SIZE = 5", "LEAST_SIZE = 3", STEPS, "in_the_mean"),
    Mutation("number: what is near", NUMBER,
             "NEAR = 0.93", "NEAR = 0.3", STEPS, "smallest_number"),
    Mutation("number: modularity without chance", NUMBER,
             " - shares @ shares)", ")", STEPS, "modularity"),
    Mutation("number: no sharp peak", NUMBER,
             "SHARP = 0.96", "SHARP = 0.1", STEPS, "score_is_a_product"),
    Mutation("prior of words is added whole", MIXTURE,
             "self.n_clusters, self.word_prior - 1)", "self.n_clusters, self.word_prior)",
             OBJECTIVE,
             "float64 and Multinomial"),
    Mutation("prior of clusters is added whole", MIXTURE,
             "+= self.cluster_prior - 1", "+= self.cluster_prior",
             "tests/models/test_mixture.py", "follow_the_equations"),
    Mutation("incoherent words keep their weight", "automatic/weights.py",
             "(coherence / (coherence + HALF) + LEAST)", "1.0", WEIGHTING, "alike"),
    Mutation("a document is compared with itself", "automatic/weights.py",
             "products -= squares - 2 * of_mean + df * (mean @ mean)", "products -= 0",
             WEIGHTING, "loops"),
    Mutation("coherence without the mean", "automatic/weights.py",
             "mean = total / max(n_filled, 1)", "mean = 0 * total", WEIGHTING, "loops"),
    Mutation("calibration: weights of all documents", "automatic/stages.py",
             "of_all = self.weighted_by(others)", "of_all = self.weights", WEIGHTING, "halves"),
    Mutation("prior missing in the objective", MIXTURE,
             "prior += (theta - 1) * float(", "prior += 0 * float(",
             "tests/models/test_mixture.py", "two_iterations"),
    Mutation("background counted as the cluster's own", MIXTURE,
             "n_wk *= self._own_share(phi, gamma)", "pass", OBJECTIVE,
             "float64 and Multinomial"),
    Mutation("words of the background stay as they were", MIXTURE,
             "gamma = _shares(prior + np.maximum(counted, 0), n_wk.dtype)", "pass",
             "tests/models/test_mixture.py", "background"),
    Mutation("votes ignore agreement", "automatic/search.py",
             "AGREEING = 4", "AGREEING = 0", STEPS, "kinds_that_agree"),
    Mutation("votes ignore likelihood", "automatic/search.py",
             "LIKELY = 0.016", "LIKELY = 1e9", STEPS, "kinds_that_agree"),
    Mutation("weights missing in the objective", CLUSTERS,
             "objective *= weights[:, 0]", "pass", OBJECTIVE, "float64 and Multinomial"),
    Mutation("weights missing in the counts", CLUSTERS,
             "counted = q * weights", "counted = q", META, "copies and Multinomial"),
    Mutation("weights of PLSA ignored", "models/topics.py",
             "super()._fit(weighted(X, self._sample_weight))", "super()._fit(X)", META,
             "copies and PLSA"),
    Mutation("the smallest cluster first", BASE,
             "self._order_clusters(np.argsort(-sizes", "self._order_clusters(np.argsort(sizes",
             COMMON, "ordered_by_size and PLSA"),
    Mutation("documents of no cluster count in sizes", BASE,
             "np.ptp(self.memberships_, axis=1) > 0", "np.ptp(self.memberships_, axis=1) >= 0",
             COMMON, "also_documents_without_words and PLSA"),
    Mutation("the least probable cluster", BASE,
             "self.predict_proba(X).argmax(axis=1)", "self.predict_proba(X).argmin(axis=1)",
             COMMON, "of_the_fit_are_assigned and PLSA"),
    Mutation("negative counts are taken", BASE,
             '(np.signbit, f"Negative', '(np.isnan, f"Negative', COMMON, "bad_counts and PLSA"),
    Mutation("any number of weights is taken", BASE,
             "if checked.shape != (n_documents,):", "if False:", COMMON,
             "equal_weights and PLSA"),
    Mutation("empty documents belong nowhere at all", "starts.py",
             "memberships[np.diff(X.indptr) == 0] = 1 / memberships.shape[1]",
             "memberships[np.diff(X.indptr) == 0] = 0", COMMON,
             "belong_nowhere and Multinomial"),
    Mutation("memberships of zero are taken", "starts.py",
             "totals.min() <= 0", "totals.min() < 0", COMMON, "impossible_starts and PLSA"),
    Mutation("the worst restart is kept", "engine.py",
             "second.objective > first.objective + margin",
             "second.objective < first.objective - margin", COMMON, "more_restarts and PLSA"),
    Mutation("a dictionary of entries as views", "automatic/inputs.py",
             "isinstance(X, Mapping) and not sp.issparse(X)", "isinstance(X, Mapping)", COMMON,
             "AutoClustering and check_estimator_sparse"),
    Mutation("the first words are chosen, whatever they are worth", "selection/base.py",
             "allowed[order[:n_words]]", "allowed[:n_words]", META,
             "words_in_another_order and MostFrequent"),
    Mutation("what comes of a checkpoint is not checked", "fitting.py",
             "            check(estimator)\n", "            pass\n", SCHEMA, "absurd"),
    Mutation("errors of a resumed fit are let through", "fitting.py",
             "except (ValueError, IndexError, ArithmeticError) as error:",
             "except IndexError as error:", SCHEMA, "absurd"),
    Mutation("errors of any fit are blamed on its checkpoint", "fitting.py",
             "if not checkpoint.resumed or checkpoint.is_named(error):",
             "if checkpoint.is_named(error):", SCHEMA, "not_resumed"),
    Mutation("a selection of words passes for clusters", "findings/saved.py",
             'if not hasattr(model, "memberships_"):', "if False:",
             "tests/clustering/test_saving.py", "without_clusters"),
    Mutation("what Parquet expands to is not counted", "corpus/parquet.py",
             "max(batch.num_rows, sum(size.total for size in sizes))", "batch.num_rows",
             "tests/corpus/test_limits.py", "parquet_bomb and nested"),
    Mutation("values of any length in Parquet", "corpus/parquet.py",
             "size.longest > budget.limits.document", "False",
             "tests/corpus/test_limits.py", "larger_than_a_document"),
    Mutation("files behind links are ours", "folders.py",
             "inside = _are_inside(folder, _listed(content))", "inside = True",
             "tests/test_folders.py", "stranger"),
    Mutation("what is left is moved in behind links", "folders.py",
             "if not new or not _are_inside(path, new):", "if not new:",
             "tests/test_folders.py", "stranger"),
    Mutation("what is left is given back behind links", "folders.py",
             "if not _are_inside(path, files):", "if False:",
             "tests/test_folders.py", "stranger"),
    Mutation("links are what is left of a write", "folders.py",
             "return path.is_dir() and not path.is_symlink()",
             "return path.is_dir()", "tests/test_folders.py", "stranger"),
    Mutation("a folder is a file of its own record", "folders.py",
             "not path.name or path.is_absolute()", "path.is_absolute()",
             "tests/test_folders.py", "names_files_elsewhere or the_folder_itself"),
    Mutation("to read a folder changes the one around it", "folders.py",
             'RECORD, below=f"{path.name}/")', "RECORD)",
             "tests/test_folders.py", "folder_around"),
    Mutation("what other users left is settled", "folders.py",
             "yield free and os.fstat(handle)", "yield free or os.fstat(handle)",
             "tests/test_folders.py", "another_user"),
    Mutation("a new folder is open to all", "folders.py",
             "draft.rename(path)", "draft.chmod(0o755)\n        draft.rename(path)",
             "tests/test_persistence.py", "where_the_user_wants_it"),
    Mutation("results of strangers have my files read", "clustering/saving.py",
             "if corpus.reads_files:", "if False:",
             "tests/clustering/test_saving.py", "my_files"),
    Mutation("headers of arrays are read however long", "persistence.py",
             "stream.read(LONGEST_HEADER)", "stream.read()",
             "tests/test_persistence.py", "too_long_to_be_read"),
    Mutation("lists of files are read however long", "folders.py",
             "file.stat().st_size > MOST_JSON", "False",
             "tests/test_persistence.py", "too_long_to_be_read"),
    Mutation("settings of strangers are used as they are", "clustering/running.py",
             "check_settings(settings)  # those", "pass  # those",
             "tests/clustering/test_saving.py", "settings_of_strangers"),
    Mutation("runs of any number of words", "corpus/text.py",
             "if value > most:", "if False:", "tests/corpus/test_text.py", "options"),
    Mutation("blocks of texts expand without bound", "corpus/blocks.py",
             "length = length if said == RAW else said", "pass",
             "tests/corpus/test_storing.py", "without_bound"),
    Mutation("code in the folder of a model is run", "corpus/embedding.py",
             "    _refuse_code(name)\n", "", "tests/corpus/test_embedding.py", "not_run"),
    Mutation("messages drive the terminal", TERMINAL,
             "click.echo(spelled_out(message), err=True)", "click.echo(message, err=True)",
             "tests/clustering/test_commands.py", "anybody"),
    Mutation("names are markup in the terminal", TERMINAL,
             '"markup": False', '"markup": True',
             "tests/clustering/test_commands.py", "anybody"),
    Mutation("progress drives the terminal", "progress.py",
             '"".join(filter(str.isprintable, text))', "text",
             "tests/test_cli.py", "on_a_terminal_only"),
    Mutation("Ctrl-C with another exit code while importing", "__main__.py",
             "os._exit(130)", "os._exit(1)", "tests/test_cli.py", "first_line"),
    Mutation("Ctrl-C in code of a string ends by a signal", "__main__.py",
             'exec("")', "pass", "tests/test_cli.py", "ignores_or_renames"),
    Mutation("Ctrl-C in a destructor is ignored", "__main__.py",
             "signal.setitimer(signal.ITIMER_REAL, SOON)", "pass",
             "tests/test_cli.py", "ignores_or_renames"),
    Mutation("errors that come of Ctrl-C are shown", TERMINAL,
             "return before is not None and _comes_of_ctrl_c(before)", "return False",
             "tests/test_cli.py", "ignores_or_renames"),
    Mutation("Ctrl-C with another exit code while working", TERMINAL,
             "return STOPPED", "return 1", "tests/test_cli.py", "first_line or while_reading"),
]  # fmt: skip


class Outcome(NamedTuple):
    """What became of a mutation: the test that noticed, None for a survivor."""

    mutation: Mutation
    killer: str | None
    seconds: float


def attempt(mutation: Mutation, copies: "Queue[Path]") -> Outcome:
    """Break one copy, run the tests, mend the copy."""
    begun, copy = time.monotonic(), copies.get()
    file = copy / "coterie" / mutation.file
    original = ROOT / "src" / "coterie" / mutation.file
    try:
        broken = mutation.applied(original.read_text(encoding="utf-8"))
        if broken is None:
            return Outcome(mutation, "skipped: the text is gone, write it anew", 0.0)
        file.write_text(broken, encoding="utf-8")
        killer = noticed(mutation, copy)
    finally:
        shutil.copy2(original, file)
        copies.put(copy)
    return Outcome(mutation, killer, time.monotonic() - begun)


def noticed(mutation: Mutation, copy: Path) -> str | None:
    """The first test that fails; None if all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    command += ["--tb=no", "-rf", mutation.tests]
    command += ["-k", mutation.keyword] if mutation.keyword else []
    paths = {"PYTHONPATH": str(copy), "COTERIE_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=os.environ | paths, capture_output=True,
                              text=True, timeout=LIMIT)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT} s"
    failed = re.search(r"^FAILED (?:\S*/)?(\S+)", done.stdout, re.MULTILINE)
    if done.returncode == 1 and failed:
        return failed[1]
    if done.returncode == 0:
        return None if " passed" in done.stdout else "skipped: so were its tests, here"
    raise SystemExit(f"{mutation.name}: the tests did not run\n{done.stdout}{done.stderr}")


def main() -> int:
    """Try all mutations that the arguments name, and print a table."""
    wanted = sys.argv[1:]
    chosen = [
        each
        for each in MUTATIONS
        if not wanted or any(w in each.name + each.file for w in wanted)
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(N_WORKERS) as pool:
        copies: Queue[Path] = Queue()
        for number in range(N_WORKERS):
            shutil.copytree(ROOT / "src", Path(folder) / str(number))
            copies.put(Path(folder) / str(number))
        outcomes = []
        for outcome in pool.map(lambda each: attempt(each, copies), chosen):
            outcomes.append(outcome)
            killer = outcome.killer or "SURVIVES"
            print(f"{outcome.mutation.name:<48} {killer[:90]:<90} {outcome.seconds:5.0f} s",
                  flush=True)  # fmt: skip
    survivors = [each for each in outcomes if each.killer is None]
    skipped = [each for each in outcomes if (each.killer or "").startswith("skipped")]
    n_killed = len(outcomes) - len(survivors) - len(skipped)
    print(f"{n_killed} noticed, {len(survivors)} survive, {len(skipped)} skipped")
    return bool(survivors or skipped)


if __name__ == "__main__":
    sys.exit(main())
