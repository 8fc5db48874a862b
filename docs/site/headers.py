"""A public header as a page of the reference: its comments in order, as reStructuredText.

A header is a row of sections (`/* ---- name ---- */`), comments, and declarations. A comment that
ends on the line above a declaration belongs to it and to those that follow without an empty line.
What begins with LW__ or lw__ is not for users, and is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

HIDDEN = re.compile(r"LW__|lw__|LANEWISE_|"
                    r"(LW_API|LW_CHECKED|LW_OP|INFINITY|NAN|mem(cpy|move|set))$")
NOISE = re.compile(r"\s*#\s*(if|ifdef|ifndef|else|endif|include|undef|error|pragma)\b|"
                   r'extern "C" \{|\}$|TENSOR_TYPE\(|(LW__\w+\([^()]*,[^()]*\)\s*)+$')
OPERATIONS = '#include "warp_ops.def"'
# What a comment says in a paragraph of its own, as docs/style.md has it, or of a parameter.
FIELD = re.compile(r"(?:(errors|owns|thread|shapes|units|numeric|source)\s+|"
                   r"([a-z]\w*)\s{2,})(?=\S)")


OPERATIONS_NOTE = """What threads of a warp or a block do together. T is a type of numbers;
docs/kernel-language.md says for each operation which, and what it gives."""


@dataclass
class Declaration:
    kind: str  # "function", "macro" or "type"
    name: str
    text: str  # as the C domain of Sphinx takes it
    code: str = ""  # a definition, to be shown as it is
    note: str = ""  # the comment behind it


@dataclass
class Entry:
    comment: str = ""
    declarations: list[Declaration] = field(default_factory=list)
    section: str = ""


# ---- reading -------------------------------------------------------------------------------------


def uncomment(lines: list[str]) -> str:
    """The text of a comment, its lines without the stars."""
    text = "\n".join(lines).strip()
    text = re.sub(r"^/\*|\*/$", "", text)
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")).strip()


def bare(line: str) -> str:
    """Without comments that end on the line."""
    return re.sub(r"/\*.*?\*/", "", line).rstrip()


def depth(line: str) -> int:
    line = re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/', "", line)
    return sum(line.count(c) for c in "({") - sum(line.count(c) for c in ")}")


def chunks(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Comments that begin in the first column, and what stands between them and empty lines."""
    found: list[tuple[str, list[str]]] = []
    at = 0
    while at < len(lines):
        begin = at
        if lines[at].startswith("/*"):
            while "*/" not in lines[at]:
                at += 1
            found.append(("comment", lines[begin:at + 1]))
        elif lines[at] == "{":  # the body of a function
            at = lines.index("}", at)
        elif lines[at].strip() and (lines[at] == OPERATIONS or not NOISE.match(lines[at])):
            level, opened = depth(lines[at]), comments(lines[at])
            while level > 0 or opened > 0 or lines[at].endswith("\\") or \
                    lines[begin].startswith("typedef") and not bare(lines[at]).endswith(";"):
                at += 1
                level += depth(lines[at])
                opened += comments(lines[at])
            found.append(("code", lines[begin:at + 1]))
        elif not lines[at].strip():
            found.append(("empty", []))
        at += 1
    return found


def comments(line: str) -> int:
    """How many comments begin in a line and do not end in it; negative: the other way round."""
    return line.count("/*") - line.count("*/")


def operations(path: Path) -> list[Declaration]:
    """The rows of warp_ops.def, as what a kernel calls."""
    parameters = {"V": "T value", "VI": "T value, int number", "P": "bool p", "N": "void"}
    results = {"SAME": "T", "INT": "int", "U32": "uint32_t", "VOID": "void"}
    made = []
    rows = re.compile(r"^LW_OP\((\w+), *\w+, *\w+, *(\w+), *(\w+),", re.M)
    for row in rows.finditer(path.read_text()):
        name, arguments, result = row.groups()
        if arguments in parameters:
            text = f"{results[result]} {name}({parameters[arguments]})"
            made.append(Declaration("function", name, text))
    return made


def expand(text: str, macros: dict[str, tuple[str, str]]) -> list[str]:
    """Declarations that a macro of the header makes: LW__REDUCTION(lw_sum) LW__REDUCTION(...)."""
    calls = re.findall(r"\b(LW__\w+)\((\w+)\)", text)
    if text.startswith("#") or not calls or not all(name in macros for name, _ in calls):
        return [text]
    notes = re.findall(r"/\*.*?\*/", text)
    made = [re.sub(rf"\b{macros[name][0]}\b", word, macros[name][1]) for name, word in calls]
    return [" ".join(made[:1] + notes)] if len(made) == 1 else made


