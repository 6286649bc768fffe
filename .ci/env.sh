# shellcheck shell=bash disable=SC2034
# Sourced by what lies beside it. CI's clusters have slots of their own, so that it
# leaves those of a developer as they are.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
cache=${REALK8S_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/realk8s}
unset "${!REALK8S_@}" "${!KNOTLESS_@}" KUBECONFIG
export REALK8S_CACHE=$cache
versions=(1.34 1.36)
declare -A slots=([1.34]=8 [1.36]=9)
