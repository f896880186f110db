// An agent host on the official TypeScript SDK: what `fourfold mcp` promises, seen from the other end.
//
//     node host.mjs PROGRAM ROOT MODE STORY
//
// MODE is `handshake` (the SDK with the older lifecycle) or `modern` (its successor without one), STORY
// one of the functions at the end. It ends with 0 when all is as promised.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [program, root, mode, story] = process.argv.slice(2);

async function connected() {
  if (mode === "modern") {
    const { Client } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(transport(StdioClientTransport));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "test", version: "1" });
  const spoken = transport(StdioClientTransport);
  let negotiated;
  spoken.setProtocolVersion = (version) => (negotiated = version);
  await client.connect(spoken);
  assert.equal(negotiated, "2025-11-25");
  return client;
}

function transport(Transport) {
  return new Transport({ command: program, args: ["mcp"], cwd: root, env: { ...process.env } });
}

// A call that is followed or cancelled; only the older SDK takes the schema of the result as well.
function called(client, name, args, options) {
  const params = { name, arguments: args };
  return mode === "modern"
    ? client.callTool(params, options)
    : client.callTool(params, undefined, options);
}

function text(result) {
  return result.content.map((block) => block.text).join("");
}

// The sentence of a call that has to be refused.
async function refused(client, name, args) {
  const result = await called(client, name, args);
  assert.ok(result.isError, `${name} was done: ${text(result)}`);
  return text(result);
}

// Each tool once; `ast_edit` and `resolve` come after them.
const calls = {
  ast_grep: { pattern: "add($A, $B)" },
  search_code: { query: "add" },
  code_symbol: { symbol: "add" },
  code_callers: { symbol: "add" },
  code_callees: { symbol: "total" },
  code_impact: { symbol: ["add"] },
  code_map: {},
  code_graph: { action: "status" },
  ast_explain: { pattern: "add($A)" },
  staged: {},
  write: { path: "new.py", content: "x = 1\n" },
  edit: { path: "new.py", old_text: "x = 1", new_text: "x = 2" },
  apply_patch: { patch: "*** Begin Patch\n*** Delete File: new.py\n*** End Patch\n" },
};

// They need other programs and have a story of their own.
const others = ["lsp", "check", "debug"];

// List, and each tool once.
async function tools(client) {
  const { tools } = await client.listTools();
  for (const tool of tools) {
    assert.ok(tool.outputSchema && tool.annotations, tool.name);
  }
  const offered = tools.map((tool) => tool.name).filter((name) => !others.includes(name));
  assert.deepEqual(offered.sort(), [...Object.keys(calls), "ast_edit", "resolve"].sort());
  for (const [name, args] of Object.entries(calls)) {
    // The SDK checks what is answered against the output schema.
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    assert.ok(result.structuredContent, name);
  }

  const edit = { pattern: "add($A, $B)", template: "plus($A, $B)" };
  const staged = await client.callTool({ name: "ast_edit", arguments: edit });
  const id = staged.structuredContent.stage;
  const { resources } = await client.listResources();
  const { uri } = resources.find((one) => one.uri.endsWith(id));
  const { contents } = await client.readResource({ uri });
  assert.match(contents[0].text, /\+    return plus\(a, plus\(b, c\)\)/);

  const outside = { path: "../out.py", content: "x" };
  const refused = await client.callTool({ name: "write", arguments: outside });
  assert.ok(refused.isError && refused.content[0].text.includes("../out.py"));
  await assert.rejects(async () => {
    const absent = await client.callTool({ name: "ast_gerp", arguments: {} });
    if (absent.isError) throw new Error(absent.content[0].text);
  }, /ast_gerp/);

  const apply = { id, action: "apply" };
  const applied = await client.callTool({ name: "resolve", arguments: apply });
  assert.ok(!applied.isError, JSON.stringify(applied.content));
  assert.equal(readFileSync(`${root}/shop.py`, "utf8").split("plus(").length - 1, 3);
  console.log(tools.length, "tools");
}

