#!/usr/bin/env bash
# kit.sh VERSION COMMAND...: runs COMMAND with the settings of CI's cluster of that version.
set -euo pipefail
. "$(dirname "$0")/env.sh"
export REALK8S_VERSION=$1 REALK8S_SLOT=${slots[$1]}
export PATH=$cache/bin/$1:$PATH KUBECONFIG=$cache/slot-$REALK8S_SLOT/data/admin.kubeconfig
exec "${@:2}"
