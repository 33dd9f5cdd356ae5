#!/usr/bin/env bash
# Builds, tests and shows the project; `./build.sh help` lists the commands.
set -euo pipefail

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  echo "error: bash 4.4 or newer is needed, this is $BASH_VERSION: brew install bash" >&2
  exit 1
fi
# shellcheck source-path=SCRIPTDIR source=scripts/native.sh
. "$(dirname "${BASH_SOURCE[0]}")/scripts/native.sh"

usage() {
  cat <<'EOF'
usage: ./build.sh COMMAND

  demo [--nifi 2] [--exit]
                 start NiFi with the NAR and Kudu, load a sample file, show the rows; with --nifi 2
                 on NiFi 2 with UpsertKudu; stays up until Ctrl-C, or ends at once with --exit
  test           everything that is checked: Rust, Java on three NiFi lines, aarch64, real servers
  nar            the NARs to install: nifi-nar/nar/target/nifi-rowhash-nar-<version>.nar
                 and, for the Kudu sink, nifi-nar/kudu-nar/target/nifi-rowhash-kudu-nar-<version>.nar
  native         the native libraries alone: target/native/<platform>/librowhash.so
  bench          the benchmarks, an hour and a half: target/bench/report.md
  help           this text

What is missing is installed (Debian, Ubuntu), or the command that installs it is printed.
  ROWHASH_NATIVE   auto (default), zig, cross or plain: how the native libraries are built
  JAVA_HOME        a JDK 17 or newer, for Maven and NiFi 1.x
  JAVA21_HOME      a Java 23 or newer, for NiFi 2 and Trino in the tests
  XDG_CACHE_HOME   where downloaded tools are kept (~/.cache)
Logs of the steps are in target/logs.
EOF
}

# What the commands need of the system.
native_needs=(certificates cc readelf python3)
nar_needs=("${native_needs[@]}" jdk mvn unzip)

# maven NAME ARGUMENT...: a step of that name.
maven() {
  local name=$1
  shift
  step "$name" mvn -f "$root/pom.xml" -Dstyle.color=never "$@"
}

groovy_script=$root/groovy-compat/src/main/groovy/row_hash.groovy

nar_file() { compgen -G "$root/nifi-nar/nar/target/nifi-rowhash-nar-*.nar" | head -n 1; }
kudu_nar_file() { compgen -G "$root/nifi-nar/kudu-nar/target/nifi-rowhash-kudu-nar-*.nar" | head -n 1; }

