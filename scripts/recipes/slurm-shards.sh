#!/bin/sh
# A build as an array of Slurm: slurm-shards.sh NUMBER [OPTION OF BUILD]…
# With the settings of PLAYBILL_CONFIG, or of PLAYBILL_DB and PLAYBILL_OUT, by addresses that work on every node. Waits for the end, and exits as finish
# does; with 1 if a shard has failed: then finish does not run, and what is published stays.
set -eu

shards=${1:?expected how many tasks, as in slurm-shards.sh 8}
shift
options=
for option in "$@"; do options="$options '$(printf %s "$option" | sed "s/'/'\\\\''/g")'"; done

# The id of the array job is the name of the run. Slurm gives each task its index.
run=$(
  sbatch --parsable --job-name=playbill --array="0-$((shards - 1))" --wrap \
    "exec playbill build --shard \$SLURM_ARRAY_TASK_ID/$shards --run \$SLURM_ARRAY_JOB_ID $options"
)
# Once a shard has failed, afterok cannot be met; without --kill-on-invalid-dep the job would wait for ever.
code=0
finish=$(
  sbatch --wait --parsable --job-name=playbill-finish --dependency="afterok:$run" --kill-on-invalid-dep=yes --wrap \
    "exec playbill finish --run $run --shards $shards"
) || code=$?

# For a cancelled job, sbatch exits 0.
case $(scontrol --oneliner show job "$finish") in
  *' JobState=CANCELLED'*)
    echo "slurm-shards.sh: a shard of job $run has failed (see slurm-${run}_*.out); finish has not run" >&2
    exit 1
    ;;
esac
echo "finish was job $finish (see slurm-$finish.out)"
exit "$code"
