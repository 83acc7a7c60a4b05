"""A client on the official Python SDK that walks through the clock example server.

    python client.py stdio COMMAND [ARGUMENT…]
    python client.py http URL

PEER_ERA is `auto` (the default), `legacy` or `modern`. Every step prints one line of JSON,
{"step":"…","ok":true,…facts}, and the exit code is 0 only if all of them are ok.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client import advertise
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

STEP_SECONDS = 15.0
TOTAL_SECONDS = 90.0
MODES = {"legacy": "legacy", "modern": "2026-07-28", "auto": "auto"}

Facts = dict[str, Any]


class AlarmsRequest(types.Request[dict[str, Any], Literal["clock/alarms"]]):
    """The request of the example's own extension."""

    method: Literal["clock/alarms"] = "clock/alarms"
    params: dict[str, Any] = {}


def error_facts(error: BaseException) -> Facts:
    """The error as facts, with a code only if the peer answered a JSON-RPC error."""
    while len(group := getattr(error, "exceptions", ())) == 1:
        error = group[0]
    facts: Facts = {"error": f"{type(error).__name__}: {error}"}
    if isinstance(error, MCPError):
        facts["code"] = error.code
        if error.data is not None:
            facts["data"] = error.data
    return facts


def first_text(result: types.CallToolResult) -> str | None:
    return next((block.text for block in result.content if block.type == "text"), None)


def number(value: float) -> float | int:
    return int(value) if value.is_integer() else value


class Walk:
    """The steps, and whether all of them were ok so far."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.ok = True

    def report(self, step: str, ok: bool, facts: Facts | None = None) -> None:
        line = {"step": step, "ok": ok} | (facts or {})
        self.ok = self.ok and line["ok"]
        print(json.dumps(line, ensure_ascii=False), flush=True)

    async def step(self, name: str, body: Callable[[], Awaitable[Facts]]) -> None:
        """Runs `body`, which answers the facts of a step; they may carry their own `ok`."""
        try:
            with anyio.fail_after(STEP_SECONDS):
                facts = await body()
        except Exception as error:
            self.report(name, False, error_facts(error))
        else:
            self.report(name, True, facts)

    async def refused(self, name: str, body: Callable[[], Awaitable[Any]]) -> None:
        """Runs `body`, which the server is expected to refuse with a JSON-RPC error."""
        try:
            with anyio.fail_after(STEP_SECONDS):
                result = await body()
        except Exception as error:
            facts = error_facts(error)
            self.report(name, "code" in facts, facts)
        else:
            self.report(name, False, {"result": repr(result)})

    async def capabilities(self) -> Facts:
        capabilities = self.client.server_capabilities
        return {"capabilities": capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)}

    async def tools(self) -> Facts:
        listing = await self.client.list_tools()
        return {"names": sorted(tool.name for tool in listing.tools)}

    async def call(self) -> Facts:
        result = await self.client.call_tool("set_alarm", {"label": "tea-🫖"})
        is_error = bool(result.is_error)
        return {
            "text": first_text(result),
            "structured": result.structured_content,
            "isError": is_error,
            "ok": not is_error,
        }

    async def progress(self) -> Facts:
        received: list[float | int] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            received.append(number(progress))

        arguments = {"from": 3, "interval_ms": 1}
        result = await self.client.call_tool("countdown", arguments, progress_callback=on_progress)
        return {"progress": received, "callbacks": len(received), "text": first_text(result)}

    async def bad_arguments(self) -> Facts:
        try:
            result = await self.client.call_tool("countdown", {"from": "x"})
        except MCPError as error:
            return error_facts(error)
        is_error = bool(result.is_error)
        return {"isError": is_error, "text": first_text(result), "ok": is_error}

    async def resource(self) -> Facts:
        listing = await self.client.list_resources()
        read = await self.client.read_resource("clock://about")
        return {
            "uris": sorted(str(resource.uri) for resource in listing.resources),
            "text": getattr(read.contents[0], "text", None),
        }

    async def extension(self) -> Facts:
        result = await self.client.session.send_request(AlarmsRequest(), TypeAdapter(dict[str, Any]))
        # Without the members that belong to the protocol.
        return {"result": {k: v for k, v in result.items() if k not in ("_meta", "resultType")}}

    async def ping(self) -> Facts:
        await self.client.send_ping()
        return {}

    async def all(self) -> None:
        client = self.client
        await self.step("capabilities", self.capabilities)
        await self.step("tools", self.tools)
        await self.step("call", self.call)
        await self.step("progress", self.progress)
        await self.refused("unknown-tool", lambda: client.call_tool("nope", {}))
        await self.step("bad-arguments", self.bad_arguments)
        await self.step("resource", self.resource)
        await self.refused("missing-resource", lambda: client.read_resource("clock://missing"))
        await self.step("extension", self.extension)
        if client.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
            await self.step("ping", self.ping)


async def connected_facts(client: Client, era: str) -> Facts:
    if era == "modern":
        # A pinned version is adopted without a word to the server; ask it what it offers.
        offer = await client.session.send_discover(MODES[era])
        client.session.adopt(types.DiscoverResult.model_validate(offer))
    version = client.protocol_version
    return {
        "protocolVersion": version,
        "era": "legacy" if version in HANDSHAKE_PROTOCOL_VERSIONS else "modern",
        "server": client.server_info.name if client.server_info else None,
    }


async def run(server: StdioServerParameters | str, era: str) -> bool:
    client = Client(
        server,
        mode=MODES[era],
        read_timeout_seconds=STEP_SECONDS,
        client_info=types.Implementation(name="python-peer", version="1.0.0"),
        extensions=[advertise("com.example/clock")],
    )
    walk = Walk(client)
    stage = "connect"
    try:
        with anyio.fail_after(TOTAL_SECONDS):
            async with client:
                walk.report("connect", True, await connected_facts(client, era))
                stage = "walk"
                await walk.all()
                stage = "close"
            walk.report("close", True)
    except Exception as error:
        walk.report(stage, False, error_facts(error))
    return walk.ok


def parse(arguments: list[str]) -> StdioServerParameters | str:
    match arguments:
        case ["stdio", command, *rest]:
            return StdioServerParameters(command=command, args=rest)
        case ["http", url]:
            return url
    sys.exit("usage: client.py stdio COMMAND [ARGUMENT…] | http URL")


def main() -> None:
    era = os.environ.get("PEER_ERA") or "auto"
    if era not in MODES:
        sys.exit(f"PEER_ERA is {era}, expected legacy, modern or auto")
    warnings.simplefilter("ignore")
    server = parse(sys.argv[1:])
    sys.exit(0 if anyio.run(run, server, era) else 1)


if __name__ == "__main__":
    main()