def plain(text: str) -> str:
    """A declaration without what is the compiler's business alone."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"__asm__\(.*?\)|__attribute__\(\(.*?\)\)(?=\s)|LW__PRINTF\(.*?\)", "", text)
    text = re.sub(r"\b(LW_API|LW_CHECKED|LW__PLACE|static inline)\b", "", text)
    text = re.sub(r"\bLW__CALL\b", "lw_status", text)
    return re.sub(r"\s+", " ", text).strip().rstrip(";").strip()


def declaration(text: str) -> Declaration | None:
    note = " ".join(uncomment([n]) for n in re.findall(r"/\*.*?\*/", text, flags=re.S))
    note = re.sub(r"\s+", " ", note.replace("*", ""))
    macro = re.match(r"#define (\w+)(\([\w, .]*\))?", text)
    if macro:
        name, parameters = macro.groups()
        value = text[macro.end():]
        shown = text if "\\" in text and name.isupper() and "lw__" not in value.lower() else ""
        return Declaration("macro", name, name + (parameters or ""), shown, note)
    if re.match(r"(typedef|enum|struct) ", text):
        names = re.findall(r"\w+", plain(text).split("}")[-1]) or re.findall(r"\w+", text)
        if text.startswith("enum {"):
            return Declaration("enum", "", "", text)
        name = names[-1] if text.startswith("typedef") else text.split()[1]
        of_function = re.search(r"\(\*(\w+)\)|(\w+)\(", text)
        if of_function and "{" not in text:
            name = of_function.group(1) or of_function.group(2)
        opaque = re.fullmatch(r"typedef struct (\w+) \1", plain(text))
        return Declaration("type", name, name, "" if opaque else text, note if opaque else "")
    text = plain(text.split("{")[0] if re.search(r"\)\s*\{", text) else text)
    name = re.search(r"(\w+)\s*\(", text)
    return Declaration("function", name.group(1), text, "", note) if name else None


def read(path: Path) -> tuple[str, list[Entry]]:
    """The comment at the head, and all entries."""
    found = chunks(path.read_text(encoding="utf-8").split("\n"))
    head = uncomment(found[0][1])
    macros: dict[str, tuple[str, str]] = {}
    entries: list[Entry] = []
    entry, section, hidden = Entry(), "", False

    def end() -> None:
        nonlocal entry, hidden
        told = re.match(r"(\w+)\((.*?)\): ", entry.comment)
        if told and hidden and not entry.declarations:
            text = told.group(1) + "(" + told.group(2).replace('"', "") + ")"
            entry.declarations.append(Declaration("macro", told.group(1), text))
            entry.comment = entry.comment[told.end():]
        elif hidden and not entry.declarations:
            entry.comment = ""
        if entry.comment or entry.declarations:
            entries.append(entry)
        entry, hidden = Entry(section=section), False

    for kind, lines in found[1:]:
        text = "\n".join(lines)
        title = re.match(r"/\* -{4} (.*?) -{4,}", text)
        if kind == "empty":
            end()
        elif title:
            end()
            section = title.group(1)
            entry.section = section
            rest = uncomment(lines[1:])
            if rest and "(" not in rest:
                entry.comment = rest
        elif kind == "comment":
            if entry.declarations or entry.comment:
                end()
            entry.comment = uncomment(lines)
        else:
            one = re.match(r"#define (LW__\w+)\((\w+)\)\s*(.*)", text.replace("\\\n", " "), re.S)
            if one:
                macros[one.group(1)] = (one.group(2), one.group(3))
                hidden = True
                continue
            if text == OPERATIONS:
                entry = Entry(OPERATIONS_NOTE, operations(path.parent / "warp_ops.def"), section)
                continue
            for statement in expand(text, macros):
                made = declaration(statement)
                if made and not HIDDEN.match(made.name) and "lw__" not in statement[:20]:
                    if made.name not in [d.name for d in entry.declarations]:
                        entry.declarations.append(made)
                else:
                    hidden = True
    end()
    return head, entries


# ---- writing -------------------------------------------------------------------------------------


class Writer:
    """reStructuredText of headers; it knows the names of all of them, for links."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.shown: set[str] = set()

    def learn(self, entries: list[Entry]) -> None:
        for entry in entries:
            for made in entry.declarations:
                if made.name:
                    self.kinds.setdefault(made.name, made.kind)

    def inline(self, text: str) -> str:
        """Words of C as code, with a link where there is something to link to."""

        def word(match: re.Match[str]) -> str:
            code, name = match.group(1), match.group(2)
            if code is not None:
                return f"\\ ``{code}``\\ " if code.strip() else "\\`\\`"
            kind = self.kinds.get(name.rstrip("()"))
            is_word = name.islower() and "_" not in name  # as `at` or `round` in a sentence
            if kind and kind != "enum" and not is_word:
                role = {"function": "func", "macro": "macro", "type": "type"}[kind]
                return f"\\ :c:{role}:`{name.rstrip('()')}`\\ "
            if re.match(r"(LW_|lw_|LANEWISE_|lw__)", name) or name.endswith("()"):
                return f"\\ ``{name}``\\ "
            return escape(name)

        pieces = re.split(r"(`[^`]+`|\bdocs/[\w-]+\.md|\b[A-Za-z_]\w*(?:\(\))?)", text)
        made = []
        for piece in pieces:
            match = re.fullmatch(r"`([^`]+)`|([A-Za-z_]\w*(?:\(\))?)", piece)
            if piece.startswith("docs/"):
                made.append(f":doc:`/{piece[:-3]}`")
            else:
                made.append(word(match) if match else escape(piece))
        return "".join(made)

    def text(self, comment: str, indent: str = "") -> list[str]:
        """Paragraphs, lists, fields and code of a comment."""
        blocks: list[tuple[str, list[str]]] = []
        for line in comment.split("\n"):
            last = blocks[-1][0] if blocks else ""
            if not line.strip():
                blocks.append(("empty", []))
            elif last == "code" and line.startswith("   ") or \
                    re.match(r" {4}", line) and last in ("", "empty"):
                if last != "code":
                    blocks.append(("code", []))
                blocks[-1][1].append(line)
            elif FIELD.match(line):
                match = FIELD.match(line)
                blocks.append(("field " + (match.group(1) or match.group(2)), [line[match.end():]]))
            elif line.startswith("- "):
                blocks.append(("item", [line[2:]]))
            elif blocks and (last.startswith("field") and line.startswith("  ") or
                             last == "item" and line.startswith("  ") or last == "text"):
                blocks[-1][1].append(line.strip())
            else:
                blocks.append(("text", [line.strip()]))
        made: list[str] = []
        for at, (kind, lines) in enumerate(blocks):
            if kind == "empty":
                continue
            follows = at > 0 and blocks[at - 1][0].split()[0] == kind.split()[0]
            if not (follows and kind != "text"):
                made.append("")
            if kind == "code":
                made += [".. code-block:: c", ""] + ["   " + line[4:] for line in lines]
            elif kind.startswith("field"):
                made.append(f":{kind[6:]}: " + self.inline(" ".join(lines)))
            elif kind == "item":
                made.append("- " + self.inline(" ".join(lines)))
            else:
                made.append(self.inline(" ".join(lines)))
        return [indent + line if line else line for line in made]

    def entry(self, entry: Entry) -> list[str]:
        declarations = [d for d in entry.declarations if d.name not in self.shown or not d.name]
        if not declarations:
            return self.text(entry.comment) if not entry.declarations else []
        self.shown |= {d.name for d in declarations}
        comment = re.sub(r"^[\w]+(?:(?:, | / )\w+)* - (?=\S)", "", entry.comment)
        comment = comment[:1].upper() + comment[1:] if comment != entry.comment else comment
        made: list[str] = []
        noted = any(d.note for d in declarations)
        groups: list[list[Declaration]] = []
        for each in declarations:
            if groups and groups[-1][0].kind == each.kind and not noted and not each.code and \
                    not groups[-1][0].code:
                groups[-1].append(each)
            else:
                groups.append([each])
        if len(groups) > 1 and comment:
            made += self.text(comment)
            comment = ""
        for group in groups:
            made += self.group(group, comment)
        return made

    def group(self, group: list[Declaration], comment: str) -> list[str]:
        kind = group[0].kind
        if kind == "enum":
            return self.text(comment) + code(group[0].code, "")
        lead = f".. c:{kind}:: "
        made = ["", lead + group[0].text]
        made += [" " * len(lead) + each.text for each in group[1:]]
        made += self.text(comment, "   ")
        if group[0].note:
            made += ["", "   " + self.inline(group[0].note)]
        if group[0].code:
            made += code(group[0].code, "   ")
        return made

    def page(self, name: str, head: str, entries: list[Entry]) -> str:
        title = f"lanewise/{name}"
        head = re.sub(r"^[\w.]+ - ", "", head)
        made = [title, "=" * len(title), *self.text(head[:1].upper() + head[1:])]
        section = ""
        for entry in entries:
            lines = self.entry(entry)
            if lines and entry.section != section:
                section = entry.section
                words = section[:1].upper() + section[1:]
                made += ["", words, "-" * len(words)]
            made += lines
        return "\n".join(made) + "\n"


def escape(text: str) -> str:
    return re.sub(r"([\\*`|_<>])", r"\\\1", text)


def code(text: str, indent: str) -> list[str]:
    text = re.sub(r" *\\$", "", text, flags=re.M) if text.startswith("#define") else text
    return ["", f"{indent}.. code-block:: c", ""] + \
        [f"{indent}   {line}" if line else "" for line in text.split("\n")]
