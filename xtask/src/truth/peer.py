"""Prints the edges in the SQLite store of codegraph, one JSON object a line."""

import json
import sqlite3
import sys

KINDS = {
    "calls": "call",
    "decorates": "call",
    "instantiates": "new",
    "references": "reference",
    "extends": "extends",
    "implements": "implements",
    "imports": "imports",
}
QUERY = """
select e.kind, json_extract(e.metadata, '$.resolvedBy'), json_extract(e.metadata, '$.confidence'),
       e.provenance, s.kind, s.file_path, s.start_line, s.name,
       t.kind, t.file_path, t.start_line, t.name
from edges e join nodes s on s.id = e.source join nodes t on t.id = e.target
"""


def end(kind, file, line, name):
    is_file = kind == "file"
    return {"file": file, "line": 0 if is_file else line, "name": "" if is_file else name}


store = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
for row in store.execute(QUERY):
    kind, by, confidence, provenance, *ends = row
    kind = KINDS.get(kind)
    caller, callee = end(*ends[:4]), end(*ends[4:])
    if kind is None:
        continue
    if kind == "imports":
        # From a symbol or a file to a symbol or a file: the files are what is imported.
        caller, callee = (dict(e, line=0, name="") for e in (caller, callee))
        if caller["file"] == callee["file"]:
            continue
    elif ends[4] in ("file", "import", "route"):
        continue
    tier = "%s/%s" % (provenance or by, confidence)
    print(json.dumps({"caller": caller, "callee": callee, "kind": kind, "tier": tier}))
