#!/bin/sh
# Builds in several processes on this machine: shards.sh NUMBER [OPTION OF BUILD]…
# Set PLAYBILL_DB and PLAYBILL_OUT to the catalogue and the tree; finish reads them as well. Exits with the exit code of finish: 3 if a shard has
# failed, whose fronts then keep their snapshots.
set -eu

shards=${1:?expected how many processes, as in shards.sh 2}
shift
# A signal to this script ends all processes.
trap 'kill $(jobs -p) 2>/dev/null; exit 143' TERM
# A unique name: the time and this process.
run=$(date -u +%Y%m%dT%H%M%SZ)-$$

index=0
while [ "$index" -lt "$shards" ]; do
  playbill build --shard "$index/$shards" --run "$run" "$@" > /dev/null &
  index=$((index + 1))
done
# Wait for all shards, failed ones included: they report errors on stderr.
wait

exec playbill finish --run "$run" --shards "$shards"