command_native() {
  need "${native_needs[@]}"
  use_rust
  build_native
  say ""
  (cd "$native_folder" && ls -l linux-*/*) >&2
}

command_nar() {
  need "${nar_needs[@]}"
  use_rust
  use_jdk
  build_native
  # A NAR of an earlier version beside the new one would be taken for it.
  rm -f "$root"/nifi-nar/nar/target/*.nar "$root"/nifi-nar/kudu-nar/target/*.nar
  maven nar package -DskipTests -pl nifi-nar/nar,nifi-nar/kudu-nar -am
  describe_nar
}

describe_nar() {
  local nar kudu_nar platforms
  nar=$(nar_file) || fail "Maven made no NAR in nifi-nar/nar/target: see target/logs/nar.log"
  kudu_nar=$(kudu_nar_file) || fail "Maven made no NAR in nifi-nar/kudu-nar/target: see target/logs/nar.log"
  platforms=$(unzip -Z1 "$nar" | sed -n 's|.*native/\([^/]*\)/librowhash\.[a-z]*$|\1|p' | sort | tr '\n' ' ')
  [ -n "$platforms" ] || fail "no native library is in $nar"
  say ""
  say "NAR:       $nar"
  say "size:      $(wc -c <"$nar" | tr -d ' ') bytes"
  say "platforms: $platforms"
  say "Kudu sink: $kudu_nar"
  say "install:   copy it into NiFi's extensions folder, and the Kudu sink's if you want UpsertKudu"
  warn_of_plain_build
}

command_demo() {
  local runtime=$root/tests/runtime
  command_nar
  [[ " $* " != *" --nifi 2 "* ]] || use_java21
  maven demo-build package -DskipTests -pl tests/runtime -am
  cd "$root"
  exec java -cp "$runtime/target/classes:$runtime/target/lib/*" dev.rowhash.runtime.Demo \
    --nar "$(nar_file)" --kudu-nar "$(kudu_nar_file)" --report "$root/target/demo/report.json" "$@"
}

# Rust, then Java with each instruction set, then a real NiFi; one report of it all.
command_bench() {
  local folder=$root/target/bench benchmarks=$root/tests/bench/target instructions
  local criterion=() jmh=() steps=() flows=() log=()
  if [ "${1:-}" = --quick ]; then
    criterion=(--quick)
    jmh=(-wi 2 -i 3 -p rows=64 -p bytes=750)
    steps=(--lines 20000 --megabytes 64)
    flows=(--lines 300 --whole-file-lines 5000)
    log=(--rounds 1 --whole-file-lines 10000 --lines 300 --many-lines 10000)
  fi
  need "${nar_needs[@]}"
  use_rust
  use_jdk
  use_java21
  command_nar
  rm -rf "$folder" "$root/target/criterion"
  mkdir -p "$folder"
  step cargo-bench cargo bench --manifest-path "$root/Cargo.toml" --locked -p rowhash-core \
    --bench digest --bench attributes --bench content -- "${criterion[@]}"
  build_bench_library "$folder"
  maven benchmarks package -DskipTests -pl tests/bench,tests/runtime -am
  for instructions in $(digest_instruction_sets); do
    ROWHASH_BENCH_DIGEST=$instructions step "jmh-$instructions" java \
      -Ddev.rowhash.library.path="$folder/librowhash.so" -Drowhash.groovy.script="$groovy_script" \
      -cp "$benchmarks/classes:$benchmarks/lib/*" org.openjdk.jmh.Main "${jmh[@]}" \
      -foe true -rf json -rff "$folder/jmh-$instructions.json"
  done
  step servers "$root/tests/runtime/assemble.sh" all
  benchmark_on_nifi ProcessorBenchmark --processors "$folder/processors.json" --memory "$folder/memory.json" "${steps[@]}"
  benchmark_on_nifi FlowBenchmark --groovy "$groovy_script" --report "$folder/flow.json" "${flows[@]}"
  benchmark_on_nifi LoadLogBenchmark --kudu-nar "$(kudu_nar_file)" --report "$folder/load-log.json" "${log[@]}"
  step report "$(find_python)" "$root/scripts/bench-report.py" "$folder" "$root/target/criterion"
  [ "${1:-}" = --quick ] || cp "$folder/bench.svg" "$root/docs/pictures/bench.svg"
  cat "$folder/report.md" >&2
  say "Report: target/bench/report.md and report.json"
}

# benchmark_on_nifi CLASS ARGUMENT...
benchmark_on_nifi() {
  local runtime=$root/tests/runtime/target
  step "$1" java -cp "$runtime/classes:$runtime/lib/*" "dev.rowhash.runtime.$1" --nar "$(nar_file)" "${@:2}"
}

# Those that this processor has, of those that the digest is written for.
digest_instruction_sets() {
  local name
  for name in avx512f avx2; do
    if grep -qw "$name" /proc/cpuinfo 2>/dev/null; then echo "${name%f}"; fi
  done
  echo portable
}

command_test() {
  local began=$SECONDS
  rm -rf "$root/target/vectors" "$root/target/logs"
  need "${nar_needs[@]}" postgres mariadb
  use_rust
  use_jdk
  use_java21
  use_sql_engines

  lint fmt --all --check
  lint clippy --workspace --all-targets --all-features --locked -- -D warnings
  step cargo-test cargo test --manifest-path "$root/Cargo.toml" --workspace --locked
  step hive-functions mvn -f "$root/tests/sql/hive/pom.xml" -Dstyle.color=never dependency:build-classpath -Dmdep.outputFile="$root/target/hive.classpath"
  step sql-on-engines "$(find_python)" "$root/tests/sql/check.py" --rowhash "$root/target/debug/rowhash" \
    --engines "$ROWHASH_SQL_ENGINES" --hive "$root/target/hive.classpath"
  cat "$root/target/logs/sql-on-engines.log" >&2
  build_native
  build_test_hooks
  step servers "$root/tests/runtime/assemble.sh" all
  maven maven-verify verify dependency:build-classpath -Dmdep.outputFile=target/classpath -Drowhash.java21="$ROWHASH_JAVA21_HOME"
  describe_nar
  step aarch64 golden_vectors_on_aarch64
  step vectors-table "$(find_python)" "$root/tests/vectors/table.py" --readme "$root/README.md"
  cat "$root/target/logs/vectors-table.log" >&2
  step golden-data "$(find_python)" "$root/tests/vectors/generate.py" --check
  step flow-definitions "$(find_python)" "$root/nifi-nar/flows/generate.py" --check
  step third-party "$(find_python)" "$root/scripts/third-party.py" --check
  PYTHON=$(find_python) step self-test "$root/scripts/self-test.sh"

  print_summary
  count_tests "$((SECONDS - began))"
}

# lint SUBCOMMAND ARGUMENT...: of cargo, where this Rust has it.
lint() {
  if cargo "$1" --version >/dev/null 2>&1; then
    step "cargo-$1" cargo "$1" --manifest-path "$root/Cargo.toml" "${@:2}"
  else
    loud "NOT RUN: cargo $1, which this Rust lacks (rustup component add rustfmt clippy)"
    summary+=("cargo-$1|NOT RUN: this Rust lacks it|")
  fi
}

golden_vectors_on_aarch64() {
  local processors=$root/nifi-nar/processors
  "$root/scripts/java-aarch64.sh" \
    -Drowhash.vectors.directory="$root/tests/vectors" -Drowhash.vectors.report="$root/target/vectors" \
    -Ddev.rowhash.library.path="$native_folder/linux-aarch64/librowhash.so" \
    -cp "$processors/target/classes:$processors/target/test-classes:$(cat "$processors/target/classpath")" \
    dev.rowhash.nifi.jni.GoldenVectors aarch64
}

# count_tests SECONDS: the closing line, from what cargo and Surefire say of themselves.
count_tests() {
  local passed skipped
  read -r passed skipped < <(awk '
    /^test result:/ { passed += $4; skipped += $8 }
    /Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$/ {
      gsub(/[^0-9 ]/, " "); passed += $1 - $4; skipped += $4
    }
    END { print passed + 0, skipped + 0 }' "$root/target/logs/cargo-test.log" "$root/target/logs/maven-verify.log")
  [ "$passed" -gt 0 ] || fail "no test ran"
  [ "$skipped" -eq 0 ] || fail "$skipped tests were skipped: see 'ignored' and 'Skipped' in target/logs"
  say "All steps passed in $1 s."
  echo "$passed passed, 0 failed"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
  demo)
    previous=
    for argument in "$@"; do
      case "$previous $argument" in
        *" --exit" | *" --nifi" | "--nifi 1" | "--nifi 2") ;;
        *) fail "demo: '$argument' is not understood; the options are --nifi 2 and --exit" ;;
      esac
      previous=$argument
    done
    [ "$previous" != --nifi ] || fail "demo: --nifi needs 1 or 2"
    command_demo "$@"
    ;;
  bench)
    [ $# -eq 0 ] || [ "$*" = --quick ] || fail "bench: '$*' is not understood; the option is --quick"
    command_bench "$@"
    ;;
  test | nar | native)
    [ $# -eq 0 ] || fail "$command takes no argument"
    "command_$command"
    ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    fail "unknown command '$command'"
    ;;
esac
