#!/bin/sh
# A build in several processes on this machine: shards.sh NUMBER [OPTION OF BUILD]…
# PLAYBILL_DB and PLAYBILL_OUT name the catalogue and the tree; finish reads them as well. Exits as finish does: with 3 where a shard has
# failed, whose fronts then keep their snapshots.
set -eu

shards=${1:?expected how many processes, as in shards.sh 2}
shift
# A run's name is used once: the time, and the id of this process.
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
# Returns when all have ended, however they did; they print their errors themselves.
wait

exec playbill finish --run "$run" --shards "$shards"
