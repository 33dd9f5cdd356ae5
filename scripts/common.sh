# shellcheck shell=bash
# What build.sh and the scripts beside it share: messages, steps with a log, the tools cache.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
export HOME
# Tools that the system lacks are unpacked here and nowhere else.
tools_cache=${XDG_CACHE_HOME:-$HOME/.cache}/rowhash/tools

say() { printf '%s\n' "$*" >&2; }
fail() {
  printf '\nerror: %s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# loud LINE...: a box that a reader of a long log does not overlook.
loud() {
  local line
  say "########################################################################"
  for line in "$@"; do say "##  $line"; done
  say "########################################################################"
}

# step NAME COMMAND...: runs COMMAND with its output in target/logs/NAME.log, says that it runs,
# every minute that it still runs, and how it ended; a failure prints the log's tail and ends all.
summary=()
step() {
  local name=$1 began=$SECONDS code='' log=$root/target/logs/$1.log last
  shift
  mkdir -p "$root/target/logs"
  say "[$name] started, log: target/logs/$name.log"
  exec {ended}< <(
    set +e
    (
      set -e
      "$@"
    ) >"$log" 2>&1 </dev/null
    echo $?
  )
  # The read ends with the command: a time-out here only means that it is time for a sign of life.
  until read -r -t 60 -u "$ended" code || [ $? -le 128 ]; do
    last=$(tail -n 1 "$log" | tr -d '\r' | cut -c1-100)
    say "[$name] running for $((SECONDS - began)) s: $last"
  done
  exec {ended}<&-
  if [ "$code" = 0 ]; then
    say "[$name] ok, $((SECONDS - began)) s"
    summary+=("$name|ok|$((SECONDS - began)) s")
    return
  fi
  summary+=("$name|FAILED|$((SECONDS - began)) s")
  say "[$name] FAILED after $((SECONDS - began)) s; the end of target/logs/$name.log:"
  tail -n 60 "$log" | sed 's/^/    /' >&2
  print_summary
  fail "the step '$name' failed; its whole log is target/logs/$name.log"
}

print_summary() {
  local row name result time
  say ""
  for row in "${summary[@]}"; do
    IFS='|' read -r name result time <<<"$row"
    say "$(printf '  %-18s %-40s %s' "$name" "$result" "$time")"
  done
}

# cached NAME COMMAND...: makes the folder NAME of the tools cache, once: COMMAND fills a temporary
# folder, its last argument, which gets its name only when complete.
cached() {
  local name=$1 temporary began=$SECONDS
  shift
  [ -d "$tools_cache/$name" ] && return
  say "[tools] making $name in $tools_cache"
  mkdir -p "$tools_cache"
  temporary=$(mktemp -d "$tools_cache/.$name.XXXXXX")
  if ! "$@" "$temporary" >"$temporary.log" 2>&1; then
    tail -n 20 "$temporary.log" | sed 's/^/    /' >&2
    rm -rf "$temporary" "$temporary.log"
    return 1
  fi
  chmod 755 "$temporary"
  # Another run may have been first: then its folder is as good.
  mv -T "$temporary" "$tools_cache/$name" 2>/dev/null || rm -rf "$temporary"
  rm -f "$temporary.log"
  say "[tools] $name is ready, $((SECONDS - began)) s"
}

is_debian() { have apt-get && have dpkg; }

# private_apt FOLDER TOOL ARGUMENT...: apt-get or apt-cache with the system's package sources, for
# both processor architectures, and with its state in FOLDER/apt: the system is neither changed nor
# locked, and two runs do not meet.
private_apt() {
  local state=$1/apt
  shift
  mkdir -p "$state/lists/partial" "$state/archives/partial"
  cat >"$state/apt.conf" <<EOF
Dir::State::Lists "$state/lists";
Dir::Cache "$state";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "";
Debug::NoLocking "true";
EOF
  APT_CONFIG=$state/apt.conf "$@"
}

# unpack_packages PACKAGE... FOLDER: Debian packages of either architecture, without installing;
# after a private_apt FOLDER apt-get update.
unpack_packages() {
  local folder=${*: -1} packages=("${@:1:$#-1}") package
  mkdir -p "$folder/packages" &&
    (cd "$folder/packages" && private_apt "$folder" apt-get -q download "${packages[@]}") || return
  for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder" || return
  done
  rm -rf "$folder/packages" "$folder/apt"
}
