#!/bin/sh
# Copies a tree to another folder or machine, at any time, so that its readers see every front whole at every moment:
#
#   copy-tree.sh TREE DESTINATION STATE
#   copy-tree.sh /var/lib/playbill/out edge1.example:/srv/playbill/ /var/lib/playbill/copied-to-edge1
#
# STATE is a folder of this script's own, one per destination. Run it from cron, or by `playbill build --on-publish`; of two at once the
# second waits. Needs rsync 3.2.4 or newer at both ends (--fsync). GRACE_SECONDS (3600): how long a file that is gone here stays there.
#
#   1. The pointers as they are now are put aside. Builds may go on: what these name is there already, and stays for the grace time.
#   2. Everything but pointers is copied, the key ring last. Nobody at the destination looks for the rest yet.
#   3. The pointers that were put aside are copied; those of fronts that are gone are removed.
#   4. Files that were gone here a grace time ago, when the pointers had been copied, are removed there.
#
# Stopped anywhere, it leaves every front its old snapshot or its new one; run again, it finishes the job.
set -eu
if [ $# -ne 3 ]; then
  echo 'usage: copy-tree.sh TREE DESTINATION STATE' >&2
  exit 2
fi
tree=${1%/}
destination=${2%/}
state=${3%/}
grace=${GRACE_SECONDS:-3600}

# An empty mount must not empty the destination.
if [ ! -f "$tree/releases/current" ]; then
  echo "copy-tree.sh: expected a tree with a release at $tree, found none" >&2
  exit 2
fi

mkdir -p "$state/aside/releases"
exec 9> "$state/lock"
flock 9

# 24: a file has vanished on the way, a temporary name or the pointer of a front that is gone. All else ends this run.
copy() {
  rsync --recursive --times "$@" || [ $? -eq 24 ]
}

# By content, not by size and time: two pointers are of one size, as two key rings are, and may be of one second.
# `current` before the pointers: in the tree it comes after them.
cp "$tree/releases/current" "$state/aside/releases/current"
copy --checksum --delete --include='*/' --include='/public/fronts/*/pointer.json' --exclude='*' "$tree/" "$state/aside/"

copy --fsync --exclude='.*' --exclude='/edge/***' --exclude='/runs/***' --exclude='/public/fronts/*/pointer.json' --exclude='/releases/current' \
  "$tree/" "$destination/"
copy --fsync --checksum "$tree/edge/" "$destination/edge/"

copy --fsync --checksum --delete --include='*/' --include='/public/fronts/*/pointer.json' --include='/releases/current' \
  --exclude='*' "$state/aside/" "$destination/"

if [ -f "$state/gone" ] && [ $(($(date +%s) - $(stat -c %Y "$state/gone"))) -ge "$grace" ]; then
  copy --delete-missing-args --files-from="$state/gone" "$tree/" "$destination/"
  rm "$state/gone"
fi
if [ ! -f "$state/gone" ]; then
  copy --dry-run --delete --itemize-changes --exclude='.*' --exclude='/public/fronts/*/pointer.json' \
    --exclude='/edge/***' --exclude='/runs/***' --exclude='/releases/current' "$tree/" "$destination/" |
    sed -n '/\/$/d; s/^\*deleting *//p' > "$state/gone.new"
  if [ -s "$state/gone.new" ]; then mv "$state/gone.new" "$state/gone"; else rm "$state/gone.new"; fi
fi
