"""An agent host on the official Python SDK: what `fourfold mcp` promises, seen from the other end.

    python host.py PROGRAM ROOT MODE STORY

MODE is `legacy` (with the handshake) or `auto` (the newest protocol that both know). STORY is one of
the functions below. It ends with 0 when all is as promised.
"""

import asyncio
import os
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

PROGRAM, ROOT, MODE, STORY = sys.argv[1:5]


def host(*options, **more):
    params = StdioServerParameters(command=PROGRAM, args=["mcp", *options], cwd=ROOT, env=dict(os.environ))
    return Client(params, mode=MODE, cache=None, **more)


def text(result):
    return "".join(block.text for block in result.content)


async def refused(client, tool, arguments):
    """The sentence of a call that has to be refused."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, f"{tool} {arguments} was done: {text(result)}"
    return text(result)


def holds(whole, *parts):
    for part in parts:
        assert part in whole, f"`{part}` is not in: {whole}"


# Each tool once. A tool that is not here has its own tests.
CALLS = {
    "ast_grep": {"pattern": "add($A, $B)"},
    "search_code": {"query": "add"},
    "code_symbol": {"symbol": "add"},
    "code_callers": {"symbol": "add"},
    "code_callees": {"symbol": "total"},
    "code_impact": {"symbol": ["add"]},
    "code_map": {},
    "code_graph": {"action": "status"},
    "ast_explain": {"pattern": "add($A)"},
    "staged": {},
    "write": {"path": "new.py", "content": "x = 1\n"},
    "edit": {"path": "new.py", "old_text": "x = 1", "new_text": "x = 2"},
    "apply_patch": {"patch": "*** Begin Patch\n*** Delete File: new.py\n*** End Patch\n"},
    "lsp": {"action": "status"},
    "check": {},
}


async def tools():
    """List, and each tool once: the SDK checks what is answered against the output schema."""
    async with host() as client:
        if MODE == "auto":
            assert client.protocol_version >= "2026-07-28", client.protocol_version
        assert client.server_info.name == "fourfold"
        listed = (await client.list_tools()).tools
        names = [tool.name for tool in listed]
        for tool in listed:
            assert tool.description and tool.title and tool.output_schema, tool.name
            assert tool.annotations.read_only_hint is not None, tool.name
            assert "conversation" in tool.input_schema["properties"], tool.name
        for name, arguments in CALLS.items():
            if name not in names:
                continue
            result = await client.call_tool(name, arguments)
            assert not result.is_error, f"{name}: {text(result)}"
            assert text(result) and result.structured_content is not None, name
            assert result.meta["fourfold/conversation"].startswith("mcp-"), name
        edit = {"pattern": "add($A, $B)", "template": "plus($A, $B)"}
        staged = await client.call_tool("ast_edit", edit)
        stage = staged.structured_content["stage"]
        assert open(f"{ROOT}/shop.py").read().count("add(") == 4
        resources = (await client.list_resources()).resources
        uri = next(one.uri for one in resources if str(one.uri).endswith(stage))
        diff = (await client.read_resource(uri)).contents[0].text
        holds(diff, "-    return add(a, add(b, c))", "+    return plus(a, plus(b, c))")
        status = next(one.uri for one in resources if str(one.uri).endswith("/status"))
        holds((await client.read_resource(status)).contents[0].text, "checkout: ", stage)
        applied = await client.call_tool("resolve", {"id": stage, "action": "apply"})
        assert not applied.is_error, text(applied)
        assert open(f"{ROOT}/shop.py").read().count("plus(") == 3
        print(len(names), "tools")


async def wrong():
    """What is wrong names the field and what is allowed, and nothing is changed."""
    async with host() as client:
        try:
            await client.call_tool("ast_gerp", {})
            raise AssertionError("there is no such tool")
        except MCPError as error:
            holds(str(error), "ast_gerp", "ast_grep")
        holds(await refused(client, "ast_grep", {"pattern": ["a", 1]}), "`pattern` is a text")
        holds(await refused(client, "ast_grep", {"patern": "f()"}), "`patern`", "`pattern`")
        holds(await refused(client, "resolve", {"id": "s-2222"}), "`action` is missing")
        holds(await refused(client, "resolve", {"id": "s-2222", "action": "no"}), "apply, discard")
        holds(await refused(client, "ast_grep", {"pattern": "f()", "limit": -1}), "`limit`", "from 0 up")
        holds(await refused(client, "code_symbol", {"symbol": "add", "conversation": 7}), "`conversation` is a text")
        huge = "x" * (1 << 20)
        assert len(await refused(client, "code_symbol", {"symbol": "add", "conversation": huge})) < 400
        assert len(await refused(client, "ast_grep", {"pattern": "f()", huge: 1})) < 2000
        for path in ["../out.py", "/etc/passwd", "a/../../out.py", "link/out.py", "/proc/self/environ"]:
            sentence = await refused(client, "write", {"path": path, "content": "x"})
            holds(sentence, path)
        assert not os.path.exists(f"{ROOT}/../out.py")
        missing = {"path": "shop.py", "old_text": "def ad(a, b):", "new_text": "x"}
        holds(await refused(client, "edit", missing), "shop.py", "def add(a, b):")
        stale = {"path": "shop.py", "content": "x", "expected_hash": "0" * 64}
        holds(await refused(client, "write", stale), "was not changed")
        assert open(f"{ROOT}/shop.py").read().count("add(") == 4
        try:
            await client.read_resource("fourfold://elsewhere/status")
            raise AssertionError("there is no such resource")
        except MCPError as error:
            holds(str(error), "elsewhere", "/status")


async def handles():
    """Stages belong to conversations, which are named by handles."""
    edit = {"pattern": "add($A, $B)", "template": "plus($A, $B)"}
    async with host() as client:
        await client.call_tool("ast_edit", {**edit, "conversation": "a"})

        async def stages(**more):
            return len((await client.call_tool("staged", more)).structured_content["stages"])

        assert await stages(conversation="a") == 1
        assert await stages(conversation="b") == 0
        assert await stages() == 0
        await client.call_tool("ast_edit", edit)
        assert await stages() == 1
    async with host() as client:
        assert (await client.call_tool("staged", {})).structured_content["stages"] == []


async def options():
    """What a host may leave out is left out, and refused."""
    async with host("--read-only") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert not {"write", "edit", "apply_patch", "ast_edit", "resolve"} & set(names), names
        try:
            await client.call_tool("write", {"path": "a.py", "content": ""})
            raise AssertionError("it was opened for reading only")
        except MCPError as error:
            holds(str(error), "not offered here", "ast_grep")
    async with host("--tools", "ast_grep,code_symbol") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert sorted(names) == ["ast_grep", "code_symbol"], names
    async with host("--root", ROOT, "--root", f"{ROOT}/inner") as client:
        found = {}
        for root in [os.path.basename(ROOT), "inner"]:
            call = {"pattern": "inner_only($X)", "root": root}
            found[root] = (await client.call_tool("ast_grep", call)).structured_content["summary"]["matches"]
        assert list(found.values()) == [1, 1], found
        call = {"pattern": "add($X, $Y)", "root": "inner"}
        assert (await client.call_tool("ast_grep", call)).structured_content["summary"]["matches"] == 0
        holds(await refused(client, "ast_grep", {"pattern": "f()", "root": "x"}), "`root` is one of", "inner")


async def progress():
    """Long work tells how far it is, and always further."""
    seen = []

    async def far(done, total, message):
        seen.append((done, total))

    async with host() as client:
        result = await client.call_tool("ast_grep", {"pattern": "f($X)", "count_only": True}, progress_callback=far)
        assert not result.is_error, text(result)
        # The last word may come after the answer.
        while not seen or seen[-1][0] < seen[-1][1]:
            await asyncio.sleep(0.01)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen}), seen
    print(len(seen), "times told, the last", seen[-1])


async def cancel():
    """A call that is cancelled in the middle leaves nothing behind, and the server goes on."""
    began = asyncio.Event()

    async def far(done, total, message):
        began.set()

    edit = {"pattern": "f($X)", "template": "g($X)"}
    async with host() as client:
        call = asyncio.create_task(client.call_tool("ast_edit", edit, progress_callback=far))
        await began.wait()
        assert not call.done(), "it was too quick to be cancelled"
        call.cancel()
        try:
            await call
            raise AssertionError("it was not cancelled")
        except asyncio.CancelledError:
            pass
        # As much work again: what goes on behind would be done by then.
        result = await client.call_tool("ast_grep", {"pattern": "f($X)", "count_only": True})
        assert not result.is_error, text(result)
        staged = (await client.call_tool("staged", {})).structured_content["stages"]
        assert staged == [], staged


async def soak():
    """Many calls of all kinds at once: no error that is not a true one, and steady memory."""
    rounds = int(os.environ.get("FOURFOLD_SOAK", "100"))
    calls = [
        ("ast_grep", {"pattern": "add($A, $B)"}),
        ("search_code", {"query": "add"}),
        ("code_symbol", {"symbol": "add"}),
        ("code_callers", {"symbol": "add"}),
        ("code_map", {"tokens": 200}),
        ("staged", {}),
        ("ast_edit", {"pattern": "add($A, $B)", "template": "plus($A, $B)"}),
        ("write", {"path": f"own{os.getpid()}.py", "content": "x = 1\n"}),
        ("edit", {"path": f"own{os.getpid()}.py", "old_text": "x = 1", "new_text": "x = 2"}),
        ("resolve", None),
    ]
    async with host() as client:

        async def turn(number):
            stage = None
            for tool, arguments in calls:
                if tool == "resolve":
                    arguments = {"id": stage, "action": "discard"}
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, f"{tool}: {text(result)}"
                if tool == "ast_edit":
                    stage = result.structured_content["stage"]

        def memory():
            pids = [pid for pid in os.listdir("/proc") if pid.isdigit()]
            mine = []
            for pid in pids:
                try:
                    status = open(f"/proc/{pid}/status").read()
                except OSError:
                    continue
                if f"PPid:\t{os.getpid()}\n" in status and "VmRSS:" in status:
                    mine.append(int(status.split("VmRSS:")[1].split()[0]))
            return max(mine)

        for number in range(rounds // 4):
            await turn(number)
        before = memory()
        for number in range(rounds - rounds // 4):
            await turn(number)
        print(rounds * len(calls), "calls;", before, "kB after a quarter,", memory(), "kB at the end")


async def die():
    """The host is killed while a call is worked on."""
    began = asyncio.Event()

    async def far(done, total, message):
        began.set()

    async with host() as client:
        asyncio.create_task(client.call_tool("ast_edit", {"pattern": "f($X)", "template": "g($X)"}, progress_callback=far))
        await began.wait()
        os.kill(os.getpid(), 9)


asyncio.run(globals()[STORY]())
