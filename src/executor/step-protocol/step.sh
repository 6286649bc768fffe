# One exec of a step. It may be opened long before the step's turn: it waits for its header
#   STEP OFFSET NONCE BYTES
# and then for a body of BYTES bytes, a shell program whose last line is "# NONCE". With a body it starts the
# step, unless an earlier connection has; in both cases it then follows the step's log from OFFSET on.
# stdout: one line "accepted" or "refused WHY", then the log. stderr: a dot now and then, as a sign of life.
# Nothing may follow the body on stdin: a busybox head reads further than it was asked to.
# shellcheck disable=SC2154  # sh, setsid, mkfifo, tick are set in the file `tools`
base=${0%/.knotless/bin/*}
root=$base/.knotless
# shellcheck source=/dev/null
. "$root/tools" # sh, setsid, mkfifo: paths or nothing; tick: seconds
wake=$root/s/wake.$$
[ -n "$mkfifo" ] && "$mkfifo" "$wake" 2>/dev/null

read -r step offset nonce bytes || exit 0
state=$root/s/$step
log=$base/.knotless-log/$step
: >>"$log" || { echo 'refused the log cannot be written' && exit 1; }
echo "$wake" >"$state.wake"

if [ "$bytes" -gt 0 ]; then
  body=$state.body.$$
  head -c "$bytes" >"$body"
  if [ "$(tail -n 1 "$body")" != "# $nonce" ]; then
    echo 'refused the body came short'
    exit 1
  fi
  # Twice: the first makes a session leader, which the second must fork away from. So the supervisor is
  # detached without `&`, which would have the step ignore SIGINT for good.
  if [ -n "$setsid" ]; then
    "$setsid" "$setsid" "$sh" "$root/bin/supervise" "$step" "$nonce" "$body" </dev/null >/dev/null 2>&1
  else
    "$sh" "$root/bin/supervise" "$step" "$nonce" "$body" </dev/null >/dev/null 2>&1 &
  fi
fi

exec 3<"$log"
[ "$offset" -eq 0 ] || dd bs=1 count=0 skip="$offset" <&3 2>/dev/null
echo accepted

# The ticker wakes the follower; the supervisor does too, when there is something to end for.
# Its dots also end it, once nobody is there to read them.
# The descriptor is kept whatever becomes of the name.
fifo=no
[ -p "$wake" ] && exec 4<>"$wake" && fifo=yes
beats=5
[ "$tick" = 1 ] || beats=50
(
  ticks=0
  while sleep "$tick" && kill -0 $$ 2>/dev/null; do
    [ "$fifo" = no ] || echo >&4
    ticks=$((ticks + 1))
    [ $((ticks % beats)) -ne 0 ] || printf . >&2
  done
) &
ticker=$!
pause() {
  if [ "$fifo" = yes ]; then read -r _ <&4; else sleep "$tick"; fi
}

# The descriptor keeps the place where the last cat stopped. `drained` is there when the log has its last
# byte; where the step left something behind that holds its output open, `exit` and a few rounds must do.
rounds=0 over=0 verdict=0
while :; do
  if [ -e "$state.drained" ]; then
    over=99
  elif [ -s "$state.exit" ]; then
    over=$((over + 1))
  fi
  cat <&3 || { verdict=1 && break; } # nobody reads any more
  [ "$over" -lt 30 ] || break
  rounds=$((rounds + 1))
  if [ "$over" -eq 0 ] && [ $((rounds % beats)) -eq 0 ]; then
    supervisor='' state_of=''
    read -r supervisor 2>/dev/null <"$state.lock"
    read -r _ _ state_of _ 2>/dev/null <"/proc/${supervisor:-none}/stat"
    if { [ -z "$state_of" ] || [ "$state_of" = Z ]; } && [ ! -s "$state.exit" ]; then
      # neither running nor ended: not a reason to start it again
      verdict=4
      break
    fi
  fi
  pause
done
kill "$ticker" 2>/dev/null
# without the exit status nothing will ever be the end of this log
[ "$verdict" -ne 0 ] || [ -s "$state.exit" ] || verdict=4
[ ! -e "$state.broken" ] || verdict=5
rm -f "$wake"
exit "$verdict"
