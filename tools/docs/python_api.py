# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python module, from its sources: signatures, fields and docstrings."""
import ast
import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python/trainjobc"
# Heading and source of each part; what is in __all__, or of the first part in the package's, in this order.
PARTS = [
    ("trainjobc", ["_api.py", "_errors.py", "_results.py"]),
    ("trainjobc.kubeflow", ["kubeflow.py"]),
    ("trainjobc.testing", ["testing.py"]),
]
# Python's notation for links between names.
ROLE = re.compile(r":\w+:`([\w.]+)`")
SECTION = re.compile(r"^(Args|Raises|Returns):$", re.M)


def prose(text):
    return ROLE.sub(r"`\1`", text).replace("``", "`")


def sections(docstring):
    """The text, then each section's items as [name, words]."""
    parts = SECTION.split(docstring)
    yield "", parts[0]
    for title, body in zip(parts[1::2], parts[2::2]):
        items = re.split(r"^    (?=\S)", body.strip("\n"), flags=re.M)[1:]
        yield title, [item.split(": ", 1) for item in (" ".join(one.split()) for one in items)]


def described(docstring):
    text = ""
    for title, body in sections(docstring):
        if not title:
            code = re.sub(r"(?:^    .*\n?)+", lambda found: f"```python\n{dedented(found.group(0))}```\n", body.strip() + "\n", flags=re.M)
            text += prose(code).strip() + "\n\n"
            continue
        text += f"| {'argument' if title == 'Args' else title.lower()} | |\n|---|---|\n"
        text += "".join(f"| `{name}` | {prose(words)} |\n" for name, words in body) + "\n"
    return text


def dedented(code):
    return re.sub(r"^    ", "", code, flags=re.M)


def signature(function):
    bare = ast.parse(ast.unparse(function)).body[0]
    bare.body, bare.decorator_list = [ast.Expr(ast.Constant(...))], []
    line = re.sub(r"(: [^,=()]+)=", r"\1 = ", ast.unparse(bare).replace("\n    ...", "").removesuffix(":"))
    if len(line) <= 100:
        return line
    start, _, rest = line.partition("(")
    arguments, _, result = rest.rpartition(")")
    parts = re.split(r", (?![^\[]*\])", arguments)
    return f"{start}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def fields(node):
    """The fields and properties of a class: their declaration and description."""
    body = node.body
    for at, part in enumerate(body):
        after = body[at + 1] if at + 1 < len(body) else None
        is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
        if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
            yield f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}", after.value.value if is_text else ""
        elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            words = ast.get_docstring(part) or ""
            is_property = any(ast.unparse(one) == "property" for one in part.decorator_list)
            result = ast.unparse(part.returns)
            yield f"{part.name}{'' if is_property else '()'}: {result}", words


def member(node):
    text = f"### {node.name}\n\n"
    words = ast.get_docstring(node) or ""
    if isinstance(node, ast.FunctionDef):
        return text + f"```python\n{signature(node)}\n```\n\n" + described(words)
    bases = ", ".join(ast.unparse(base) for base in node.bases if ast.unparse(base) != "Value")
    an = "An" if bases[:1] in "AEIOU" else "A"
    text += f"{f'{an} `{bases}`. ' if bases else ''}{described(words)}"
    rows = [f"| `{declared.replace('|', chr(92) + '|')}` | {prose(' '.join(said.split()))} |\n" for declared, said in fields(node)]
    return text + ("| | |\n|---|---|\n" + "".join(rows) + "\n" if rows else "")


def exported(path):
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return []


def reference():
    text = ""
    for module, sources in PARTS:
        names = exported(PACKAGE / ("__init__.py" if len(sources) > 1 else sources[0]))
        trees = [ast.parse((PACKAGE / source).read_text()) for source in sources]
        text += f"## {module}\n\n"
        if len(sources) == 1:
            text += described(ast.get_docstring(trees[0]))
        for tree in trees:
            for node in tree.body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names:
                    text += member(node)
    return text.strip()
