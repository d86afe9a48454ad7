"""The open results of a session: made, loaded, edited, gathered, each change saved at once."""

import shutil
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coterie.clustering import Clustering, load
from coterie.clustering.page import payload
from coterie.clustering.result import About
from coterie.clustering.running import Settings, check_method, check_number, fit
from coterie.clustering.sources import Reading
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.explorer.jobs import Job, Jobs, StoppedError
from coterie.explorer.journal import Journal
from coterie.explorer.looking import described
from coterie.explorer.sampling import first_picture, take_sample
from coterie.explorer.searching import FoldedTexts
from coterie.explorer.store import (
    FAILED,
    FITTING,
    READY,
    RESULT,
    UPLOADS,
    Node,
    Store,
    new_identifier,
)
from coterie.explorer.uploads import Upload, preview, reading_of
from coterie.findings.edits import Edit, numbers_after
from coterie.fitting import watching
from coterie.methods import AUTO
from coterie.report.payload import Budget, Payload
from coterie.types import ASKED

SECONDS_TO_FOLDER = 2.0
DEMO = "built-in corpus"
SAMPLE = "sample.tar"
N_TYPICAL = 3
BUDGET = Budget(listed=100_000, texts=False)  # texts come one by one
Change = Callable[[Clustering], Any]


class MissingError(InputError):
    """Something that is asked for by an identifier is not there."""


@dataclass
class Open:
    """A result in memory; `version` grows with everything that changes what it shows."""

    journal: Journal
    lock: threading.RLock = field(default_factory=threading.RLock)
    searching: threading.Lock = field(default_factory=threading.Lock)
    result: Clustering | None = None
    first: Clustering | None = None
    version: int = 0
    timer: threading.Timer | None = None
    payloads: dict[int, Payload] = field(default_factory=dict)
    texts: FoldedTexts | None = None
    is_searched: bool = False

    def keep(self, made: Payload) -> None:
        """Keep the payload of this version, and that before, which may still be asked for."""
        last = list(self.payloads.items())[-1:]
        self.payloads = {**dict(last), self.version: made}


