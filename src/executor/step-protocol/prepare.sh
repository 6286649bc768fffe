# shellcheck disable=SC2034  # used by the lines that are put behind it
# The first lines of process 1; what follows them writes the programs.
bin=${2-}/.knotless/bin
umask 0
mkdir -p "$bin" "${2-}/.knotless/s"
: >"${2-}/.knotless/begun"
