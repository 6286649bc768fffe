#!/usr/bin/env bash
# Signs in at the gateway, creates the tenant's cluster, and prints the path of its kubeconfig; with DELETE=1 deletes
# the cluster instead, and what is kept of it here:
#   KNOTLESS_K8S_CREDENTIALS=FILE scripts/tenant-kubeconfig.sh
#   KNOTLESS_K8S_CREDENTIALS=FILE DELETE=1 scripts/tenant-kubeconfig.sh
# Each flag of the `tenant` commands is a variable here: KNOTLESS_K8S_GATEWAY, _PROFILE_FILE, _STATE_DIR, _CLUSTER,
# _BROWSER, _SIGN_IN_COMMAND, … The kubeconfig is ~/.tmp/knotless-runner-k8s/tenant/knotless-poc.kubeconfig.yaml if
# nothing else is said.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -f "$root/dist/bin/main.js" ]; then
  command=(node "$root/dist/bin/main.js")
else
  command=(node "$root/scripts/run-ts.mjs" "$root/src/cli/main.ts")
fi
"${command[@]}" tenant sign-in >&2
if [ "${DELETE:-}" = 1 ]; then exec "${command[@]}" tenant delete; fi
"${command[@]}" tenant create >&2
exec "${command[@]}" tenant kubeconfig
