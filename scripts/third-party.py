#!/usr/bin/env python3
"""Writes the notice of the Rust crates that the native library is linked with.

The NAR ships it as META-INF/THIRD-PARTY.txt. The crates come from Cargo.lock by `cargo metadata`,
the texts from the sources that cargo keeps. With --check nothing is written: the exit code is 1 if
the file is not what would be written. A crate under a licence that is not known here is an error.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTICE = ROOT / "nifi-nar/nar/src/main/resources/META-INF/THIRD-PARTY.txt"
LIBRARY = "rowhash-jni"
# The platforms of the NAR: a crate can be linked on one of them alone.
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")

# In the order in which they are chosen where a crate offers several.
APACHE, MIT = "Apache-2.0", "MIT"
LICENCES = (APACHE, MIT)
# The file of a licence: Apache-2.0 has one text, the NAR's own LICENSE.
MIT_FILES = ("LICENSE-MIT", "LICENSE-MIT.txt", "LICENSE-MIT.md", "LICENSE", "LICENSE.txt", "LICENSE.md")
MIT_GRANT = "Permission is hereby granted, free of charge"

HEAD = """\
The native library in this NAR, native/<platform>/librowhash.so, is linked with the Rust crates
below and with Rust's standard library. None of them was changed.

Each line names a crate, its version, the licences that it offers and, after the arrow, the ones
whose terms this NAR follows. The text of the Apache License, Version 2.0, is META-INF/LICENSE.
The texts of the MIT License, each with its copyright notice, follow the list.
"""


def fail(message):
    sys.exit(f"third-party.py: {message}")


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    for target in TARGETS:
        command += ["--filter-platform", target]
    try:
        return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    except FileNotFoundError:
        fail("there is no cargo on the PATH: install Rust")
    except subprocess.CalledProcessError as error:
        fail(f"{' '.join(command)} failed with exit code {error.returncode}: see above")


def linked_crates(data):
    """The crates of others that end up in the library: not ours, not those that only build it."""
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    members = set(data["workspace_members"])
    waiting = [member for member in members if packages[member]["name"] == LIBRARY]
    if not waiting:
        fail(f"the workspace has no crate {LIBRARY}")
    seen = set()
    while waiting:
        crate = waiting.pop()
        if crate in seen or is_compiler_plugin(packages[crate]):
            continue
        seen.add(crate)
        waiting += [dependency["pkg"] for dependency in nodes[crate]["deps"]
                    if any(kind["kind"] is None for kind in dependency["dep_kinds"])]
    return sorted((packages[crate] for crate in seen - members), key=lambda crate: (crate["name"], crate["version"]))


def is_compiler_plugin(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def offered(crate):
    expression = crate["license"] or ""
    # "/" is how older crates write OR. AND and parentheses would need more than a choice.
    licences = re.split(r" OR |/", expression)
    if not any(licence.strip() in LICENCES for licence in licences):
        fail(f"{name(crate)} is under '{expression}', of which this script knows none:"
             " read the licence, then extend the script or leave the crate out")
    return [licence.strip() for licence in licences]


def name(crate):
    return f"{crate['name']} {crate['version']}"


def mit_text(crate):
    """The text that the crate carries, with its copyright notice, or None."""
    folder = Path(crate["manifest_path"]).parent
    for file in MIT_FILES:
        path = folder / file
        if path.is_file():
            text = "\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()).strip("\n")
            if MIT_GRANT in text:
                return text
    return None


def notice(crates):
    lines, texts = [HEAD], {}
    for crate in crates:
        licences = offered(crate)
        followed = [licence for licence in LICENCES if licence in licences]
        if MIT in followed:
            text = mit_text(crate)
            if text is not None:
                texts.setdefault(text, []).append(name(crate))
            elif followed == [MIT]:
                fail(f"{name(crate)} is under the MIT License alone, and its sources hold no text of it")
            else:
                followed = [APACHE]
        lines.append(f"{name(crate)}: {crate['license']} -> {' and '.join(followed)}")
    lines.append("Rust's standard library, of the Rust project: MIT OR Apache-2.0 -> Apache-2.0")
    for text, users in sorted(texts.items(), key=lambda item: item[1]):
        lines += ["", "=" * 80, f"MIT License of {', '.join(users)}", "", text]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()

    crates = linked_crates(metadata())
    text = notice(crates)
    if arguments.check:
        if not NOTICE.is_file() or NOTICE.read_text(encoding="utf-8") != text:
            fail(f"{NOTICE.relative_to(ROOT)} does not fit Cargo.lock: run scripts/third-party.py and commit the file")
    else:
        NOTICE.parent.mkdir(parents=True, exist_ok=True)
        NOTICE.write_text(text, encoding="utf-8")
    print(f"{len(crates)} crates, {NOTICE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
