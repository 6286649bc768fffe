# Writes the named paths as one archive to stdout, .knotless/sent-NONCE last. stdin: one header line
#   NONCE PACKING COUNT
# and COUNT lines, each a path relative to /. stderr: tar's own words, and lines of ours that begin with the
# nonce: "NONCE missing INDEX" for each path that is not there, at the end "NONCE tar CODE"; and \006 every 5 s,
# anywhere between them, as a sign of life. Behind the archive a line "\036NONCE over"; it then waits for a line
# or the end of stdin, since a runtime may tell that an exec ended and leave out the last of what it wrote.
base=${0%/.knotless/bin/*}
read -r nonce packing count || exit 0
cd "$base/" || exit 1
index=0
set --
while [ "$index" -lt "$count" ]; do
  IFS= read -r path || exit 1
  if [ -e "$path" ] || [ -L "$path" ]; then
    set -- "$@" "$path"
  else
    echo "$nonce missing $index" >&2
  fi
  index=$((index + 1))
done
# As in receive.
(while sleep 5 2>/dev/null && kill -0 $$ 2>/dev/null; do printf '\006' >&2; done) >/dev/null &
ticker=$!

sent=.knotless/sent-$nonce
echo "$nonce" >"$sent"
pack() {
  tar cf - -- "$@" "$sent"
  echo $? >"$sent.code"
}
case $packing in
  gzip) pack "$@" | gzip -1 ;;
  *) pack "$@" ;;
esac
code=2
read -r code 2>/dev/null <"$sent.code"
rm -f "$sent" "$sent.code"
echo "$nonce tar $code" >&2
printf '\036%s over\n' "$nonce"
read -r _
exec 2>/dev/null # bash tells of what it kills
kill "$ticker"
