#!/bin/sh
# Brings a tree from a bucket into a folder, at any time, so that its readers (nginx) see every front whole at every moment:
#
#   fetch-tree.sh BUCKET/PREFIX FOLDER STATE
#   fetch-tree.sh shop/tree /srv/playbill /var/lib/playbill-fetch
#
# STATE is a folder of this script's own. Run it from cron, every minute say; of two at once the second waits. Needs rclone 1.60 and rsync 3.2.4
# or newer. Endpoint, region and credentials come from AWS_ENDPOINT_URL, AWS_REGION and where rclone looks (env_auth): environment, profile, role.
#
#   1. The pointers as they are now are put aside, with the key ring. What they name is there, and stays for an hour at least.
#   2. Editions and manifests that are not here yet are fetched. Nobody looks for them yet.
#   3. The key ring, then the pointers that were put aside, take the places of those here; those of fronts that are gone are removed.
#   4. Editions and manifests that the bucket has no more are removed here.
#
# Stopped anywhere, it leaves every front its old snapshot or its new one; run again, it finishes the job.
set -eu
if [ $# -ne 3 ]; then
  echo 'usage: fetch-tree.sh BUCKET/PREFIX FOLDER STATE' >&2
  exit 2
fi
tree=:s3:${1%/}
folder=${2%/}
state=${3%/}

export RCLONE_CONFIG=/dev/null RCLONE_S3_ENV_AUTH=true RCLONE_S3_LIST_VERSION=2
export RCLONE_S3_ENDPOINT="${AWS_ENDPOINT_URL_S3:-${AWS_ENDPOINT_URL:-}}" RCLONE_S3_REGION="${AWS_REGION:-us-east-1}"
if [ -n "$RCLONE_S3_ENDPOINT" ]; then export RCLONE_S3_PROVIDER=Other; else export RCLONE_S3_PROVIDER=AWS; fi

mkdir -p "$state/aside" "$folder"
exec 9> "$state/lock"
flock 9

# One listing for all folders; times as the store has them, without a request for each object.
fetch() {
  rclone --quiet --fast-list --use-server-modtime "$@"
}

# A wrong prefix must not empty the folder.
fetch copyto "$tree/releases/current" "$state/current"

# By content: two pointers may be of one size.
fetch sync --checksum --filter '+ /public/fronts/*/pointer.json' --filter '+ /edge/keyring.json' \
  --filter '+ /releases/{current,hold,grace}' --filter '- *' "$tree/" "$state/aside"

# By size alone: the name of each says its content.
named() {
  fetch "$1" --size-only --filter '- pointer.json' --filter '+ /public/fronts/*/*' --filter '+ /releases/*.json' --filter '- *' \
    "$tree/" "$folder"
}
named copy

put() {
  rsync --recursive --checksum --fsync --delete --include='*/' "$@" --exclude='*' "$state/aside/" "$folder/"
}
put --include=/edge/keyring.json
put --include='/public/fronts/*/pointer.json' --include=/releases/current --include=/releases/hold --include=/releases/grace

named sync
