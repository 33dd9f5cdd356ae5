#!/usr/bin/env bash
# Assembles the real servers of the demo and the tests from Maven artifacts.
#
#   assemble.sh all | nifi-1.18.0 | nifi-2.3.0 | kudu | trino | kafka
#
# Each server is made once and kept in the user's cache, named after its recipe (its folder under
# servers/ and this script): a changed recipe makes a new folder, an unchanged one costs nothing.
# stdout gets the folders, one a line; what is going on goes to stderr.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rowhash/runtime
servers=(nifi-1.18.0 nifi-2.3.0 kudu trino kafka)

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

recipe_digest() {
  (cd "$here" && find assemble.sh "servers/$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) |
    sha256sum | cut -c1-12
}

# Maven's log as a few lines: the modules, the big files, and a count of the small ones.
progress() {
  awk -v name="$1" '
    /^\[INFO\] Building .*\[[0-9]+\/[0-9]+\]$/ { sub(/^\[INFO\] Building /, ""); print "  " name ": " $1 " " $NF; fflush() }
    /Downloading from .*\.(nar|tar\.gz)$/ { sub(/.*\//, ""); print "  " name ": downloading " $0; fflush() }
    /Downloaded from / { if (++n % 100 == 0) { print "  " name ": " n " files downloaded"; fflush() } }
  ' >&2
}

assemble() {
  local name=$1 home scratch started=$SECONDS
  home=$cache/$name-$(recipe_digest "$name")
  if [ ! -d "$home" ]; then
    [ "$name" != kudu ] || [ "$(uname -sm)" = "Linux x86_64" ] ||
      fail "Kudu's test binaries exist for Linux on x86_64 only, this is $(uname -sm)"
    command -v mvn >/dev/null || fail "mvn is not on the PATH: install Maven 3.8 or newer and a JDK 17"
    say "$name: assembling from Maven artifacts (once; a first download takes a few minutes)"
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/.$name.XXXXXX")
    # shellcheck disable=SC2064  # the folder of this very call
    trap "rm -rf '$scratch'" EXIT
    mkdir "$scratch/home"
    if ! mvn -f "$here/servers/$name/pom.xml" package "-Dserver.home=$scratch/home" "-Dserver.build=$scratch/build" 2>&1 |
      tee "$cache/$name.log" | progress "$name"; then
      grep -v 'Download' "$cache/$name.log" | tail -n 20 >&2
      fail "$name could not be assembled; the whole log: $cache/$name.log"
    fi
    case $name in
      kudu) # the jar holds one folder, and jars hold no modes
        mv "$scratch/home/"kudu-binary-*/* "$scratch/home/"
        rmdir "$scratch/home/"kudu-binary-*/
        chmod +x "$scratch/home/bin/"*
        ;;
      trino) # one plugin of fifty, with another Kudu client
        tar -xzf "$scratch/build/trino/"trino-server-*.tar.gz -C "$scratch/home" --strip-components=1 \
          --wildcards --no-wildcards-match-slash '*/lib' '*/plugin/kudu'
        rm "$scratch/home/plugin/kudu/"*kudu-client-*.jar
        mv "$scratch/build/trino/"kudu-client-*.jar "$scratch/home/plugin/kudu/"
        ;;
      kafka) ;; # jars alone
      *) find "$scratch/build" -maxdepth 2 -name '*.nar' -exec cp {} "$scratch/home/lib/" \; ;;
    esac
    # A finished folder appears at once or not at all; another run may have been faster.
    mv -T "$scratch/home" "$home" 2>/dev/null || [ -d "$home" ] || fail "cannot create $home"
    rm -rf "$scratch"
    trap - EXIT
    say "$name: ready in $((SECONDS - started)) s, $(du -sh "$home" | cut -f1)"
  fi
  printf '%s\n' "$home"
}

case ${1:-} in
  all) for server in "${servers[@]}"; do assemble "$server"; done ;;
  nifi-1.18.0 | nifi-2.3.0 | kudu | trino | kafka) assemble "$1" ;;
  *) fail "usage: assemble.sh all|$(IFS='|'; printf '%s' "${servers[*]}")" ;;
esac
