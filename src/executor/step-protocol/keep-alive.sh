# Process 1 of the pod. Stays until TERM or until the runner has given no sign of life for $1 seconds
# (0: for ever), and reaps what is orphaned meanwhile: every shell's `wait` does.
# Never ends with 0: a Job whose pod did would count as complete.
base=${2-}
trap 'exit 143' TERM INT HUP
last='' quiet=0
while :; do
  sleep 5 &
  wait $!
  [ "$1" -gt 0 ] || continue
  beat=''
  read -r beat 2>/dev/null <"$base/.knotless/lease"
  if [ "$beat" = "$last" ]; then quiet=$((quiet + 5)); else last=$beat quiet=0; fi
  [ "$quiet" -lt "$1" ] || exit 75
done
