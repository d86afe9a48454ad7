"""What the page of the explorer may ask: JSON in, JSON out, files on export.

Nothing here computes: each function checks what it is given and asks the workspace.
"""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from coterie import __version__
from coterie.errors import InputError
from coterie.explorer import exports, looking
from coterie.explorer.suggestions import suggestions
from coterie.explorer.workspace import MissingError, Workspace
from coterie.methods import METHODS
from coterie.types import ASKED

MOST_FILES_AT_ONCE = 2000
LARGEST_FIELD = 1 << 16
MODULES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
SHARED = ("coterie.report", "web")
"""Where the modules lie that the page of a result has too."""

Values = Mapping[str, Any]
Handler = Callable[[Request, Values], Any]


def application(workspace: Workspace) -> Starlette:
    """The explorer as an application; whoever serves it puts a guard before it."""
    api = Api(workspace)
    return Starlette(routes=api.routes(), exception_handlers={HTTPException: _failed})


class Api:
    """Requests turned into calls of the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def routes(self) -> list[Route]:
        """The addresses, and what answers each."""
        get, post, delete = ["GET"], ["POST"], ["DELETE"]
        one = "/api/results/{id}"
        answers: list[tuple[str, Handler, list[str]]] = [
            ("/api/state", self.state, get),
            ("/api/methods", self.methods, get),
            ("/api/demo", self.demo, post),
            ("/api/uploads", self.new_upload, post),
            ("/api/uploads/{id}", self.forget_upload, delete),
            ("/api/uploads/{id}/preview", self.preview, get),
            ("/api/uploads/{id}/cluster", self.cluster_upload, post),
            ("/api/jobs/{id}/stop", self.stop, post),
            ("/api/compare", self.compare, get),
            (f"{one}/head", self.head, get),
            (f"{one}/document", self.document, get),
            (f"{one}/texts", self.texts, post),
            (f"{one}/find", self.find, get),
            (f"{one}/members/{{number:int}}", self.members, get),
            (f"{one}/doubtful", self.doubtful, get),
            (f"{one}/suggestions", self.suggestions, get),
            (f"{one}/edits", self.edit, post),
            (f"{one}/undo", self.undo, post),
            (f"{one}/gather", self.gather, post),
            (f"{one}/again", self.again, post),
            (f"{one}/steer", self.steer, post),
            (f"{one}/retry", self.retry, post),
            (f"{one}/assign", self.assign, post),
            (f"{one}/close", self.close, post),
            (f"{one}/open", self.reopen, post),
            (one, self.remove, delete),
        ]
        return [
            Route("/", page, methods=get),
            Route("/static/{name}", static, methods=get),
            Route("/api/uploads/{id}/files", self.receive, methods=post),
            Route(f"{one}/parts/{{name}}", self.part, methods=get),
            Route(f"{one}/export/{{kind}}", self.export, methods=get),
            *(Route(path, _answering(call), methods=how) for path, call, how in answers),
        ]

    # The session

    def state(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """What is open, and how far jobs are."""
        return self.workspace.state() | {"version": __version__}

    def methods(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """The clustering methods that take one view."""
        return [
            {"name": each.name, "title": each.title, "good_for": each.good_for}
            for each in METHODS.values()
            if not each.needs_views
        ]

    def demo(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Cluster the built-in corpus."""
        return {"id": self.workspace.demo(_request(body)).id}

    def stop(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Ask a job to stop."""
        self.workspace.stop(request.path_params["id"])
        return {}

    # Files

    def new_upload(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Make a place for files."""
        return {"id": self.workspace.upload().id}

    async def receive(self, request: Request) -> Response:
        """Take files; their names are labels, never paths."""
        try:
            upload = self.workspace.upload(request.path_params["id"])
        except MissingError as error:
            return _refused(error)
        form = request.form(
            max_files=MOST_FILES_AT_ONCE, max_fields=10, max_part_size=LARGEST_FIELD
        )
        async with form as received:
            for each in received.getlist("file"):
                if not isinstance(each, UploadFile):
                    return JSONResponse({"error": "expected files"}, 400)
                name, size = each.filename or "", each.size or 0
                try:
                    await run_in_threadpool(upload.add, name, each.file, size)
                except (InputError, OSError) as error:
                    return _refused(error)
        return JSONResponse({"files": len(upload.names), "bytes": upload.n_bytes})

    def forget_upload(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Remove files that are not wanted."""
        self.workspace.forget_upload(request.path_params["id"])
        return {}

    def preview(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """What the files hold."""
        return self.workspace.preview(request.path_params["id"])

    def cluster_upload(self, request: Request, body: Values) -> Any:
        """Cluster the files."""
        node = self.workspace.cluster_upload(request.path_params["id"], _request(body))
        return {"id": node.id}

    # A result

    def head(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """What the views of a result begin with."""
        return self.workspace.head(request.path_params["id"])

    async def part(self, request: Request) -> Response:
        """The bytes of a part of a payload."""
        name, part = request.path_params["id"], request.path_params["name"]
        version = request.query_params.get("version", "")
        try:
            content = await run_in_threadpool(self.workspace.part, name, part, version)
        except (InputError, OSError) as error:
            return _refused(error)
        if content is None:
            return Response(status_code=204)
        return Response(content, media_type="application/octet-stream")

    def document(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """The text and all that is known of one document."""
        return looking.document(self._result(request), _query(request, "id"))

    def texts(self, request: Request, body: Values) -> Any:
        """The texts of some documents, in their order."""
        return looking.texts(self._result(request), _texts(body, "ids"))

    def find(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Ids of the documents that have all words of a query."""
        name = request.path_params["id"]
        return {"ids": self.workspace.find(name, _query(request, "query"))}

    def members(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """The documents of a cluster."""
        return looking.members(self._result(request), request.path_params["number"])

    def doubtful(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """The documents to decide, the closest first."""
        return looking.doubtful(self._result(request))

    def suggestions(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """What might be corrected."""
        return [each.to_values() for each in suggestions(self._result(request))]

    def compare(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Which documents moved between two results."""
        one, other = (self.workspace.result(_query(request, name)) for name in ("one", "other"))
        return looking.comparison(one, other)

    def assign(self, request: Request, body: Values) -> Any:
        """The clusters of a pasted text."""
        return looking.assigned(self._result(request), _text(body, "text"))

    # Edits

    def edit(self, request: Request, body: Values) -> Any:
        """Rename, merge, split, move or drop."""
        name, kind = request.path_params["id"], _text(body, "edit")
        if kind == "split":
            cluster, parts = _number(body, "cluster"), _number(body, "parts")
            return {"job": self.workspace.split(name, cluster, parts).id}
        if kind not in EDITS:
            raise InputError(f"edit {kind[:40]!r}: expected {', '.join([*EDITS, 'split'])}")
        result = self.workspace.edit(name, lambda each: EDITS[kind](each, body))
        return {"edits": len(result.edits)}

    def undo(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Take the last edit back."""
        result = self.workspace.edit(request.path_params["id"], lambda each: each.undo())
        return {"edits": len(result.edits)}

    # From one result to others

    def gather(self, request: Request, body: Values) -> Any:
        """Cluster the documents of some clusters."""
        clusters = _numbers(body, "clusters")
        node = self.workspace.gather(request.path_params["id"], clusters, _request(body))
        return {"id": node.id}

    def again(self, request: Request, body: Values) -> Any:
        """Cluster the same documents otherwise."""
        return {
            "id": self.workspace.cluster_again(request.path_params["id"], _request(body)).id
        }

    def steer(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Fit again from the edited clusters."""
        return {"id": self.workspace.steer(request.path_params["id"]).id}

    def retry(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Begin a fit again."""
        return {"id": self.workspace.again(request.path_params["id"]).id}

    def close(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Close a tab."""
        return {"id": self.workspace.close(request.path_params["id"]).id}

    def reopen(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Open a closed tab."""
        return {"id": self.workspace.reopen(request.path_params["id"]).id}

    def remove(self, request: Request, body: Values) -> Any:  # noqa: ARG002
        """Remove a result."""
        self.workspace.remove(request.path_params["id"])
        return {}

    async def export(self, request: Request) -> Response:
        """A file to keep."""
        name, kind = request.path_params["id"], request.path_params["kind"]
        try:
            file = await run_in_threadpool(
                lambda: exports.export(self.workspace.result(name), kind)
            )
        except (InputError, OSError) as error:
            return _refused(error)
        return FileResponse(
            file.path, media_type="application/octet-stream", filename=file.path.name,
            content_disposition_type="attachment", background=file.removal(),
        )  # fmt: skip

    def _result(self, request: Request) -> Any:
        return self.workspace.result(request.path_params["id"])


EDITS: dict[str, Callable[[Any, Values], Any]] = {
    "rename": lambda result, body: result.rename(
        {_number(body, "cluster"): _text(body, "name")}
    ),
    "merge": lambda result, body: result.merge(_numbers(body, "clusters")),
    "move": lambda result, body: result.move(_texts(body, "ids"), _number(body, "cluster")),
    "drop": lambda result, body: result.drop(_numbers(body, "clusters")),
}


def _answering(call: Handler) -> Callable[[Request], Any]:
    """A function that reads the body, calls in a thread, and answers errors in one sentence."""

    async def answer(request: Request) -> Response:
        try:
            body = await _body(request)
            found = await run_in_threadpool(call, request, body)
        except (InputError, OSError, MemoryError) as error:
            return _refused(error)
        if isinstance(found, Response):
            return found
        return JSONResponse(found)

    return answer


async def _body(request: Request) -> Values:
    content = await request.body()
    if not content:
        return {}
    try:
        values = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError("the body is not JSON") from error
    if not isinstance(values, dict):
        raise InputError("the body is JSON, but expected an object")
    return values


def _refused(error: BaseException) -> JSONResponse:
    status = 404 if isinstance(error, MissingError) else 400
    sentence = " ".join(str(error).split()) or type(error).__name__
    return JSONResponse({"error": sentence}, status)


async def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """What Starlette refuses, in one sentence."""
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405):
        return JSONResponse({"error": "there is nothing at this address"}, 404)
    return JSONResponse({"error": str(error.detail)}, error.status_code)


async def page(request: Request) -> Response:  # noqa: ARG001
    """The page, which is the same for everybody."""
    content = files("coterie.explorer").joinpath("static", "index.html").read_bytes()
    return Response(content, media_type="text/html")


async def static(request: Request) -> Response:
    """A script or style sheet of the page, by its name among those there are."""
    name = request.path_params["name"]
    found = assets().get(name)
    if found is None:
        return JSONResponse({"error": "there is nothing at this address"}, 404)
    return Response(found.read_bytes(), media_type=MODULES["." + name.rpartition(".")[2]])


def assets() -> dict[str, Any]:
    """The scripts and style sheets by name: those of the page of a result, then ours."""
    package, folder = SHARED
    found = {}
    for place in (
        files(package).joinpath("templates"),
        files(package).joinpath(folder),
        files("coterie.explorer").joinpath("static"),
    ):
        for each in place.iterdir():
            if each.is_file() and each.name.endswith((".js", ".css")):
                found[each.name] = each
    return found


# What a request holds


def _query(request: Request, name: str) -> str:
    value = request.query_params.get(name, "")
    if not value:
        raise InputError(f"{name}: missing")
    return value


def _text(body: Values, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise InputError(f"{name}: expected a text")
    return value


def _texts(body: Values, name: str) -> list[str]:
    value = body.get(name)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(f"{name}: expected a list of texts")
    return value


def _number(body: Values, name: str) -> int:
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name}: expected a whole number")
    return value


def _numbers(body: Values, name: str) -> list[int]:
    value = body.get(name)
    if not isinstance(value, list) or not value:
        raise InputError(f"{name}: expected a list of numbers")
    return [_number({name: each}, name) for each in value]


def _request(body: Values) -> dict[str, Any]:
    """How to cluster: names of columns, the number of clusters, the method, the seed."""
    found: dict[str, Any] = {}
    for name in ("id", "title", "label", "method", "language"):
        if body.get(name):
            found[name] = _text(body, name)
    if body.get("text"):
        found["text"] = _texts({"text": body["text"]}, "text")
    if body.get("n_clusters") in ASKED:
        found["n_clusters"] = body["n_clusters"]
    elif body.get("n_clusters"):
        found["n_clusters"] = _number(body, "n_clusters")
    if body.get("seed"):
        found["seed"] = _number(body, "seed")
    return found
