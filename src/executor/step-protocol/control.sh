# The runner's standing exec: greets with what this image can do, then obeys one line at a time.
#   beat TEXT           renews the lease                       -> beat TEXT
#   stop COOKIE SIGNAL  signals all processes of a step        -> stopped COOKIE PID, or none: it has not started
# A cookie is STEP.RUN, and stands in the environment of all that the step started.
base=${0%/.knotless/bin/*}
root=$base/.knotless

missing=''
for tool in cat dd head rm sleep tail tar; do
  command -v "$tool" >/dev/null || missing=$missing,$tool
done
unwritable=''
for folder in work steps outputs tmp; do
  [ -w "$base/$folder" ] || unwritable=$unwritable,/$folder
done
tick=1
sleep 0.01 2>/dev/null && tick=0.1
gzip=no
command -v gzip >/dev/null && gzip=yes
# Sourced by the other programs, perhaps at this moment: written once.
if [ ! -s "$root/tools" ]; then
  # Whether the image's home can be written is tried, not asked: a busybox's -w looks at the mode only, and takes
  # root's home on a read-only root for writable.
  home=own
  if [ -n "${HOME-}" ] && (: >"$HOME/.knotless.$$") 2>/dev/null; then
    home=image
    rm -f "$HOME/.knotless.$$"
  fi
  printf "sh='%s' setsid='%s' mkfifo='%s' tick=%s home=%s\n" \
    "$(command -v sh)" "$(command -v setsid)" "$(command -v mkfifo)" "$tick" "$home" >"$root/tools"
fi
echo "knotless 1 missing=${missing#,} unwritable=${unwritable#,} gzip=$gzip"

# Whether a process carries the step's cookie, wherever it has moved to. The shell's own read leaves out the
# NULs between variables; a busybox grep would see the first variable only.
carries() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *"KNOTLESS_STEP_ID=$2"*) return 0 ;; esac
  done 2>/dev/null <"/proc/$1/environ"
  return 1
}
signal_step() {
  pid=''
  read -r pid 2>/dev/null <"$root/s/${1%%.*}.pid"
  if [ -n "$pid" ]; then
    kill -s "$2" -- "-$pid" 2>/dev/null || kill -s "$2" "$pid" 2>/dev/null
  fi
  for process in /proc/[0-9]*; do
    process=${process#/proc/}
    if carries "$process" "$1"; then kill -s "$2" "$process" 2>/dev/null; fi
  done
  echo "stopped $1 ${pid:-none}"
}

while read -r verb what signal; do
  case $verb in
    beat)
      echo "$what" >"$root/lease"
      echo "beat $what"
      ;;
    stop)
      signal_step "$what" "$signal"
      ;;
  esac
done
