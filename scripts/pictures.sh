#!/usr/bin/env bash
# Draws docs/pictures anew: real NiFi pages with the flows of this project, in a headless Chromium.
# After `./build.sh nar`.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=native.sh
. "$(dirname "${BASH_SOURCE[0]}")/native.sh"

have chromium || fail "Chromium and a Korean font are needed: sudo apt-get install -y chromium fonts-nanum"
need jdk mvn
use_jdk
use_java21
runtime=$root/tests/runtime
"$runtime/assemble.sh" all
mvn -q -f "$root/pom.xml" package -DskipTests -pl tests/runtime -am
exec java -cp "$runtime/target/classes:$runtime/target/lib/*" dev.rowhash.runtime.Pictures "$root/docs/pictures"
