#!/bin/sh
# A build in several processes on this machine: shards.sh NUMBER [OPTION OF BUILD]…
# The catalogue and the tree are named by PLAYBILL_DB and PLAYBILL_OUT, which finish reads as well. Exits as finish does: with 3 where a
# shard has failed, whose fronts then keep their snapshots.
set -eu

shards=${1:?expected how many processes, as in shards.sh 2}
shift
# A signal to this script ends them all.
trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
# Used once: the time, and this process.
run=$(date -u +%Y%m%dT%H%M%SZ)-$$

index=0
while [ "$index" -lt "$shards" ]; do
  playbill build --shard "$index/$shards" --run "$run" "$@" > /dev/null &
  index=$((index + 1))
done
# Of all of them, however they end; what is wrong they have said on stderr.
wait

exec playbill finish --run "$run" --shards "$shards"
