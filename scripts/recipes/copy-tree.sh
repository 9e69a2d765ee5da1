#!/bin/sh
# Copies a tree to another folder or machine, at any time. Readers of the copy see every front whole at every moment:
#
#   copy-tree.sh TREE DESTINATION STATE
#   copy-tree.sh /var/lib/playbill/out edge1.example:/srv/playbill/ /var/lib/playbill/copied-to-edge1
#
# STATE is a folder for this script, one per destination. Run it from cron or by `playbill build --on-publish`; a second run waits for the first.
# Needs rsync 3.2.4 or newer at both ends (--fsync). GRACE_SECONDS (3600): how long a file that was removed here stays there.
#
#   1. Save the current pointers. Builds may go on: the files that these pointers name exist, and stay for the grace time.
#   2. Copy everything but pointers, the key ring last. No reader of the copy uses the new files yet.
#   3. Copy the saved pointers; remove those of fronts that no longer exist.
#   4. Remove files that were already missing here one grace time ago, after the pointers had been copied.
#
# If it is interrupted, every front has either its old snapshot or its new one. Run it again to finish.
set -eu
if [ $# -ne 3 ]; then
  echo 'usage: copy-tree.sh TREE DESTINATION STATE' >&2
  exit 2
fi
tree=${1%/}
destination=${2%/}
state=${3%/}
grace=${GRACE_SECONDS:-3600}

# If the tree is not mounted, do not empty the destination.
if [ ! -f "$tree/releases/current" ]; then
  echo "copy-tree.sh: expected a tree with a release at $tree, found none" >&2
  exit 2
fi

mkdir -p "$state/aside/releases"
exec 9> "$state/lock"
flock 9

# 24: a file vanished during the copy, a temporary file or the pointer of a removed front. Any other error ends the script.
copy() {
  rsync --recursive --times "$@" || [ $? -eq 24 ]
}

# Compare by content: two pointers, or two key rings, may have the same size and time.
# Save `current` before the pointers: builds write it after them.
cp "$tree/releases/current" "$state/aside/releases/current"
copy --checksum --delete --include='*/' --include='/public/fronts/*/pointer.json' --exclude='*' "$tree/" "$state/aside/"

copy --fsync --exclude='.*' --exclude='/edge/***' --exclude='/runs/***' --exclude='/public/fronts/*/pointer.json' --exclude='/releases/current' \
  "$tree/" "$destination/"
copy --fsync --checksum --exclude='.*' "$tree/edge/" "$destination/edge/"

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
