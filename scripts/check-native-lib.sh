#!/usr/bin/env bash
# check-native-lib.sh LIBRARY ARCHITECTURE [GLIBC=2.17]: may this library be given to users?
# It must be a shared object for ARCHITECTURE (x86_64, aarch64) that needs no glibc symbol newer
# than GLIBC and no library that a plain Linux may lack, and that exports its JNI functions alone.
set -euo pipefail
export LC_ALL=C

library=${1:?usage: check-native-lib.sh LIBRARY ARCHITECTURE [GLIBC]}
architecture=${2:?usage: check-native-lib.sh LIBRARY ARCHITECTURE [GLIBC]}
limit=${3:-2.17}

failures=0
refuse() {
  printf 'check-native-lib: %s: %s\n' "$library" "$*" >&2
  failures=$((failures + 1))
}
newer_than_limit() { [ "$(printf '%s\n' "$1" "$limit" | sort -V | tail -n 1)" != "$limit" ]; }

[ -s "$library" ] || { refuse "there is no such file, or it is empty"; exit 1; }
header=$(readelf -hW "$library" 2>/dev/null) || { refuse "not an ELF file"; exit 1; }
dynamic=$(readelf -dW "$library")
segments=$(readelf -lW "$library")
versions=$(readelf -VW "$library" | sed -n '/Version needs section/,$p')
symbols=$(readelf -W --dyn-syms "$library" | awk '$1 ~ /^[0-9]+:$/ && $8 != ""')

case $architecture in
  x86_64) machine='Advanced Micro Devices X86-64' ;;
  aarch64) machine='AArch64' ;;
  *) refuse "unknown architecture '$architecture': x86_64 or aarch64"; exit 1 ;;
esac
grep -q "Machine: *$machine\$" <<<"$header" || refuse "not built for $architecture"
grep -q 'Type: *DYN' <<<"$header" || refuse "not a shared object"

highest=$(grep -oE 'GLIBC_[0-9][0-9.]*' <<<"$versions" | sed 's/GLIBC_//' | sort -uV | tail -n 1 || true)
if [ -z "$highest" ]; then
  refuse "needs no glibc symbol at all: built for musl, or linked statically"
elif newer_than_limit "$highest"; then
  newer=$(awk '$7 == "UND" {print $8}' <<<"$symbols" | grep -E '@GLIBC_[0-9]' | sort -u | while read -r symbol; do
    if newer_than_limit "${symbol##*GLIBC_}"; then printf ' %s' "$symbol"; fi
  done)
  refuse "needs glibc $highest, newer than $limit:$newer"
fi
# Relative relocations in the packed form carry a version of their own: glibc 2.36 and newer only.
grep -q 'GLIBC_ABI_DT_RELR' <<<"$versions" && refuse "has packed relative relocations (glibc 2.36)"
grep -q 'GLIBC_PRIVATE' <<<"$versions" && refuse "uses glibc's private symbols"

needed=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
for name in $needed; do
  case $name in
    libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1) ;;
    libgcc_s.so.1 | ld-linux-x86-64.so.2 | ld-linux-aarch64.so.1) ;;
    *) refuse "needs $name, which a user's machine may lack" ;;
  esac
done
grep -qE '\((RPATH|RUNPATH)\)' <<<"$dynamic" && refuse "has a library search path of the build machine (RPATH)"
grep -q '(TEXTREL)' <<<"$dynamic" && refuse "has text relocations"
grep -qE 'GNU_STACK .* RWE ' <<<"$segments" && refuse "asks for an executable stack"

exports=$(awk '$7 != "UND" && ($5 == "GLOBAL" || $5 == "WEAK") {sub(/@.*/, "", $8); print $8}' <<<"$symbols")
grep -qE '^(Java_|JNI_OnLoad$)' <<<"$exports" || refuse "exports no JNI function"
others=$(grep -vE '^(Java_[A-Za-z0-9_]+|JNI_On(Load|Unload))$' <<<"$exports" | tr '\n' ' ' || true)
[ -z "$others" ] || refuse "exports more than JNI functions: $others"

[ "$failures" -eq 0 ] || exit 1
printf '%s: %s, glibc %s (limit %s), %s bytes, needs %s\n' "$library" "$architecture" "$highest" "$limit" \
  "$(wc -c <"$library" | tr -d ' ')" "$(tr '\n' ' ' <<<"$needed")"
