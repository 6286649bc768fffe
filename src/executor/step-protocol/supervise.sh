# Runs one step and outlives the exec that started it:  supervise STEP NONCE BODY
# The first to take the lock runs the step; there is never a second.
# The step's shell ends -> its exit code goes to STEP.exit (in memory: a full disk must not lose it) and, as
# the mark, into the step's own output, so that no byte of it can be behind the verdict.
#   mark: \036NONCE CODE CPU CPU-UNIT PEAK PEAK-BEFORE OOM-KILLS \n      ("-" where the kernel does not tell)
# shellcheck disable=SC2154  # sh, setsid, mkfifo, tick, home are set in the file `tools`
base=${0%/.knotless/bin/*}
root=$base/.knotless
step=$1 nonce=$2 body=$3
state=$root/s/$step
set -C
echo $$ 2>/dev/null >"$state.lock" || { rm -f "$body"; exit 0; } # it may hold secrets
set +C

# shellcheck source=/dev/null
. "$root/tools" # sh, setsid: paths or nothing; home: image or own

count() {
  cpu=- unit=- peak=- kills=0
  if [ -r /sys/fs/cgroup/cpu.stat ]; then
    unit=us
    while read -r key value; do
      [ "$key" != usage_usec ] || cpu=$value
    done </sys/fs/cgroup/cpu.stat
    [ ! -r /sys/fs/cgroup/memory.peak ] || read -r peak </sys/fs/cgroup/memory.peak
    events=/sys/fs/cgroup/memory.events
  else
    unit=ns
    [ ! -r /sys/fs/cgroup/cpuacct/cpuacct.usage ] || read -r cpu </sys/fs/cgroup/cpuacct/cpuacct.usage
    [ ! -r /sys/fs/cgroup/memory/memory.max_usage_in_bytes ] ||
      read -r peak </sys/fs/cgroup/memory/memory.max_usage_in_bytes
    events=/sys/fs/cgroup/memory/memory.oom_control
  fi
  [ -r "$events" ] || return 0
  while read -r key value; do
    [ "$key" != oom_kill ] || kills=$value
  done <"$events"
}
poke() {
  wake=''
  read -r wake 2>/dev/null <"$state.wake"
  [ ! -p "$wake" ] || echo 1<>"$wake"
}

count
cpu_before=$cpu peak_before=$peak kills_before=$kills
{
  (
    read -r pid _ </proc/self/stat && echo "$pid" >"$state.pid"
    cd "$base/work" || exit 126
    if [ "$home" = own ]; then
      export HOME="$base/tmp/home"
      [ -d "$HOME" ] || mkdir -p "$HOME"
    fi
    knotless_script='' knotless_name=''
    # shellcheck source=/dev/null
    . "$body"
    : >"$body"
    printf '%s %s %s\n' "$step" "$nonce" "$knotless_name" 2>/dev/null >>"$root/begun" # for who looks on
    printf '%s\n' "$knotless_script" >"$state.script"
    # shellcheck disable=SC2086
    exec $setsid "$sh" -e "$state.script"
  ) </dev/null 2>&1
  code=$?
  count
  echo "$code" >"$state.exit"
  printf '\036%s %s %s %s %s %s %s %s\n' "$nonce" "$code" "$cpu_before" "$cpu" "$unit" "$peak_before" "$peak" \
    "$((kills - kills_before))"
  poke
} 2>/dev/null | { # the shell's own words on how the step died are no output of the step
  cat >>"$base/.knotless-log/$step" || : >"$state.broken"
  : >"$state.drained"
  poke
}
