#!/usr/bin/env bash
# Shows that the checks of the build can fail: a check that lets everything through would go
# unnoticed otherwise. Run by `build.sh test`, after the native libraries are built.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
check=$root/scripts/check-native-lib.sh
library=$root/target/native/linux-x86_64/librowhash.so
table=$root/tests/vectors/table.py
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# refuses WHAT REASON COMMAND...: the command must fail and say REASON.
refuses() {
  local what=$1 reason=$2 said
  shift 2
  if said=$("$@" 2>&1); then
    echo "not refused: $what" >&2
    exit 1
  fi
  if ! grep -q -- "$reason" <<<"$said"; then
    printf 'refused, but not for "%s": %s\n%s\n' "$reason" "$what" "$said" >&2
    exit 1
  fi
  echo "refused: $what"
}

"$check" "$library" x86_64
refuses "a library for another processor" "x86_64\|AArch64\|aarch64" "$check" "$library" aarch64
refuses "a library that needs a newer glibc" "GLIBC" "$check" "$library" x86_64 2.3
refuses "a file that is no library" "ELF" "$check" "$check" x86_64
refuses "an empty file" "empty" "$check" /dev/null x86_64

mkdir "$scratch/reports"
cp "$root/target/vectors/"*.tsv "$scratch/reports/"
"$python" "$table" --reports "$scratch/reports" >/dev/null
rm "$scratch/reports/cli.tsv"
refuses "a table without a leg" "cli" "$python" "$table" --reports "$scratch/reports"
sed '1s/[0-9a-f]$/x/' "$root/target/vectors/cli.tsv" >"$scratch/reports/cli.tsv"
refuses "a table with a wrong hash" "call_full" "$python" "$table" --reports "$scratch/reports"
sed 1d "$root/target/vectors/cli.tsv" >"$scratch/reports/cli.tsv"
refuses "a table without a case" "call_full" "$python" "$table" --reports "$scratch/reports"

mkdir -p "$scratch/nifi-nar" "$scratch/docs"
cp -r "$root/nifi-nar/flows" "$scratch/nifi-nar"
cp -r "$root/docs/sql" "$scratch/docs"
"$python" "$scratch/nifi-nar/flows/generate.py" --check
sed -i 's/UPSERT/INSERT/' "$scratch/nifi-nar/flows/kafka-to-kudu.json"
refuses "a flow definition that was edited by hand" "kafka-to-kudu.json" "$python" "$scratch/nifi-nar/flows/generate.py" --check
rm "$scratch/nifi-nar/flows/nas-to-kudu.json"
refuses "a flow definition that is missing" "nas-to-kudu.json" "$python" "$scratch/nifi-nar/flows/generate.py" --check

# A command line whose SQL joins with another separator.
cat >"$scratch/rowhash" <<EOF
#!/bin/sh
"$root/target/debug/rowhash" "\$@" | sed "s/concat_ws('|'/concat_ws(';'/"
EOF
chmod 755 "$scratch/rowhash"
refuses "SQL that gives other hashes" "rows differ" \
  "$python" "$root/tests/sql/check.py" --rowhash "$scratch/rowhash" --engines "$ROWHASH_SQL_ENGINES" --only duckdb
