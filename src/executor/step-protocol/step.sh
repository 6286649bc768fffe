# An exec for steps, one after another. It may be opened long before a step's turn: it waits for its header
#   STEP OFFSET NONCE BYTES
# and then for a body of BYTES bytes, a shell program whose last line is "# NONCE". With a body it starts the
# step, unless an earlier connection has; in both cases it then follows the step's log from OFFSET on.
# stdout: one line "accepted" or "refused WHY", the log, and at its end the line "\036NONCE over": the next header
# may come. stderr: a dot now and then, as a sign of life.
# Nothing else may follow the body on stdin: a busybox head reads further than it was asked to.
# shellcheck disable=SC2154  # sh, setsid, mkfifo, tick are set in the file `tools`
base=${0%/.knotless/bin/*}
root=$base/.knotless
# shellcheck source=/dev/null
. "$root/tools" # sh, setsid, mkfifo: paths or nothing; tick: seconds
wake=$root/s/wake.$$
fifo=no
# The descriptor is kept whatever becomes of the name.
[ -n "$mkfifo" ] && "$mkfifo" "$wake" 2>/dev/null && exec 4<>"$wake" && fifo=yes

# Starts the step if nobody has; nothing of it is ours after that.
start() {
  body=$state.body.$$
  head -c "$bytes" >"$body"
  if [ "$(tail -n 1 "$body")" != "# $nonce" ]; then
    echo 'refused the body came short'
    return 1
  fi
  # Twice: the first makes a session leader, which the second must fork away from. So the supervisor is
  # detached without `&`, which would have the step ignore SIGINT for good.
  if [ -n "$setsid" ]; then
    "$setsid" "$setsid" "$sh" "$root/bin/supervise" "$step" "$nonce" "$body" </dev/null >/dev/null 2>&1 3<&- 4<&-
  else
    "$sh" "$root/bin/supervise" "$step" "$nonce" "$body" </dev/null >/dev/null 2>&1 3<&- 4<&- &
  fi
  return 0
}

# Costs no process. Ticks are no measure of time: where the processor is scarce, each takes many times its length.
clock() {
  read -r seconds _ </proc/uptime
  seconds=${seconds%.*}
}
# Wakes the follower; the supervisor does too, when there is something to end for. Its dots also end it, once
# nobody is there to read them.
# Ticks are far between where no output has come for a while: each costs two processes.
ticking() {
  clock
  due=$((seconds + 5)) pace=$tick at='' still=0
  while sleep "$pace" && kill -0 $$ 2>/dev/null; do
    [ "$fifo" = no ] || echo >&4
    place=''
    read -r _ place 2>/dev/null <"/proc/$$/fdinfo/3"
    if [ -n "$place" ] && [ "$place" = "$at" ]; then still=$((still + 1)); else still=0; fi
    at=$place pace=$tick
    [ "$tick" = 1 ] || [ "$still" -lt 10 ] || pace=0.5
    clock
    [ "$seconds" -lt "$due" ] || { printf . >&2 && due=$((seconds + 5)); }
  done
}
pause() {
  if [ "$fifo" = yes ]; then read -r _ <&4; else sleep "$tick"; fi
}
supervisor_is_gone() {
  supervisor='' state_of=''
  read -r supervisor 2>/dev/null <"$state.lock"
  read -r _ _ state_of _ 2>/dev/null <"/proc/${supervisor:-none}/stat"
  { [ -z "$state_of" ] || [ "$state_of" = Z ]; } && [ ! -s "$state.exit" ]
}

# A runtime goes on taking what nobody reads: only that the runner follows by another exec tells that this one is lost.
follower_is_replaced() {
  newest=''
  read -r newest 2>/dev/null <"$state.wake"
  [ -n "$newest" ] && [ "$newest" != "$wake" ]
}

# Descriptor 3 keeps the place where the last cat stopped. `drained` is there when the log has its last byte; where
# the step left something behind that holds its output open, `exit` and a few rounds must do.
follow() {
  over=0 look=''
  while :; do
    if [ -e "$state.drained" ]; then
      over=99
    elif [ -s "$state.exit" ]; then
      over=$((over + 1))
    fi
    cat <&3 || return 1 # nobody reads any more
    [ "$over" -lt 30 ] || break
    pause
    clock
    look=${look:-$((seconds + 5))}
    if [ "$over" -eq 0 ] && [ "$seconds" -ge "$look" ]; then
      # neither running nor ended: not a reason to start it again
      ! supervisor_is_gone || return 4
      ! follower_is_replaced || return 1
      look=''
    fi
  done
  [ ! -e "$state.broken" ] || return 5
  # without the exit status nothing will ever be the end of this log
  [ -s "$state.exit" ] || return 4
}

verdict=0
while [ "$verdict" -eq 0 ] && read -r step offset nonce bytes; do
  state=$root/s/$step
  log=$base/.knotless-log/$step
  true >>"$log" || { echo 'refused the log cannot be written' && verdict=1 && break; }
  echo "$wake" >"$state.wake"
  [ "$bytes" -eq 0 ] || start || { verdict=1 && break; }
  exec 3<"$log"
  [ "$offset" -eq 0 ] || dd bs=1 count=0 skip="$offset" <&3 2>/dev/null
  echo accepted
  ticking &
  ticker=$!
  follow || verdict=$?
  { kill "$ticker" && wait "$ticker"; } 2>/dev/null # waited for, since bash would tell of it
  [ "$verdict" -ne 0 ] || printf '\036%s over\n' "$nonce"
done
rm -f "$wake"
exit "$verdict"
