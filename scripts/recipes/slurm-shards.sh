#!/bin/sh
# A build as an array of Slurm: slurm-shards.sh NUMBER [OPTION OF BUILD]…
# With the settings of PLAYBILL_CONFIG, or of PLAYBILL_DB and PLAYBILL_OUT, by addresses that work on every node. Waits for the end, and exits as finish
# does: with 3 if a shard has failed, whose fronts then keep their snapshots. A shard that exits 75 (the database or the store is busy) is tried three
# times, half a minute apart.
set -eu

shards=${1:?expected how many tasks, as in slurm-shards.sh 8}
shift
options=
for option in "$@"; do options="$options '$(printf %s "$option" | sed "s/'/'\\\\''/g")'"; done

# The id of the array job is the name of the run. Slurm gives each task its index.
run=$(
  sbatch --parsable --job-name=playbill --array="0-$((shards - 1))" --wrap \
    "attempt=1
    while playbill build --shard \$SLURM_ARRAY_TASK_ID/$shards --run \$SLURM_ARRAY_JOB_ID $options; code=\$?; [ \$code -eq 75 ] && [ \$attempt -lt 3 ]; do
      attempt=\$((attempt + 1))
      sleep 30
    done
    exit \$code"
)
# After any end of the shards: one that has failed costs its own fronts.
code=0
finish=$(
  sbatch --wait --parsable --job-name=playbill-finish --dependency="afterany:$run" --wrap \
    "exec playbill finish --run $run --shards $shards"
) || code=$?

# For a cancelled job, sbatch exits 0.
case $(scontrol --oneliner show job "$finish") in
  *' JobState=CANCELLED'*)
    echo "slurm-shards.sh: job $finish was cancelled; finish has not run" >&2
    exit 1
    ;;
esac
echo "finish was job $finish (see slurm-$finish.out)"
exit "$code"
