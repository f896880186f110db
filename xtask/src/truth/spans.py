"""Where the functions and classes of Python files begin and end, and what the files import.

Called with a folder; reads the paths of files below it, one a line, and answers each with one line
of JSON: `spans` [name, line, first, last, is_class] in the order of a walk by breadth; `groups` of
functions that follow each other in one block, as places in that list; `imports` [dots, module,
names or null, line, last line]. Lines count from zero. A file with a syntax error is answered with null.
"""

import ast
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
root = sys.argv[1]
for path in sys.stdin.read().splitlines():
    try:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        print("null")
        continue
    spans, places, groups, imports = [], {}, [], []
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            places[node] = len(spans)
            is_class = isinstance(node, ast.ClassDef)
            spans.append([node.name, node.lineno - 1, first - 1, node.end_lineno - 1, is_class])
        elif isinstance(node, ast.Import):
            lines = [node.lineno - 1, node.end_lineno - 1]
            imports.extend([0, alias.name, None] + lines for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            lines = [node.lineno - 1, node.end_lineno - 1]
            imports.append([node.level, node.module or "", names] + lines)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "handlers", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                group = [places[n] for n in block if isinstance(n, FUNCTIONS)]
                if len(group) > 1:
                    groups.append(group)
    print(json.dumps({"spans": spans, "groups": groups, "imports": imports}))
