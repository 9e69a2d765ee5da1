#!/bin/sh
# Builds in several processes on this machine: shards.sh NUMBER [OPTION OF BUILD]…
# With the settings of playbill.json, or of PLAYBILL_DB and PLAYBILL_OUT: finish reads them as well. Exits with the exit code of finish: 3 if a shard
# has failed, whose fronts then keep their snapshots.
set -eu

shards=${1:?expected how many processes, as in shards.sh 2}
shift
# A unique name: the time and this process.
run=$(date -u +%Y%m%dT%H%M%SZ)-$$

pids=
# A signal to this script ends the shards too: the shell starts them deaf to Ctrl-C.
trap 'kill $pids 2>/dev/null || :' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
index=0
while [ "$index" -lt "$shards" ]; do
  playbill build --shard "$index/$shards" --run "$run" "$@" > /dev/null &
  pids="$pids $!"
  index=$((index + 1))
done
# Wait for all shards, failed ones included: they report errors on stderr.
wait

exec playbill finish --run "$run" --shards "$shards"
