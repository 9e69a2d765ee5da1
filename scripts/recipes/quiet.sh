#!/bin/sh
# Runs a command for cron, which mails whatever is printed: what the command says is passed on only when somebody should read it.
#
#   quiet.sh playbill build …
#
# Messages (stderr) are always passed on: there are none when all is well. The summary (stdout) follows when the command failed. Exit 5
# is silent: another run holds the lock and does the work. Exits as the command did.
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
