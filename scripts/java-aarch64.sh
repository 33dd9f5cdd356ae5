#!/usr/bin/env bash
# java-aarch64.sh ARGUMENT...: java, as an aarch64 machine runs it. Elsewhere it is an arm64 JRE 17
# under qemu's user mode, both unpacked from Debian packages into the tools cache.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ "$(uname -m)" = aarch64 ]; then
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@"
fi

make_java_aarch64() {
  local folder=$1 link
  private_apt "$folder" apt-get -q update &&
    unpack_packages {openjdk-17-jre-headless,libc6,libgcc-s1,libstdc++6,zlib1g}:arm64 "qemu-user-static:$(dpkg --print-architecture)" "$folder" || return
  # qemu leaves the target of a link to the kernel, which would look for it outside the folder.
  find "$folder" -lname '/*' | while read -r link; do
    ln -snfr "$folder$(readlink "$link")" "$link" || return
  done
}

is_debian || fail "the aarch64 library is tested with Debian's packages for arm64, and this system has none.
Run the tests on Debian, or on an aarch64 machine."
cached java-aarch64 make_java_aarch64 || fail "the arm64 Java for the test of the aarch64 library could not be unpacked: see above.
The system's package sources must have arm64 packages too; Ubuntu has them in an archive of their own, for ports."
folder=$tools_cache/java-aarch64
exec "$folder/usr/bin/qemu-aarch64-static" -L "$folder" "$folder/usr/lib/jvm/java-17-openjdk-arm64/bin/java" "$@"
