# Process 1 of the pod. Stays until TERM or until the runner has given no sign of life for $1 seconds
# (0: for ever), and reaps what is orphaned meanwhile: every shell's `wait` does.
# Never ends with 0: a Job whose pod did would count as complete.
base=${2-}
# Whoever looks on, and has a file here that says so, gets a second to read the end of the log.
leave() {
  trap '' TERM INT HUP
  code=$1 left=''
  echo 2>/dev/null >"$base/.knotless/ending"
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    set -- "$base"/.knotless/w.*
    [ -e "$1" ] || break
    sleep 0.1 2>/dev/null || { sleep 1 && break; }
    left=yes
  done
  [ -z "$left" ] || [ -e "$1" ] || sleep 0.1 # for what it has said to get out
  exit "$code"
}
trap 'leave 143' TERM INT HUP
last='' quiet=0
while :; do
  sleep 5 &
  wait $!
  [ "$1" -gt 0 ] || continue
  beat=''
  read -r beat 2>/dev/null <"$base/.knotless/lease"
  if [ "$beat" = "$last" ]; then quiet=$((quiet + 5)); else last=$beat quiet=0; fi
  [ "$quiet" -lt "$1" ] || leave 75
done
