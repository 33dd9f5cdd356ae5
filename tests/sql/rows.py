#!/usr/bin/env python3
"""The rows that every SQL dialect must hash as the written rules say.

    rows.py DIALECT    prints the tables, one JSON object a line, for tests that are not in Python

A table is {"name", "form", "columns": [[name, type], ...], "rows": [[values, hash], ...]}; a value is
null or a text in the shape that the type has in SQL. The hashes come from the written rules alone, in
tests/vectors/generate.py, which shares no code with the product.
"""

import json
import random
import sys
from datetime import date
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
sys.path.insert(0, str(VECTORS))
import generate  # noqa: E402

GENERATED = 10_000
# What a dialect's types hold less than the canonical text has room for: fraction digits of a second,
# and the years of a date.
DIGITS = {"trino": 3, "hive": 9}
YEARS = {"clickhouse": (1900, 2299), "hive": (1583, 9999)}
HAS_TIME = {"trino", "postgres", "duckdb"}
# PostgreSQL keeps no NUL in a text.
NO_NUL = {"postgres"}
KUDU_CELL = 65_536
TELLS_CASE = {"postgres", "clickhouse"}
NO_NAME = {"hive": "${", "spark": "${"}


class Table:
    def __init__(self, name, form, columns):
        self.name, self.form, self.columns, self.rows = name, form, columns, []

    def add(self, values, row_hash=None):
        self.rows.append((values, row_hash or self.hash(values, self.form)))

    def hash(self, values, form):
        texts = {name: text_of(kind, value) for (name, kind), value in zip(self.columns, values)}
        return generate.md5(generate.canonical([name for name, _ in self.columns], texts, form))

    def list(self):
        return ",".join(f'"{name.replace(chr(34), chr(34) * 2)}":{kind}' for name, kind in self.columns)


def text_of(kind, value):
    """The canonical text of a value in the shape that it has in SQL."""
    if value is None or kind in ("string", "boolean", "date") or kind.endswith("int"):
        return value
    if kind.startswith("decimal"):
        return generate.plain(generate.decimal(value))
    return value.rstrip("0").rstrip(".") if "." in value else value


def tables(dialect):
    yield from golden(dialect)
    yield from typed_values(dialect)
    yield generated(dialect)


def excluded(dialect, columns, values):
    """Why a golden row cannot be in a table of this dialect, or None."""
    if dialect not in TELLS_CASE and len({name.lower() for name in columns}) < len(columns):
        return "names that differ in case alone"
    if any(NO_NAME.get(dialect, "\n") in name for name in columns):
        return "a name that a variable would be filled into"
    if dialect in NO_NUL and any("\0" in value for value in values if value):
        return "NUL"
    if dialect == "trino" and any(len(value.encode("utf-8")) > KUDU_CELL for value in values if value):
        return "longer than a cell of Kudu"
    return None


def golden(dialect):
    grouped = {}
    for file in ("row_hash.json", "pitfalls.json", "escaped.json"):
        document = json.loads((VECTORS / file).read_text(encoding="utf-8"))
        for case in document["cases"]:
            columns = sorted(case["columns"])
            values = [generate.loaded(case["row"].get(name)) for name in columns]
            # What any database was given in place of an unpaired surrogate.
            values = [value and generate.well_formed(value) for value in values]
            if not excluded(dialect, columns, values):
                key = (document["form"], tuple(columns))
                grouped.setdefault(key, []).append((values, case["row_hash"]))
    for number, ((form, columns), rows) in enumerate(grouped.items()):
        table = Table(f"golden_{number}", form, [(name, "string") for name in columns])
        for values, row_hash in rows:
            table.add(values, row_hash)
        yield table


def typed_values(dialect):
    grouped = {}
    cases = json.loads((VECTORS / "typed_values.json").read_text(encoding="utf-8"))
    for case in cases:
        for kind, value in in_sql(dialect, case):
            grouped.setdefault(kind, []).append((value, case["text"]))
    for number, (kind, values) in enumerate(grouped.items()):
        table = Table(f"typed_{number}", "compatible", [("v", kind)])
        table.add([None])
        for value, text in values:
            table.add([value], generate.md5(text))
        yield table


