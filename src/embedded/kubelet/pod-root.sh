#!/bin/sh
# Makes the root of one container and becomes its process 1. It is started by `unshare` as the first process
# of new user, mount, pid, uts and ipc namespaces, so every mount made here goes when that process goes.
#
#   pod-root.sh ROOT MOUNTS MODE WORKDIR HOSTNAME SETPRIV_OPTIONS SEARCH NAME COMMAND [ARG...]
#
# ROOT     a folder that becomes /, with a place for each mount; it holds what the container writes outside of
#          its volumes
# MOUNTS   a table for `mount --all`; its first line makes ROOT a mount
# MODE     ro or rw: the root itself
# SEARCH   the PATH by which the program NAME must be found; COMMAND starts it (by way of env)
#
# File descriptor 3 is told "pid N" (in the parent's numbering), then "go" just before the command starts, or
# "missing" (no such command), or "error TEXT". Descriptor 4 becomes the command's standard error; until then,
# and for unshare itself, standard error is for trouble with the making of the container.
set -eu
umask 022

fail() {
  echo "error $*" >&3
  exit 128
}

read -r pid _ </proc/self/stat
echo "pid $pid" >&3

root=$1 mounts=$2 mode=$3 workdir=$4 hostname=$5 privileges=$6 search=$7 name=$8
shift 8

mount -n -a -T "$mounts" || fail "cannot make the container's mounts:"
hostname "$hostname" 2>/dev/null || :

# After this nothing of the machine's own tree can be reached, not even by a way out of a chroot.
mkdir "$root/.old"
cd "$root"
pivot_root . .old || fail "cannot change the root:"
umount -n -l /.old || fail "cannot let go of the old root:"
rmdir /.old
[ -d "$workdir" ] || mkdir -p "$workdir" || fail "cannot make $workdir:"
[ "$mode" = rw ] || mount -n -o remount,bind,ro / || fail "cannot make the root read-only:"
cd "$workdir"

found=
case $name in
*/*) [ ! -f "$name" ] || [ ! -x "$name" ] || found=1 ;;
*)
  IFS=:
  for folder in $search; do
    if [ -f "$folder/$name" ] && [ -x "$folder/$name" ]; then
      found=1
      break
    fi
  done
  ;;
esac
if [ -z "$found" ]; then
  echo missing >&3
  exit 128
fi
echo go >&3
IFS=' '
# The options are ours and hold no spaces but those between them.
# shellcheck disable=SC2086
exec setpriv $privileges -- "$@" 2>&4 3>&- 4>&-