// The tools that ask other programs: servers and a debugger that are really there.
async function real(client) {
  const offered = (await client.listTools()).tools.map((tool) => tool.name);
  for (const name of ["lsp", "check", "debug"]) assert.ok(offered.includes(name), name);

  async function done(name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${text(result)}`);
    return { text: text(result), value: result.structuredContent };
  }

  const place = { file: "shop.py", line: 6, symbol: "add#1" };
  const asked = await done("lsp", { action: "definition", ...place });
  assert.match(asked.text, /shop\.py:1/);
  const { text: hover } = await done("lsp", { action: "hover", ...place });
  assert.match(hover, /add/);

  // Somebody else writes: what is new is told, once.
  await done("check", { paths: ["shop.py"], before: true });
  const source = readFileSync(`${root}/shop.py`, "utf8");
  writeFileSync(`${root}/shop.py`, `${source}\n\ntotal(1, 2)\n`);
  const checked = await done("check", { paths: ["shop.py"] });
  assert.equal(checked.value.verdict.state, "problems", checked.text);
  assert.match(checked.text, /shop\.py:13/);
  const written = await done("write", { path: "shop.py", content: source });
  assert.equal(written.value.verdict.state, "clean", written.text);

  const question = { program: "run.py", at: "shop.py:6", evaluate: ["a + b + c"] };
  const { value } = await done("debug", { action: "ask", ...question });
  assert.equal(value.hits[0].at, "shop.py:6");
  assert.equal(value.hits[0].answers[0].values[0].text, "6");

  // A breakpoint may be a text.
  const launched = await done("debug", {
    action: "launch",
    program: "run.py",
    breakpoints: ["shop.py:6"],
  });
  assert.match(launched.text, /shop\.py:6/);
  await done("debug", { action: "terminate" });
}

// What is wrong names the field and what is allowed, and nothing is changed.
async function wrong(client) {
  const find = { pattern: "f()" };
  const symbol = { symbol: "add" };
  const huge = "x".repeat(1 << 20);
  assert.match(await refused(client, "ast_grep", { pattern: ["a", 1] }), /`pattern` is a text/);
  assert.match(await refused(client, "ast_grep", { patern: "f()" }), /`patern`.*`pattern`/);
  assert.match(await refused(client, "ast_grep", { ...find, limit: -1 }), /`limit`.*from 0 up/);
  assert.match(await refused(client, "resolve", { id: "s-2222" }), /`action` is missing/);
  assert.match(await refused(client, "resolve", { id: "s-2222", action: "no" }), /apply, discard/);
  const numbered = { ...symbol, conversation: 7 };
  assert.match(await refused(client, "code_symbol", numbered), /`conversation` is a text/);
  const long = { ...symbol, conversation: huge };
  assert.ok((await refused(client, "code_symbol", long)).length < 400);
  assert.ok((await refused(client, "ast_grep", { ...find, [huge]: 1 })).length < 2000);
  const places = ["../out.py", "/etc/passwd", "a/../../out.py", "link/out.py", "/proc/self/environ"];
  for (const path of places) {
    const why = await refused(client, "write", { path, content: "x" });
    assert.ok(why.includes(path), why);
  }
  assert.ok(!existsSync(`${root}/../out.py`));
  assert.equal(readFileSync(`${root}/shop.py`, "utf8").split("add(").length - 1, 4);
}

// Long work tells how far it is, and always further.
async function progress(client) {
  const seen = [];
  const onprogress = ({ progress }) => seen.push(progress);
  const find = { pattern: "f($X)", count_only: true };
  const result = await called(client, "ast_grep", find, { onprogress });
  assert.ok(!result.isError, text(result));
  const further = [...new Set(seen)].sort((a, b) => a - b);
  assert.ok(seen.length > 0 && seen.at(-1) <= 400);
  assert.deepEqual(seen, further);
}

const edit = { pattern: "f($X)", template: "g($X)" };

// A call that is cancelled in the middle leaves nothing behind, and the server goes on.
async function cancel(client) {
  const stop = new AbortController();
  const onprogress = () => stop.abort(new Error("enough"));
  const options = { signal: stop.signal, onprogress };
  await assert.rejects(called(client, "ast_edit", edit, options), /enough/);
  // As much work again: what goes on behind would be done by then.
  const find = { pattern: "f($X)", count_only: true };
  const result = await called(client, "ast_grep", find);
  assert.ok(!result.isError, text(result));
  const staged = await called(client, "staged", {});
  assert.deepEqual(staged.structuredContent.stages, []);
}

// The host is killed while a call is worked on.
async function die(client) {
  const onprogress = () => process.kill(process.pid, "SIGKILL");
  await called(client, "ast_edit", edit, { onprogress });
}

// Who listens is told when other tools can work than before.
async function listen(client) {
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  assert.ok(!(await names()).includes("lsp"));
  const { ToolListChangedNotificationSchema: schema } = await import(
    "@modelcontextprotocol/sdk/types.js"
  );
  let subscription;
  const changed = new Promise((resolve) => {
    if (mode === "modern") {
      client.setNotificationHandler("notifications/tools/list_changed", resolve);
      subscription = client.listen({ toolsListChanged: true });
      return;
    }
    client.setNotificationHandler(schema, resolve);
  });
  const listening = await subscription;
  if (mode === "modern") assert.ok(listening.honoredFilter.toolsListChanged);
  for (const [path, content] of [["a.go", "package a\n"], ["go.mod", "module a\n"]]) {
    const written = await called(client, "write", { path, content });
    assert.ok(!written.isError, text(written));
  }
  await changed;
  assert.ok((await names()).includes("lsp"));
  await listening?.close();
}

const client = await connected();
await { tools, real, wrong, progress, cancel, die, listen }[story](client);
await client.close();
