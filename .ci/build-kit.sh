#!/usr/bin/env bash
# Builds both versions of the real cluster, and its images.
set -euo pipefail
. "$(dirname "$0")/env.sh"
for version in "${versions[@]}"; do .ci/kit.sh "$version" e2e/cluster/build.sh; done
.ci/kit.sh "${versions[0]}" e2e/cluster/images.sh all
