#!/usr/bin/env bash
# Checks every shell script of the repository.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t hosts < <(git ls-files '*.sh' .ci/run ':!src')
mapfile -t pods < <(git ls-files 'src/*.sh') # run by the sh of any image; they have no #! line
echo "${#hosts[@]} scripts of ours, ${#pods[@]} that run in pods"
[ ${#hosts[@]} -gt 0 ] && [ ${#pods[@]} -gt 0 ]
shellcheck -x -P SCRIPTDIR "${hosts[@]}"
shellcheck -s sh "${pods[@]}"
