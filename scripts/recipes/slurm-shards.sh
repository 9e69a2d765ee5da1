#!/bin/sh
# A build as an array of Slurm: slurm-shards.sh NUMBER [OPTION OF BUILD]…
# The catalogue and the tree are named by PLAYBILL_DB and PLAYBILL_OUT, and have the same address on every node. Waits for the end, and exits
# as finish does; with 1 where a shard has failed: then finish does not run, and everything that is published stays.
set -eu

shards=${1:?expected how many tasks, as in slurm-shards.sh 8}
shift
options=
for option in "$@"; do options="$options '$(printf %s "$option" | sed "s/'/'\\\\''/g")'"; done

# The array's own id is the run's name. Slurm gives each task its index.
run=$(
  sbatch --parsable --job-name=playbill --array="0-$((shards - 1))" --wrap \
    "exec playbill build --shard \$SLURM_ARRAY_TASK_ID/$shards --run \$SLURM_ARRAY_JOB_ID $options"
)
# A shard that has failed makes afterok impossible; without --kill-on-invalid-dep the job would wait for ever.
code=0
finish=$(
  sbatch --wait --parsable --job-name=playbill-finish --dependency="afterok:$run" --kill-on-invalid-dep=yes --wrap \
    "exec playbill finish --run $run --shards $shards"
) || code=$?

# Of a job that was cancelled Slurm says 0.
case $(scontrol --oneliner show job "$finish") in
  *' JobState=CANCELLED'*)
    echo "slurm-shards.sh: a shard of job $run has failed (see slurm-${run}_*.out); finish has not run" >&2
    exit 1
    ;;
esac
echo "finish was job $finish (see slurm-$finish.out)"
exit "$code"
