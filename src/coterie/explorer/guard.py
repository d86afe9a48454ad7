"""Who may ask the explorer for what.

The server listens on the loopback interface, which every user of the machine and every page in
their browsers can reach. So each request must name this very host and port, come from the
explorer's own page, and carry the token of this run; only the page and its scripts, which hold
nothing private, need no token. The token is in the fragment of the address, which browsers do
not send, and comes back in a header, which no other page can set; it is in no cookie, since
cookies are sent to every port of a host.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException

from coterie.corpus.limits import size_in_words

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_HEADER = "x-coterie-token"
PRIVATE_PATHS = "/api/"
UPLOAD_PATHS = "/api/uploads/"
MOST_IN_BODY = 4 << 20
MOST_IN_UPLOAD = 8 << 30
LONGEST_ADDRESS = 8192
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
ENCODED = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


@dataclass
class Guard:
    """Lets only requests of the explorer's own page through to an application."""

    app: App
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of this server, as a browser writes them."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        most = MOST_IN_UPLOAD if scope["path"].startswith(UPLOAD_PATHS) else MOST_IN_BODY
        await self.app(scope, _bounded(receive, most), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )
        host = headers.get("host", [])
        if len(host) != 1 or host[0] not in self.hosts:
            return 421, "this is not the host you asked for"
        if not self._same_origin(scope["method"], headers, host[0]):
            return 403, "requests from other pages are refused"
        if scope["method"] not in ("GET", "HEAD", "POST", "DELETE"):
            return 405, "no such method"
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, "too long an address"
        if scope["path"].startswith(PRIVATE_PATHS) and not self._has_token(headers):
            return 401, "open the address that `coterie explore` printed"
        most = MOST_IN_UPLOAD if scope["path"].startswith(UPLOAD_PATHS) else MOST_IN_BODY
        return _too_long(headers.get("content-length", []), most)

    def _same_origin(self, method: str, headers: dict[str, list[str]], host: str) -> bool:
        """Whether the explorer's page asks; browsers name no origin where they only read."""
        origin = headers.get("origin", [])
        if origin and origin != [f"http://{host}"]:
            return False
        if not origin and method not in ("GET", "HEAD"):
            return False
        from_where = headers.get("sec-fetch-site", ["none"])
        reads_page = headers.get("sec-fetch-mode") == ["navigate"] and method == "GET"
        return reads_page or from_where in (["same-origin"], ["none"])

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        given = headers.get(TOKEN_HEADER, [])
        return len(given) == 1 and secrets.compare_digest(
            given[0].encode("latin-1"), self.token.encode()
        )


def _too_long(lengths: list[str], most: int) -> tuple[int, str] | None:
    if not lengths:
        return None
    if len(lengths) > 1 or not lengths[0].isascii() or not lengths[0].isdecimal():
        return 400, "expected one length of the body"
    return (413, f"larger than {size_in_words(most)}") if int(lengths[0]) > most else None


def _bounded(receive: Receive, most: int) -> Receive:
    """The body, refused where it grows too large, whatever length it claims."""
    total = 0

    async def bounded() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > most:
            raise HTTPException(413, f"larger than {size_in_words(most)}")
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            added = [pair for pair in ENCODED if pair[0] not in known]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sender


async def _answer(send: Send, status: int, sentence: str) -> None:
    """Refuse with one sentence."""
    body = json.dumps({"error": sentence}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *ENCODED,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
