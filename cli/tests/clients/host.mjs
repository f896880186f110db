// An agent host on the official TypeScript SDK: what `fourfold mcp` promises, seen from the other end.
//
//     node host.mjs PROGRAM ROOT MODE STORY
//
// MODE is `handshake` (the SDK with the older lifecycle) or `modern` (its successor without one), STORY
// one of the functions at the end. It ends with 0 when all is as promised.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

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
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport(StdioClientTransport));
  return client;
}

function transport(Transport) {
  return new Transport({ command: program, args: ["mcp"], cwd: root, env: { ...process.env } });
}

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
  lsp: { action: "status" },
  check: {},
};

// List, and each tool once.
async function tools(client) {
  const { tools } = await client.listTools();
  for (const tool of tools) {
    assert.ok(tool.outputSchema && tool.annotations, tool.name);
  }
  for (const [name, args] of Object.entries(calls)) {
    if (!tools.some((tool) => tool.name === name)) continue;
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
    const text = result.content.map((block) => block.text).join("");
    assert.ok(!result.isError, `${name}: ${text}`);
    return { text, value: result.structuredContent };
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

const client = await connected();
await { tools, real }[story](client);
await client.close();
