// An agent host on the official TypeScript SDK: what `fourfold mcp` promises, seen from the other end.
//
//     node host.mjs PROGRAM ROOT STORY
//
// STORY is `handshake` (the SDK with the older lifecycle) or `modern` (its successor without one). It
// ends with 0 when all is as promised.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [program, root, story] = process.argv.slice(2);

async function connected() {
  if (story === "modern") {
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

const client = await connected();
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
await client.close();
console.log(tools.length, "tools");
