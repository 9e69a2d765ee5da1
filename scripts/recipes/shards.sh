#!/bin/sh
# Builds in several processes on this machine: shards.sh NUMBER [OPTION OF BUILD]…
# With the settings of playbill.json, or of PLAYBILL_DB and PLAYBILL_OUT: finish reads them as well. Exits with the exit code of finish: 3 if a shard
# has failed, whose fronts then keep their snapshots. A shard that exits 75 (the database or the store is busy) is tried three times, half a minute apart.
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
indexes=
index=0
while [ "$index" -lt "$shards" ]; do
  indexes="$indexes $index"
  index=$((index + 1))
done
attempt=1
while :; do
  pids=
  started=
  for index in $indexes; do
    playbill build --shard "$index/$shards" --run "$run" "$@" > /dev/null &
    pids="$pids $!"
    started="$started $index:$!"
  done
  # Wait for all shards, failed ones included: they report errors on stderr.
  indexes=
  for one in $started; do
    code=0
    wait "${one#*:}" || code=$?
    [ "$code" -ne 75 ] || indexes="$indexes ${one%:*}"
  done
  [ -n "$indexes" ] && [ "$attempt" -lt 3 ] || break
  attempt=$((attempt + 1))
  # In the background, so that a signal ends it.
  sleep 30 &
  pids=$!
  wait "$pids"
done

exec playbill finish --run "$run" --shards "$shards"
