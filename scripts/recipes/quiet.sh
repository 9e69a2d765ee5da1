#!/bin/sh
# Runs a command for cron, which mails whatever is printed, and prints only what someone should read:
#
#   quiet.sh playbill build …
#
# Always prints messages (stderr): there are none when all is well. Prints the summary (stdout) only if the command failed. Is silent on exit code 5:
# another run holds the lock and does the work. Exits with the command's exit code.
set -u
if [ $# -eq 0 ]; then
  echo 'usage: quiet.sh COMMAND [ARGUMENT ...]' >&2
  exit 2
fi
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
"$@" > "$folder/summary" 2> "$folder/messages"
status=$?
[ "$status" -eq 5 ] && exit 5
cat "$folder/messages"
[ "$status" -eq 0 ] && exit 0
cat "$folder/summary"
echo "(exit $status: $*)"
exit "$status"
