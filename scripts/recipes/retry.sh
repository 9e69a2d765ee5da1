#!/bin/sh
# Runs a command, and again if it exits 75: the database or the store is busy or does not answer. Tries at most three times, half a minute apart:
#
#   retry.sh playbill build …
#
# Prints the messages (stderr) of the last attempt only: what has passed by itself needs nobody. Exits with the exit code of the last attempt, but with
# 0 for 7: all fronts are published, and what bad rows leave out is a metric, with an alert on its growth.
set -u
if [ $# -eq 0 ]; then
  echo 'usage: retry.sh COMMAND [ARGUMENT ...]' >&2
  exit 2
fi
exec 3>&1
attempt=1
while :; do
  messages=$("$@" 2>&1 >&3)
  status=$?
  [ "$status" -eq 75 ] && [ "$attempt" -lt 3 ] || break
  attempt=$((attempt + 1))
  sleep 30
done
[ -n "$messages" ] && printf '%s\n' "$messages" >&2
[ "$status" -eq 7 ] && exit 0
exit "$status"
