# Shows somebody who only looks on what all steps wrote, each from its first byte. stdin: one header line
#   WORD SEEN OFFSET IDLE
# (SEEN steps that have been seen to their end are left out, and of the next one OFFSET bytes; IDLE tenths of a
# second without a running step and without a sign of life from the runner end it, 0: none do).
# stdout: a line "watching begun" or "watching none", then for each step a line
#   \036WORD STEP NONCE NAME
# and its log, with the mark by which the step's own output ends, and what was written behind that; at last, when the
# pod ends or was idle, a line
#   \036WORD over
# It ends with stdin. stderr: a dot now and then, as a sign of life.
# It writes nothing but a file of its own, for which process 1 waits a moment when the pod ends.
base=${0%/.knotless/bin/*}
root=$base/.knotless
read -r word seen offset idle || exit 0
here=$root/w.$$
finish() {
  rm -f "$here"
  exit "$1"
}
over() {
  printf '\036%s over\n' "$word" # before the file goes: then all may be killed
  finish 0
}
trap 'finish 1' PIPE TERM INT HUP
echo >"$here"
# The end of stdin tells that nobody is there any more: a runtime goes on taking what nobody reads. A background
# command has no stdin of its own, so it gets this one by another number.
exec 6<&0
(cat && kill -s HUP $$) <&6 >/dev/null 2>&1 &
exec 6<&-
exec 5<"$root/begun"
if [ -s "$root/begun" ]; then echo 'watching begun'; else echo 'watching none'; fi
while [ "$seen" -gt 0 ] && IFS= read -r line <&5; do seen=$((seen - 1)); done

step='' line='' beat='' quiet=0 since=0
while :; do
  # Looked for before the log is read, so that what was written until then is still in it.
  ending=no
  [ ! -e "$root/ending" ] || ending=yes
  IFS= read -r line <&5 || line=''
  [ -z "$step" ] || cat <&3 || finish 1 # nobody reads any more
  if [ -n "$line" ]; then
    printf '\036%s %s\n' "$word" "$line" || finish 1
    step=${line%% *}
    exec 3<"$base/.knotless-log/$step"
    [ "$offset" -eq 0 ] || dd bs=1 count=0 skip="$offset" <&3 2>/dev/null
    offset=0
    continue
  fi
  [ "$ending" = no ] || over

  if sleep 0.3 2>/dev/null; then nap=3; else sleep 1 && nap=10; fi
  since=$((since + nap)) quiet=$((quiet + nap)) last=$beat
  if [ "$since" -ge 50 ]; then
    since=0
    printf . >&2 || finish 1
  fi
  read -r beat 2>/dev/null <"$root/lease"
  [ "$beat" = "$last" ] || quiet=0
  [ -z "$step" ] || [ -s "$root/s/$step.exit" ] || quiet=0
  [ "$idle" -eq 0 ] || [ "$quiet" -lt "$idle" ] || over
done
