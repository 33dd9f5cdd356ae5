#!/usr/bin/env python3
"""The golden table: every case of row_hash.json against every leg that hashed it.

Each leg leaves target/vectors/<leg>.tsv, a line `name<TAB>hash` a case. The table is printed and
written to target/vectors/table.md; the exit code is 1 if a leg or a case is missing or a hash
differs. With --readme FILE, the table between FILE's two markers must be this one too; --write
puts it there.
"""

import argparse
import json
import sys
from pathlib import Path

LEGS = ["rust", "jni", "nifi-mock-1.18", "nifi-mock-1.28", "nifi-mock-2", "groovy", "cli", "aarch64"]
BEGIN, END = "<!-- vectors:begin -->", "<!-- vectors:end -->"
ROOT = Path(__file__).resolve().parents[2]


def read_golden(path):
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    golden = {case["name"]: case["row_hash"] for case in cases}
    if not golden or len(golden) != len(cases):
        sys.exit(f"table.py: {path}: no cases, or two of one name")
    return golden


def read_leg(path, golden, problems):
    """The leg's hashes by case; whatever is wrong with the file itself goes to problems."""
    leg, hashes = path.stem, {}
    if not path.is_file():
        problems.append(f"{leg}: {path} is missing: the leg did not run")
        return hashes
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        name, tab, row_hash = line.partition("\t")
        if not tab:
            problems.append(f"{leg}: line {number} is not a name, a tab and a hash: {line!r}")
        elif name not in golden:
            problems.append(f"{leg}: {name!r} is no case of row_hash.json")
        elif name in hashes:
            problems.append(f"{leg}: {name!r} is there twice")
        else:
            hashes[name] = row_hash
    if not hashes:
        problems.append(f"{leg}: {path} holds no case")
    return hashes


def compare(golden, legs, problems):
    """The table's rows: case, golden hash and, a leg, `=`, the wrong hash, or `missing`."""
    rows = []
    for name, expected in golden.items():
        row = [name, expected]
        for leg, hashes in legs.items():
            actual = hashes.get(name)
            if actual == expected:
                row.append("=")
            else:
                row.append(actual or "missing")
            # A leg without any hash has been named already.
            if actual != expected and hashes:
                problems.append(f"{leg}: {name}: {actual or 'missing'}, must be {expected}")
        rows.append(row)
    return rows


def render(rows):
    header = ["case", "row_hash", *LEGS]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, rows)]) + "\n"


def check_readme(path, table, write, problems):
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        problems.append(f"{path}: no markers {BEGIN} and {END}")
    elif old.strip() != table.strip():
        if write and not problems:
            path.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")
        else:
            problems.append(f"{path}: its table is not this one: tests/vectors/table.py --readme {path.name} --write")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readme", type=Path, metavar="FILE", help="also check the table in this file")
    parser.add_argument("--write", action="store_true", help="with --readme: write the table there")
    parser.add_argument("--reports", type=Path, default=ROOT / "target/vectors", help="where the legs' files are")
    options = parser.parse_args()
    if options.write and not options.readme:
        parser.error("--write needs --readme")

    golden, problems = read_golden(ROOT / "tests/vectors/row_hash.json"), []
    legs = {leg: read_leg(options.reports / f"{leg}.tsv", golden, problems) for leg in LEGS}
    for path in sorted(options.reports.glob("*.tsv")):
        if path.stem not in LEGS:
            problems.append(f"{path.stem}: {path} is of no known leg: add it to LEGS, or remove the file")
    table = render(compare(golden, legs, problems))
    options.reports.mkdir(parents=True, exist_ok=True)
    (options.reports / "table.md").write_text(table, encoding="utf-8")
    print(table)
    if options.readme:
        check_readme(options.readme, table, options.write, problems)

    if problems:
        for problem in problems[:40]:
            print(f"table.py: {problem}", file=sys.stderr)
        if len(problems) > 40:
            print(f"table.py: and {len(problems) - 40} more", file=sys.stderr)
        sys.exit(1)
    print(f"{len(golden)} cases, {len(LEGS)} legs: all equal")


if __name__ == "__main__":
    main()