def in_sql(dialect, case):
    """The types that a typed value can have in the dialect, each with its shape there."""
    kind, value = case["type"], case["value"]
    digits, (first, last) = DIGITS.get(dialect, 6), YEARS.get(dialect, (1, 9999))
    if kind == "integer" and -2 ** 63 <= int(value) < 2 ** 63:
        yield "bigint", value
    elif kind in ("integer", "decimal"):
        number = generate.decimal(value)
        for scale in (0, 10, 20, 30, 37):
            if (number * 10 ** scale).denominator == 1 and abs(number) < 10 ** (38 - scale):
                whole = str(abs(int(number * 10 ** scale))).rjust(scale + 1, "0")
                plain = whole[:len(whole) - scale] + ("." + whole[len(whole) - scale:] if scale else "")
                yield f"decimal(38,{scale})", ("-" if number < 0 else "") + plain
                break
    elif kind == "boolean":
        yield kind, case["text"]
    elif kind == "date" and first <= int(case["text"][:4]) <= last:
        yield kind, case["text"]
    elif kind == "time" and dialect in HAS_TIME and value["nanos"] % 10 ** (9 - digits) == 0:
        yield kind, padded(case["text"], digits)
    elif kind == "timestamp" and first <= int(case["text"][:4]) <= last and value["nanos"] % 10 ** (9 - digits) == 0:
        yield kind, padded(case["text"], digits)
        if dialect in HAS_TIME:
            yield "timestamptz", padded(case["text"], digits)


def padded(text, digits):
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(digits, '0')}"


ATOMS = ["", "a", "b", " ", "  ", "\\", "\\\\", "\\N", "\\n", "|", "||", "\\|", "'", "''", '"', "`", "\n", "\r\n", "\t", ",", ";",
         "--", "%", "_", "$1", "\\1", "${a}", "{}", "한글", "각", "\u1100\u1161\u11a8", "é", "😀", "👨‍👩‍👧", "\ufeff", "0", "1.0",
         "null", "NULL"]


def generated(dialect):
    """Rows by a fixed seed that hold every trap, most of them many times."""
    random.seed(20260225)
    columns = [("select", "string"), ("이름", "string"), ("a b", "string"), ("Upper", "string"), ('quo"te', "string"),
               ("it's", "string"), ("z", "string"), ("tiny", "tinyint"), ("n", "int"), ("big", "bigint"),
               ("amount", "decimal(18,6)"), ("fine", "decimal(12,12)"), ("whole", "decimal(38,0)"),
               ("flag", "boolean"), ("day", "date"), ("at", "timestamp")]
    # Kudu has no type for these two.
    if dialect in HAS_TIME - {"trino"}:
        columns += [("clock", "time"), ("moment", "timestamptz")]
    table = Table("generated", "compatible", columns)
    for _ in range(GENERATED):
        table.add([value(kind, dialect) for _, kind in columns])
    return table


def value(kind, dialect):
    digits, (first, last) = DIGITS.get(dialect, 6), YEARS.get(dialect, (1, 9999))
    if random.random() < 0.15:
        return None
    if kind == "string":
        return "".join(random.choice(ATOMS) for _ in range(random.choice((0, 1, 1, 2, 3))))
    if kind == "boolean":
        return random.choice(("true", "false"))
    if kind.startswith("decimal"):
        precision, scale = map(int, kind[8:-1].split(","))
        number = random.choice((0, 1, 5, 10, 100, random.randrange(10 ** precision)))
        if random.random() < 0.5:
            number -= number % 10 ** random.randrange(precision)
        text = str(number).rjust(scale + 1, "0")
        text = text[:len(text) - scale] + ("." + text[len(text) - scale:] if scale else "")
        return ("-" if number and random.random() < 0.5 else "") + text
    if kind.endswith("int"):
        bits = {"tinyint": 8, "int": 32, "bigint": 64}[kind]
        return str(random.choice((0, 1, -1, 100, 2 ** (bits - 1) - 1, -2 ** (bits - 1), random.randrange(-100, 100))))
    day = date(random.choice((first, 1969, 1970, 2024, 2026, last)), random.randint(1, 12), random.randint(1, 28))
    if kind == "date":
        return day.isoformat()
    seconds = random.choice((0, 1, 43200, 86399, random.randrange(86400)))
    nanos = random.choice((0, 1, 10, 100, 500, 999)) * 10 ** random.choice((0, 3, 6)) if random.random() < 0.7 else 0
    nanos -= nanos % 10 ** (9 - digits)
    clock = f"{generate.clock(seconds)}.{f'{nanos:09}'[:digits]}"
    return clock if kind == "time" else f"{day.isoformat()} {clock}"


if __name__ == "__main__":
    for one in tables(sys.argv[1]):
        print(json.dumps(one.__dict__ | {"list": one.list()}, ensure_ascii=False))
