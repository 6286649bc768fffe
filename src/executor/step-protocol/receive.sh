# Unpacks an archive at /. stdin: one header line
#   NONCE PACKING BYTES AGAIN
# (PACKING gzip or none; BYTES "-" where the end of stdin ends it; AGAIN yes where an earlier try left a part),
# then the archive, whose last entry is .knotless/received-NONCE. stdout: what tar had to say (one stream with
# the answer, so that neither overtakes the other), then "received CODE NONCE", the nonce only if that entry
# has come. stderr: \006 every 5 s, as a sign of life: the API server answers pings for a node that is dead.
# Ownership is not restored (-o): it would need rights that a job has no use for.
base=${0%/.knotless/bin/*}
read -r nonce packing bytes again || exit 0
cd "$base/" || exit 1
umask 0

# Holds none of the exec's streams but stderr, and its sleep not even that, or the exec would end late.
(while sleep 5 2>/dev/null && kill -0 $$ 2>/dev/null; do printf '\006' >&2; done) >/dev/null &
ticker=$!

# An earlier try may only seem dead: what its road still holds must not be written over what comes now.
end_earlier() {
  for process in /proc/[0-9]*; do
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in *"KNOTLESS_RECEIVE=$base/"*) kill -s KILL "${process#/proc/}" 2>/dev/null ;; esac
    done 2>/dev/null <"$process/environ"
  done
}
if [ "$again" != no ]; then
  end_earlier
  rm -rf work/..?* work/.[!.]* work/* steps/..?* steps/.[!.]* steps/*
fi
export KNOTLESS_RECEIVE="$base/"

words=.knotless-log/received-$nonce
unpack() {
  case $packing in
    gzip) gzip -dc | tar xpof - ;;
    *) tar xpof - ;;
  esac 2>"$words"
}
code=0
if [ "$bytes" = - ]; then
  unpack || code=$?
else
  # no end of stdin on this road: tar would wait for it for ever
  head -c "$bytes" | unpack || code=$?
fi
seen=-
read -r seen 2>/dev/null <".knotless/received-$nonce"
[ ! -s "$words" ] || tail -n 20 "$words" | head -c 4000
rm -f ".knotless/received-$nonce" "$words"
echo
echo "received $code $seen"
# A program that ends while more of its stdin is on the way hangs the exec.
[ "$code" -eq 0 ] || cat >/dev/null
# A runtime may tell that an exec ended and leave out the last of what it wrote: the answer.
sleep 1
exec 2>/dev/null # bash tells of what it kills
kill "$ticker"
