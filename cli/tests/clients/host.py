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


# Each tool once; `ast_edit` and `resolve` come after them.
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
}

# They need other programs and have stories of their own.
OTHERS = {"lsp", "check", "debug"}


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
        assert set(names) - OTHERS == {*CALLS, "ast_edit", "resolve"}, names
        for name, arguments in CALLS.items():
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
            holds(sentence, path, "outside")
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
    # A folder in a checkout is that checkout, also when it is named twice.
    async with host("--root", f"{ROOT}/deep/down", "--root", ROOT) as client:
        call = {"pattern": "add($X, $Y)"}
        assert (await client.call_tool("ast_grep", call)).structured_content["summary"]["matches"] == 3
        tool = (await client.list_tools()).tools[0]
        assert "root" not in tool.input_schema["properties"], tool
    async with host("--root", ROOT, "--root", f"{ROOT}/inner") as client:
        # An absolute path tells which one is meant.
        edit = {"path": f"{os.path.realpath(ROOT)}/inner/i.py", "old_text": "(1)", "new_text": "(2)"}
        done = await client.call_tool("edit", edit)
        assert not done.is_error and done.structured_content["files"][0]["path"] == "i.py", text(done)
        holds(await refused(client, "edit", {**edit, "root": os.path.basename(ROOT)}), "lies in the checkout inner")
        holds(await refused(client, "ast_grep", {"pattern": "f()", "root": "iner"}), "the nearest is `inner`")
        found = {}
        for root in [os.path.basename(ROOT), "inner"]:
            call = {"pattern": "inner_only($X)", "root": root}
            found[root] = (await client.call_tool("ast_grep", call)).structured_content["summary"]["matches"]
        assert list(found.values()) == [1, 1], found
        call = {"pattern": "add($X, $Y)", "root": "inner"}
        assert (await client.call_tool("ast_grep", call)).structured_content["summary"]["matches"] == 0
        holds(await refused(client, "ast_grep", {"pattern": "f()", "root": "x"}), "`root` is one of", "inner")


async def listen():
    """Who listens is told when other tools can work than before."""
    async with host() as client:

        async def names():
            return [tool.name for tool in (await client.list_tools()).tools]

        assert "lsp" not in await names()
        async with client.listen(tools_list_changed=True) as events:
            assert events.honored.tools_list_changed, events.honored
            for path, content in [("a.go", "package a\n"), ("go.mod", "module a\n")]:
                written = await client.call_tool("write", {"path": path, "content": content})
                assert not written.is_error, text(written)
            async for _ in events:
                break
        assert "lsp" in await names()


async def progress():
    """Long work tells how far it is, and always further."""
    seen = []
    # The last word may come after the answer.
    whole = asyncio.Event()

    async def far(done, total, message):
        seen.append((done, total))
        if done == total:
            whole.set()

    async with host() as client:
        result = await client.call_tool("ast_grep", {"pattern": "f($X)", "count_only": True}, progress_callback=far)
        assert not result.is_error, text(result)
        await whole.wait()
    assert [done for done, _ in seen] == sorted({done for done, _ in seen}), seen
    print(len(seen), "times told, the last", seen[-1])


async def progress_of_an_index():
    """The first question to the code graph tells how far its making is."""
    seen = []
    whole = asyncio.Event()

    async def far(done, total, message):
        seen.append(done)
        if done == total:
            whole.set()

    async with host() as client:
        result = await client.call_tool("code_map", {"tokens": 500}, progress_callback=far)
        assert not result.is_error, text(result)
        await whole.wait()
    assert seen == sorted(set(seen)) and seen[-1] >= 400, seen


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


