#!/usr/bin/env bash
# Makes a runner's narrow kubeconfig from an admin's:
#   ADMIN_KUBECONFIG=FILE scripts/scoped-kubeconfig.sh [FLAG…]
# Flags are those of `knotless-runner-k8s kubeconfig scope`: -n NAMESPACE, --duration 8h, --renew, --revoke, …
# The kubeconfig is ~/.tmp/knotless-runner-k8s/tenant/knotless-runner.kubeconfig.yaml unless -o names another.
set -euo pipefail
: "${ADMIN_KUBECONFIG:?name the kubeconfig of an admin in ADMIN_KUBECONFIG}"
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -f "$root/dist/bin/main.js" ]; then
  command=(node "$root/dist/bin/main.js")
else
  command=(node "$root/scripts/run-ts.mjs" "$root/src/cli/main.ts")
fi
exec "${command[@]}" kubeconfig scope --kubeconfig "$ADMIN_KUBECONFIG" "$@"
