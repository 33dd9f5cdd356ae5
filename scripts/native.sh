# shellcheck shell=bash
# The native library: target/native/<platform>/librowhash.so for each platform of the NAR, and
# target/native-test-hooks/librowhash.so, which tests alone use.
# ROWHASH_NATIVE says how: zig (glibc 2.17, both platforms), cross (the same in containers), plain
# (this machine alone, not for release), or auto (zig, and plain where zig cannot be had).

# shellcheck source-path=SCRIPTDIR source=tools.sh
. "$(dirname "${BASH_SOURCE[0]}")/tools.sh"

native_folder=$root/target/native
glibc_limit=2.17

build_native() {
  local mode=${ROWHASH_NATIVE:-auto} platform
  case $mode in
    auto)
      if get_zig; then mode=zig; else mode=plain; fi
      ;;
    zig) get_zig || fail "zig could not be installed (Python packages cargo-zigbuild==$zigbuild_version and ziglang==$zig_version)" ;;
    cross) have cross || fail "ROWHASH_NATIVE=cross, but there is no cross on the PATH: cargo install cross, and a running Docker or Podman" ;;
    plain) ;;
    *) fail "ROWHASH_NATIVE=$mode: expected auto, zig, cross or plain" ;;
  esac

  if [ "$mode" = plain ]; then
    build_plain
  else
    for platform in x86_64 aarch64; do
      "build_$mode" "$platform"
    done
    rm -f "$native_folder"/linux-*/NOT-FOR-RELEASE
  fi
}

build_zig() {
  local target=$1-unknown-linux-gnu rustc
  rustc=$(rustc_for "$target")
  step "native-$1" env RUSTC="$rustc" CARGO_ZIGBUILD_ZIG_PATH="$(zig_folder)/ziglang/zig" \
    "$(zig_folder)/bin/cargo-zigbuild" zigbuild --manifest-path "$root/Cargo.toml" --locked --release -p rowhash-jni --target "$target.$glibc_limit"
  keep_library "$1" "$root/target/$target/release/librowhash.so" "$glibc_limit"
}

build_cross() {
  local target=$1-unknown-linux-gnu
  step "native-$1" cross build --manifest-path "$root/Cargo.toml" --locked --release -p rowhash-jni --target "$target"
  keep_library "$1" "$root/target/$target/release/librowhash.so" "$glibc_limit"
}

build_plain() {
  local machine
  machine=$(uname -m)
  [ "$(uname -s)" = Linux ] || fail "a plain build makes a library for this machine, and the NAR has Linux libraries only"
  # A library that an earlier run made for another platform would pass for this one's.
  rm -rf "$native_folder"
  step "native-plain" cargo build --manifest-path "$root/Cargo.toml" --locked --release -p rowhash-jni
  keep_library "$machine" "$root/target/release/librowhash.so" "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)"
  echo "Built by a plain cargo build: it may load on this machine alone." >"$native_folder/linux-$machine/NOT-FOR-RELEASE"
  warn_of_plain_build
}

# Says it again where a NAR has been made of it.
warn_of_plain_build() {
  compgen -G "$native_folder/*/NOT-FOR-RELEASE" >/dev/null || return 0
  loud "NOT FOR RELEASE: the native library was built for this machine alone." \
    "Other machines may refuse to load it, and no other platform is there." \
    "A release needs zig, which comes with Python's pip:" \
    "ROWHASH_NATIVE=zig ./build.sh nar"
}

# keep_library ARCHITECTURE FILE GLIBC: into target/native, if the check allows it.
keep_library() {
  local folder=$native_folder/linux-$1
  "$root/scripts/check-native-lib.sh" "$2" "$1" "$3" >&2 || {
    rm -rf "$folder"
    fail "the library for linux-$1 must not be given to users: see above"
  }
  mkdir -p "$folder"
  # Unchanged, it keeps its time, and Maven has nothing to pack again.
  cmp -s "$2" "$folder/librowhash.so" || cp "$2" "$folder/librowhash.so"
}

# A library whose hooks force a panic, for the tests of what a panic does to the JVM.
build_test_hooks() {
  step native-test-hooks cargo build --manifest-path "$root/Cargo.toml" --locked -p rowhash-jni --features test-hooks
  mkdir -p "$root/target/native-test-hooks"
  cp "$root/target/debug/librowhash.so" "$root/target/native-test-hooks/librowhash.so"
}

# build_bench_library FOLDER: as it is released, but with the choice of the instruction set that benchmarks need.
build_bench_library() {
  step native-bench cargo build --manifest-path "$root/Cargo.toml" --locked --release -p rowhash-jni --features bench \
    --target-dir "$root/target/native-bench"
  cp "$root/target/native-bench/release/librowhash.so" "$1/librowhash.so"
}