class Workspace:
    """All that the explorer does with results; whoever shows them asks here."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.uploads: dict[str, Upload] = {}
        self.notes: dict[str, list[str]] = {}
        self._open: dict[str, Open] = {}
        self._lock = threading.RLock()
        self.jobs = Jobs(self._failed)
        self._remove_old_uploads()

    def end(self) -> None:
        """Stop what runs, and write opened folders that wait for it."""
        self.jobs.end()
        for upload in self.uploads.values():
            upload.remove()
        for name in list(self._open):
            self._write_if_waiting(name)

    # What there is

    def node(self, name: str) -> Node:
        """The node of that identifier."""
        if name not in self.store.nodes:
            raise MissingError("no such result; it may have been removed")
        return self.store.nodes[name]

    def result(self, name: str) -> Clustering:
        """The result of a node, or its first picture while the whole is being clustered."""
        node, opened = self.node(name), self._opened(name)
        with opened.lock:
            if opened.result is None and node.status == READY:
                self._load(node, opened)
            found = opened.result or opened.first
        if found is None:
            raise MissingError(f"{node.title}: not clustered yet")
        return found

    def state(self) -> dict[str, Any]:
        """Nodes and jobs, as plain values."""
        nodes = []
        for node in list(self.store.nodes.values()):
            opened = self._open.get(node.id)
            first = opened.first if opened else None
            nodes.append(
                {
                    "id": node.id,
                    "title": node.title,
                    "parent": node.parent,
                    "clusters": node.clusters,
                    "made_by": node.made_by,
                    "status": node.status,
                    "error": node.error,
                    "closed": node.closed,
                    "created": node.created,
                    "version": opened.version if opened else 0,
                    "preliminary": len(first.corpus) if first else 0,
                    "notes": self.notes.get(node.id, []),
                }
            )
        return {"nodes": nodes, "jobs": [job.to_values() for job in self.jobs.active()]}

    # What the views show

    def head(self, name: str) -> dict[str, Any]:
        """The head of the payload of a result as it is now, and what was edited."""
        opened = self._opened(name)
        with opened.lock:
            result = self.result(name)
            version = opened.version
            if version not in opened.payloads:
                opened.keep(payload(result, BUDGET))
            found = opened.payloads[version]
            if result is opened.result and not opened.is_searched:
                opened.is_searched = True
                threading.Thread(
                    target=self._searched, args=[name, result], daemon=True
                ).start()
        return {
            "head": found.head,
            "version": version,
            "edits": [described(edit) for edit in result.edits],
            "aside": len(result.corpus) - found.head["n_documents"],
            "named": sorted(_given_names(result)),
            "typical": [_typical(each) for each in result.summary.clusters],
            "facts": _facts(result),
        }

    def part(self, name: str, part: str, version: str) -> bytes | None:
        """The bytes of a part of that version of the payload; None where it has none."""
        payloads = self._opened(name).payloads
        if not version.isdecimal() or int(version) not in payloads:
            raise MissingError("the result has changed; ask for it again")
        return payloads[int(version)].parts.get(part)

    def find(self, name: str, query: str) -> list[str]:
        """Ids of the documents that have all words of a query."""
        result = self.result(name)
        found = self._searched(name, result).find(query)
        return [str(result.corpus.ids[at]) for at in found]

    def _searched(self, name: str, result: Clustering) -> FoldedTexts:
        """The texts of a result to search in, made once; edits go on meanwhile."""
        opened = self._opened(name)
        with opened.searching:
            if opened.texts is None or opened.texts.corpus is not result.corpus:
                opened.texts = FoldedTexts(result.corpus)
            return opened.texts

    def _opened(self, name: str) -> Open:
        with self._lock:
            if name not in self._open:
                journal = Journal(self.store.folder(self.node(name)))
                self._open[name] = Open(journal)
            return self._open[name]

    def _load(self, node: Node, opened: Open) -> None:
        result = load(self.store.result(node))
        edits, note = opened.journal.begin(result)
        opened.result = _with_edits(result, edits)
        if note:
            self.notes.setdefault(node.id, []).append(note)

    # New results

    def open_folder(self, folder: Path) -> Node:
        """Open a folder of results; its edits are saved in it."""
        result = load(folder)
        where = str(folder.resolve())
        known = [each for each in self.store.nodes.values() if each.folder == where]
        if known:
            return self.reopen(known[0].id)
        title = result.about.title or folder.resolve().name
        node = self.store.add(
            Node(new_identifier(), title, "opened", folder=where, status=READY)
        )
        opened = self._opened(node.id)
        opened.journal.begin(result)
        opened.result = result
        return node

    def cluster(self, path: Path, title: str, request: dict[str, Any]) -> Node:
        """Cluster a path that the person at the terminal named, or files that were received."""
        settings_of(request)
        node = Node(new_identifier(), title, request=request, source=str(path))
        return self._begin(self.store.add(node))

    def cluster_upload(self, name: str, request: dict[str, Any]) -> Node:
        """Cluster files that were received."""
        settings_of(request)
        upload = self.upload(name)
        path = upload.finish()
        if upload.sampling is not None:
            upload.sampling.join()
        node = self.store.add(Node(new_identifier(), upload.title, request=request))
        moved = self.store.folder(node) / "source"
        shutil.move(path.parent, moved)
        del self.uploads[name]
        node.source = str(moved / path.name)
        self.store.save(node)
        return self._begin(node)

    def demo(self, request: dict[str, Any]) -> Node:
        """Cluster the built-in corpus."""
        settings_of(request)
        return self._begin(self.store.add(Node(new_identifier(), DEMO, request=request)))

    def again(self, name: str) -> Node:
        """Begin a fit again that was interrupted or failed."""
        node = self.node(name)
        if node.status not in ("new", FAILED):
            raise InputError(f"{node.title}: clustered already")
        return self._begin(node)

    def _begin(self, node: Node) -> Node:
        node.status, node.error = FITTING, ""
        self.store.save(node)
        if node.made_by == "clustered":
            self.jobs.add(node.id, self._fit_source)
        else:
            self.jobs.add(node.id, self._fit_child)
        return node

    def upload(self, name: str = "") -> Upload:
        """Files that are being received; a new place for them where none is named."""
        if not name:
            upload = Upload(Path())
            upload.folder = self.store.root / UPLOADS / upload.id
            self.uploads[upload.id] = upload
            return upload
        if name not in self.uploads:
            raise MissingError("no such files; drop them again")
        return self.uploads[name]

    def preview(self, name: str) -> dict[str, Any]:
        """What received files hold; the sample for a first picture is taken meanwhile."""
        upload = self.upload(name)
        path = upload.finish()
        if upload.sampling is None:
            upload.sampling = threading.Thread(
                target=take_sample, args=[path, path.with_name(SAMPLE)], daemon=True
            )
            upload.sampling.start()
        return preview(path) | {"title": upload.title, "files": len(upload.names)}

    def forget_upload(self, name: str) -> None:
        """Remove files that were received and are not wanted."""
        self.upload(name).remove()
        del self.uploads[name]

    def _remove_old_uploads(self) -> None:
        for each in (self.store.root / UPLOADS).iterdir():
            shutil.rmtree(each, ignore_errors=True)

    # Fits

    def _fit_source(self, job: Job) -> None:
        node = self.node(job.node)
        settings, how = settings_of(node.request), reading_of(node.request)
        if not node.source:
            from coterie.demo import load_demo

            job.now("Reading the docstrings of installed packages")
            corpus = load_demo().with_texts()
        else:
            try:
                corpus = self._read(job, node, how, settings)
            except StoppedError:
                self._keep_first(job, node)
                return
        source = _outside(node.source, self.store.root)
        about = About(title=node.title, settings=settings, reading=how, source=source)
        self._fit(job, node, corpus, about)

    def _read(self, job: Job, node: Node, how: Reading, settings: Settings) -> Corpus:
        """Read all documents; a first picture of some of them comes before."""
        job.now("Reading a sample")
        path = Path(node.source)
        taken = path.with_name(SAMPLE) if path.is_relative_to(self.store.root) else None
        first = first_picture(path, how, settings.n_clusters, node.title, taken)
        if first is not None:
            opened, shown = self._opened(node.id), payload(first, BUDGET)
            with opened.lock:
                opened.first = first
                opened.version += 1
                opened.keep(shown)
        job.now("Reading")
        return Corpus.read(
            path, text=how.text or None, id=how.id, label=how.label, title=how.title,
            options=how.options, limits=how.limits, tick=job.count,
        ).with_texts()  # fmt: skip

    def _keep_first(self, job: Job, node: Node) -> None:
        """After a stop while documents were read, the first picture is what there is."""
        first = self._opened(node.id).first
        if first is None:
            raise StoppedError("stopped before there was anything to show")
        note = f"Stopped while reading: only {len(first.corpus):,} documents are in it."
        first.about = replace(first.about, notes=(note,))
        self._ready(job, node, first)

    def _fit(self, job: Job, node: Node, corpus: Corpus, about: About) -> None:
        check_number(about.settings.n_clusters, len(corpus))
        job.now("Fitting")
        with watching(job.watch):
            fitted = fit(corpus, about.settings)
        about = replace(about, seconds=fitted.seconds, notes=fitted.notes)
        self._ready(job, node, Clustering(fitted.model, corpus, about=about))

    def _fit_child(self, job: Job) -> None:
        """Gather, cluster again or steer: all begin with the result that a node came from."""
        node = self.node(job.node)
        parent = self.result(str(node.parent))
        settings = settings_of(node.request)
        with ExitStack() as stack:
            job.now("Fitting")
            stack.enter_context(watching(job.watch))
            if node.made_by == "gathered":
                result = gathered(parent, node.clusters, settings)
            elif node.made_by == "steered":
                result = parent.refit()
            else:
                kept = parent.corpus
                fitted = fit(kept, settings)
                about = replace(
                    parent.about, settings=settings, seconds=fitted.seconds, notes=fitted.notes
                )
                result = Clustering(fitted.model, kept, about=about)
        self._ready(job, node, result)

    def _ready(self, job: Job, node: Node, result: Clustering) -> None:
        """Show a result, then save it; edits made meanwhile are in the journal."""
        job.stage, job.share = "Describing clusters", 0.0
        result.summary  # noqa: B018
        opened = self._opened(node.id)
        shown = payload(result, BUDGET)
        node.title = result.about.title or node.title if node.parent is None else node.title
        with opened.lock:
            opened.journal.begin(result)
            opened.result, opened.first = result, None
            opened.version += 1
            opened.keep(shown)
            base = result.copy()
        self.notes[node.id] = [*result.corpus.notes.lines(), *result.about.notes]
        if node.id not in self.store.nodes:
            return
        job.stage = "Saving"
        base.save(self.store.folder(node) / RESULT)
        node.status = READY
        self.store.save(node)
        shutil.rmtree(self.store.folder(node) / "source", ignore_errors=True)

    def _failed(self, name: str, reason: str) -> None:
        if name not in self.store.nodes:
            return
        node = self.node(name)
        if node.status == FITTING:
            node.status, node.error = FAILED, reason
            self.store.save(node)
        else:
            self.notes.setdefault(name, []).append(f"Not done: {reason}")
        self._opened(name).version += 1

    # Edits

    def edit(self, name: str, change: Change) -> Clustering:
        """Change a result, and write the edit down before anything shows it."""
        opened = self._opened(name)
        with opened.lock:
            result = self.whole(name)
            before = result.edits
            change(result)
            try:
                opened.journal.write(result.edits)
            except OSError:
                opened.result = _with_edits(result, before)
                raise
            opened.version += 1
            self._write_folder_soon(name, opened)
            return result

    def split(self, name: str, cluster: int, n_clusters: int) -> Job:
        """Split a cluster, which takes a fit."""
        self.whole(name)

        def work(job: Job) -> None:
            job.now("Splitting")
            apart = self.whole(name).copy()  # a fit takes long, and others look meanwhile
            with watching(job.watch):
                (*_, edit) = apart.split(cluster, n_clusters).edits
            self.edit(name, lambda result: result._edit(edit))

        return self.jobs.add(name, work)

    def _write_folder_soon(self, name: str, opened: Open) -> None:
        """Write an opened folder of results again, once edits pause."""
        if not self.node(name).folder:
            return
        if opened.timer is not None:
            opened.timer.cancel()
        opened.timer = threading.Timer(SECONDS_TO_FOLDER, self._write_folder, [name])
        opened.timer.daemon = True
        opened.timer.start()

    def _write_if_waiting(self, name: str) -> None:
        """Write an opened folder of results now, if edits wait for a pause."""
        opened = self._opened(name)
        if opened.timer is not None:
            opened.timer.cancel()
            self._write_folder(name)

    def _write_folder(self, name: str) -> None:
        opened = self._opened(name)
        with opened.lock:
            result = opened.result
            opened.timer = None
            if result is None or result.edits == result.saved_edits:
                return
            current = _with_edits(result, result.edits)
            opened.journal.folder_gets(current.edits, result.edits)
        try:
            current.save()
        except (InputError, OSError) as error:
            note = f"The edits are saved here, but not in the folder: {error}"
            self.notes[name] = [note]
            return
        with opened.lock:
            result.run, result.saved_edits = current.run, current.saved_edits
            if name in self.store.nodes:  # not removed meanwhile
                opened.journal.folder_has(result.edits)

    # From one result to others

    def whole(self, name: str) -> Clustering:
        """The result of a node; a first picture is refused."""
        result = self.result(name)
        if result is self._opened(name).first:
            raise InputError(
                "this is a first picture; wait for the whole result, or stop the fit"
            )
        return result

    def gather(self, name: str, clusters: Sequence[int], request: dict[str, Any]) -> Node:
        """Cluster only the documents of some clusters."""
        parent = self.whole(name)
        for number in clusters:
            if number not in parent.numbers:
                raise InputError(f"cluster {number}: no such cluster")
        if not clusters:
            raise InputError("gather: no clusters; choose at least one")
        names = [parent.names[number] for number in clusters]
        return self._child(name, "gathered", " + ".join(names), request, list(clusters))

    def cluster_again(self, name: str, request: dict[str, Any]) -> Node:
        """Cluster the same documents by another method or number."""
        settings = settings_of(request)
        known = settings.n_clusters != AUTO
        title = f"{settings.n_clusters} clusters by ".capitalize() if known else "By "
        return self._child(name, "again", title + settings.method, request, [])

    def steer(self, name: str) -> Node:
        """Fit again from the edited clusters; decided documents keep theirs."""
        return self._child(name, "steered", "Fitted again from your decisions", {}, [])

    def _child(
        self, name: str, made_by: str, title: str, request: dict[str, Any], clusters: list[int]
    ) -> Node:
        settings_of(request)
        self.whole(name)
        node = Node(
            new_identifier(), title, made_by, parent=name, clusters=clusters, request=request
        )
        return self._begin(self.store.add(node))

    def stop(self, name: str) -> None:
        """Ask a job to stop; the best so far is kept."""
        if name not in self.jobs.all:
            raise MissingError("no such job; it may be done")
        self.jobs.all[name].stopping.set()

    def close(self, name: str) -> Node:
        """Close a tab; the result stays among those that were closed."""
        node = self.node(name)
        node.closed = True
        self.store.save(node)
        return node

    def reopen(self, name: str) -> Node:
        """Open a closed tab again."""
        node = self.node(name)
        node.closed = False
        self.store.save(node)
        return node

    def remove(self, name: str) -> None:
        """Remove a result and those made from it; an opened folder stays, with its edits.

        Where they cannot be written, a first try to remove is refused, and says so.
        """
        node, opened = self.node(name), self._opened(name)
        is_waiting = opened.timer is not None
        self._write_if_waiting(name)
        if is_waiting and (result := opened.result) and result.edits != result.saved_edits:
            raise InputError(f"{self.notes[name][-1]}; remove it again to lose them")
        for child in self.store.children(node):
            self.remove(child.id)
        job = self.jobs.of(name)
        if job is not None:
            job.stopping.set()
        with opened.lock:
            self._open.pop(name, None)
            self.store.remove(node)


def gathered(parent: Clustering, clusters: Sequence[int], settings: Settings) -> Clustering:
    """The documents of some clusters, clustered by themselves."""
    together, first = parent.copy(), min(clusters)
    if len(clusters) > 1:
        together.merge(clusters)
    return together.within(first, settings.n_clusters, settings.method)


def settings_of(request: dict[str, Any]) -> Settings:
    """How to cluster, from what is asked for."""
    n_clusters = request.get("n_clusters") or AUTO
    settings = Settings(
        n_clusters, request.get("method") or AUTO, seed=request.get("seed") or 0, quiet=True
    )
    check_method(settings.method)
    if n_clusters not in ASKED and (not isinstance(n_clusters, int) or n_clusters < 1):
        raise InputError(f"{n_clusters!r} clusters: expected a whole number, auto, few or many")
    return settings


def _with_edits(result: Clustering, edits: Sequence[Edit]) -> Clustering:
    """The same result with other edits; what is known of its folder stays."""
    other = result.copy()
    if tuple(edits) != result.edits:
        other._set(tuple(edits))
    other.folder, other.run = result.folder, result.run
    other.saved_edits = result.saved_edits
    return other


def _outside(source: str, root: Path) -> str:
    """A source as a saved result names it; what was received has no place outside."""
    return "" if Path(source).is_relative_to(root) else source


def _typical(cluster: Any) -> list[dict[str, Any]]:
    """The documents that show best what a cluster is about."""
    return [
        {"id": each.id, "title": each.title or each.id, "excerpt": each.excerpt}
        for each in cluster.documents[:N_TYPICAL]
    ]


def _facts(result: Clustering) -> dict[str, Any]:
    summary = result.summary
    return {
        "method": summary.method,
        "n_words": summary.n_words,
        "seconds": summary.seconds,
        "interrupted": summary.interrupted,
        "notes": list(summary.notes),
        "doubtful": len(summary.doubtful),
        "offered": _offered(result),
    }


def _offered(result: Clustering) -> list[int]:
    """Other numbers of clusters that stood out where the number was estimated."""
    offers = getattr(result.model, "n_clusters_offered_", {}).get("n_clusters", ())
    return [int(k) for k in offers if int(k) != result.model.memberships_.shape[1]]


def _given_names(result: Clustering) -> list[int]:
    """Numbers of the clusters that a person named."""
    return list(numbers_after(result.edits, result.model.memberships_.shape[1]).names)