async def real():
    """The tools that ask other programs: servers and a debugger that are really there."""
    async with host() as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"lsp", "check", "debug"} <= set(names), names

        async def done(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, f"{tool} {arguments}: {text(result)}"
            return result

        asked = await done("lsp", action="definition", file="shop.py", line=6, symbol="add#1")
        holds(text(asked), "shop.py:1")
        # Somebody else writes: what is new is told, once.
        await done("check", paths=["shop.py"], before=True)
        source = open(f"{ROOT}/shop.py").read()
        with open(f"{ROOT}/shop.py", "w") as shop:
            shop.write(source + "\n\ntotal(1, 2)\n")
        checked = await done("check", paths=["shop.py"])
        verdict = checked.structured_content["verdict"]
        assert verdict["state"] == "problems", text(checked)
        holds(text(checked), "shop.py:13", '"c"')
        written = await done("write", path="shop.py", content=source)
        verdict = written.structured_content["verdict"]
        assert verdict["state"] == "clean" and len(verdict["fixed"]) == 1, text(written)

        question = {"program": "run.py", "at": "shop.py:6", "evaluate": ["a + b + c", "nobody"]}
        asked = await done("debug", action="ask", **question)
        hit = asked.structured_content["hits"][0]
        assert hit["at"] == "shop.py:6", hit
        assert hit["answers"][0]["values"][0]["text"] == "6", hit
        holds(text(asked), "a + b + c = 6", "nobody")

        # What it has printed by the stop is there to read, for as long as there is a session.
        async def output():
            resources = (await client.list_resources()).resources
            return [str(one.uri) for one in resources if str(one.uri).endswith("/debug/output")]

        assert await output() == []
        await done("debug", action="launch", program="run.py", breakpoints=[{"at": "shop.py:6"}])
        (uri,) = await output()
        holds((await client.read_resource(uri)).contents[0].text, "hello from the shop")
        await done("debug", action="terminate")
        assert await output() == []


async def whole_project():
    """Each tool once on a project that others have written: idna, which encodes names of hosts."""
    source = open(f"{ROOT}/idna/core.py").read()
    lines = source.splitlines()
    # The first thing that `check_label` does with a label.
    within = next(number for number, line in enumerate(lines, 1) if "check_nfc(label)" in line)
    async with host() as client:

        async def done(tool, *parts, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, f"{tool} {arguments}: {text(result)}"
            holds(text(result), *parts)
            return result

        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {*CALLS, *OTHERS, "ast_edit", "resolve"}, listed
        found = await done("ast_grep", "idna/core.py", pattern="raise IDNAError($$$)")
        raised = sum("raise IDNAError(" in line for line in lines)
        assert found.structured_content["summary"]["matches"] >= raised > 5, text(found)
        await done("ast_explain", "call", pattern="check_label($LABEL)", language="python")
        await done("search_code", "check_label", query="check label")
        await done("code_symbol", "def check_label", symbol="check_label")
        await done("code_callers", "check_label", symbol="check_nfc")
        await done("code_callees", "check_nfc", symbol="check_label")
        await done("code_impact", "alabel", symbol=["check_nfc"])
        await done("code_map", "idna/core.py", tokens=2000)
        await done("code_graph", "IDNABidiError", action="hierarchy", symbol="IDNAError")
        where = {"file": "idna/core.py", "line": within, "symbol": "check_nfc"}
        await done("lsp", "idna/core.py", action="definition", **where)

        edit = {"path": "idna/core.py", "old_text": "def check_nfc(label", "new_text": "def check_nfd(label"}
        broken = await done("edit", f"idna/core.py:{within}", "check_nfc", **edit)
        assert broken.structured_content["verdict"]["state"] == "problems", text(broken)
        patch = "*** Begin Patch\n*** Update File: idna/core.py\n@@\n-def check_nfd(label"
        rest = next(line for line in lines if line.startswith("def check_nfc(label"))[len("def check_nfc(label"):]
        patch += f"{rest}\n+def check_nfc(label{rest}\n*** End Patch\n"
        mended = await done("apply_patch", patch=patch)
        verdict = mended.structured_content["verdict"]
        assert verdict["state"] == "clean" and verdict["fixed"], text(mended)
        assert open(f"{ROOT}/idna/core.py").read() == source
        await done("check")

        staged = await done("ast_edit", pattern="check_nfc($L)", template="check_nfc(str($L))")
        stage = staged.structured_content["stage"]
        await done("staged", stage)
        await done("resolve", id=stage, action="apply")
        holds(open(f"{ROOT}/idna/core.py").read(), "check_nfc(str(label))")
        written = await done("write", path="idna/core.py", content=source)
        assert written.structured_content["verdict"]["state"] == "clean", text(written)

        question = {"program": "run.py", "at": f"idna/core.py:{within}", "evaluate": ["label"]}
        asked = await done("debug", action="ask", **question)
        values = asked.structured_content["hits"][0]["answers"][0]["values"]
        holds(values[0]["text"], "bücher")


async def no_execute():
    """Without the leave to execute there is no debugger, and calling it by name changes nothing."""
    async with host() as client:
        assert "debug" in [tool.name for tool in (await client.list_tools()).tools]
    async with host("--no-execute") as client:
        listed = (await client.list_tools()).tools
        assert "debug" not in [tool.name for tool in listed], listed
        assert "ast_grep" in [tool.name for tool in listed], listed
        try:
            await client.call_tool("debug", {"action": "ask", "program": "run.py", "at": "shop.py:6"})
            raise AssertionError("it was started without the leave to execute")
        except MCPError as error:
            holds(str(error), "`debug` is not offered here", "ast_grep")


class Waiting:
    """A program that says when it has begun, and whose end can be waited for: it holds a pipe open."""

    def __init__(self):
        os.mkfifo(f"{ROOT}/alive")
        with open(f"{ROOT}/wait.py", "w") as program:
            program.write("import time\nalive = open('alive', 'w')\nwhile True:\n    time.sleep(60)\n")

    async def begun(self):
        self.alive = await asyncio.to_thread(open, f"{ROOT}/alive")

    async def ended(self):
        assert await asyncio.to_thread(self.alive.read) == ""


# It never comes to the end of its loop.
FOREVER = {"action": "ask", "program": "wait.py", "at": "wait.py:4", "condition": "False", "wait_s": 600}


async def cancel_debug():
    """A wait for the program that is debugged is cancelled in the middle, and the program ends."""
    waiting = Waiting()
    async with host() as client:
        call = asyncio.create_task(client.call_tool("debug", FOREVER))
        await waiting.begun()
        assert not call.done(), text(call.result())
        call.cancel()
        try:
            await call
            raise AssertionError("it was not cancelled")
        except asyncio.CancelledError:
            pass
        await waiting.ended()
        result = await client.call_tool("ast_grep", {"pattern": "add($A, $B)"})
        assert not result.is_error, text(result)


async def sign_of_life():
    """Of work of which nobody knows how far it is a host is told that it goes on."""
    waiting = Waiting()
    lives = asyncio.Event()

    async def far(done, total, message):
        if message and message.startswith("working for "):
            lives.set()

    async with host() as client:
        call = asyncio.create_task(client.call_tool("debug", FOREVER, progress_callback=far))
        await waiting.begun()
        await lives.wait()
        assert not call.done(), text(call.result())
        call.cancel()
        await waiting.ended()


async def die_serving():
    """The host is killed while a language server runs for it."""
    async with host() as client:
        place = {"action": "hover", "file": "shop.py", "line": 1, "symbol": "add"}
        asked = await client.call_tool("lsp", place)
        assert not asked.is_error, text(asked)
        holds(text(asked), "add")
        status = await client.call_tool("lsp", {"action": "status"})
        states = [one["state"] for one in status.structured_content["servers"]]
        assert "running" in states, states
        os.kill(os.getpid(), 9)


async def die_debugging():
    """The host is killed while it waits for the program that is debugged."""
    waiting = Waiting()
    async with host() as client:
        asyncio.create_task(client.call_tool("debug", FOREVER))
        await waiting.begun()
        os.kill(os.getpid(), 9)


async def soak():
    """Many calls of all kinds from four processes at once: no error, and memory that stays as it is.

    FOURFOLD_SOAK says how many calls at least, FOURFOLD_SOAK_TOO which process does the work beside
    our own. The environment makes the allocator keep nothing for each thread, so that what grows is
    a leak.
    """
    wanted = int(os.environ["FOURFOLD_SOAK"])
    clients = 4

    def calls(own):
        return [
            ("ast_grep", {"pattern": "add($A, $B)"}),
            ("search_code", {"query": "add"}),
            ("code_symbol", {"symbol": "add"}),
            ("code_callers", {"symbol": "add"}),
            ("code_callees", {"symbol": "total"}),
            ("code_impact", {"symbol": ["add"]}),
            ("code_map", {"tokens": 200}),
            ("code_graph", {"action": "status"}),
            ("ast_explain", {"pattern": "add($A)"}),
            ("staged", {}),
            ("ast_edit", {"pattern": "add($A, $B)", "template": "plus($A, $B)"}),
            ("write", {"path": own, "content": "x = 1\n"}),
            ("edit", {"path": own, "old_text": "x = 1", "new_text": "x = 2"}),
            ("apply_patch", {"patch": f"*** Begin Patch\n*** Delete File: {own}\n*** End Patch\n"}),
            ("resolve", None),
        ]

    each = len(calls(""))
    rounds = -(-wanted // (clients * each))

    def memory():
        """Kilobytes of each process that works for us, by its number."""
        too = os.environ.get("FOURFOLD_SOAK_TOO")
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                status = open(f"/proc/{pid}/status").read()
            except OSError:
                continue
            if (f"PPid:\t{os.getpid()}\n" in status or pid == too) and "RssAnon:" in status:
                found[pid] = int(status.split("RssAnon:")[1].split()[0])
        return found

    # Memory is looked at when all have come to the same round.
    together = asyncio.Barrier(clients)
    plot = []

    async def one(number):
        async with host() as client:
            for turn in range(rounds):
                stage = None
                for tool, arguments in calls(f"own{number}.py"):
                    if tool == "resolve":
                        arguments = {"id": stage, "action": "discard"}
                    result = await client.call_tool(tool, arguments)
                    assert not result.is_error, f"{tool}: {text(result)}"
                    if tool == "ast_edit":
                        stage = result.structured_content["stage"]
                if turn % max(1, rounds // 10) == 0 or turn + 1 == rounds:
                    await together.wait()
                    if number == 0:
                        plot.append(((turn + 1) * clients * each, memory()))
                    await together.wait()

    await asyncio.gather(*(one(number) for number in range(clients)))
    for done, used in plot:
        print(done, "calls;", *(f"{kilobytes} kB" for kilobytes in used.values()))
    if rounds >= 100:
        # Warm after the first tenths.
        (_, warm), (_, last) = plot[2], plot[-1]
        grown = {pid: last[pid] - warm[pid] for pid in last if pid in warm}
        assert len(grown) >= clients and max(grown.values()) < 2048, grown


async def die():
    """The host is killed while a call is worked on."""
    began = asyncio.Event()

    async def far(done, total, message):
        began.set()

    async with host() as client:
        asyncio.create_task(client.call_tool("ast_edit", {"pattern": "f($X)", "template": "g($X)"}, progress_callback=far))
        await began.wait()
        os.kill(os.getpid(), 9)


async def told():
    """The story, and at which line it stood still if it does not end."""
    # Before the test runner ends it all without a word. A soak is as long as it is told to be.
    async with asyncio.timeout(None if STORY == "soak" else 300):
        await globals()[STORY]()


asyncio.run(told())
