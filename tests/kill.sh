#!/usr/bin/env bash
# Kills a part of a count, a rank and mpirun at random moments, goes on with another number of ranks or another engine, and compares
# every bin with the count of a process that nobody killed.
#
#     tests/kill.sh ALBIREO [ALBIREO_MPI] [ROUNDS]        (10 rounds each; MPIRUN names the mpirun, SEED the moments)
set -euo pipefail
albireo="$(realpath "$1")"
mpi="${2:+$(realpath "$2")}"
rounds="${3:-10}"
mpirun="${MPIRUN:-mpirun}"
RANDOM="${SEED:-1}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder="$(mktemp -d)"
job=
end() {
  [ -z "$job" ] || kill -9 "$job" 2> /dev/null || true
  for id in $(of_this_folder); do kill -9 "$id" 2> /dev/null || true; done
  rm -rf "$folder"
}
trap end EXIT
cd "$folder"

# The processes that count in this folder.
of_this_folder() {
  local place
  for place in /proc/[0-9]*; do
    [ "$(readlink "$place/cwd" 2> /dev/null)" = "$folder" ] || continue
    case "$(readlink "$place/exe" 2> /dev/null)" in "$albireo" | "${mpi:-none}") echo "${place#/proc/}" ;; esac
  done
}

# A moment of the first part of a count, at random: some counts are done before they are killed, and begun again.
moment() { awk -v r=$RANDOM -v most="$whole" 'BEGIN { printf "%.3f", 0.05 + most / 3 * r / 32768 }'; }

# Waits until nobody counts here any more: orphans end by themselves.
quiet() { while [ -n "$(of_this_folder)" ]; do sleep 0.02; done; }

same() { cmp "$1" whole.csv || { echo "DIFFERENT: $2" >&2; exit 1; }; }

awk -v n="${POINTS:-20000}" 'BEGIN { srand(7); print "x,y,z,w"; for (i = 0; i < n; i++) print rand()*10 "," rand()*10 "," rand()*10 "," 0.5+rand() }' > d.csv
count=(count d.csv --weight w --bins lin:0:9:30 --mean-separation --threads 1 --isa portable -q)
start=$(date +%s%N)
"$albireo" "${count[@]}" -o whole.csv > /dev/null
whole=$(awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e9 }')
kept=(--checkpoint kept --checkpoint-every 0)

echo "a part of two, killed $rounds times (the whole takes $whole s)"
"$albireo" "${count[@]}" --shard 1/2 --part 1.alb
killed=0
for ((k = 0; killed < rounds && k < 20 * rounds; k++)); do
  "$albireo" "${count[@]}" --shard 0/2 --part 0.alb "${kept[@]}" & job=$!
  sleep "$(moment)"
  # One that is done is begun again.
  if kill -9 "$job" 2> /dev/null; then killed=$((killed + 1)); else rm -rf kept; fi
  wait "$job" 2> /dev/null || true
  rm -f 0.alb
done
job=
"$albireo" "${count[@]}" --shard 0/2 --part 0.alb "${kept[@]}"
told="$("$albireo" merge 1.alb 0.alb -o merged.csv 2>&1 > /dev/null)"
same merged.csv "parts"
echo "  killed $killed times, equal;$(grep -o " [0-9]* of [0-9]* units" <<< "$told")"
rm -rf kept

[ -n "$mpi" ] || { echo "SKIPPED: ranks and mpirun: no albireo-mpi named" >&2; exit 0; }
options=()
"$mpirun" --version | grep -q "Open MPI\|OpenRTE" && options=(--oversubscribe --bind-to none)
for whom in rank mpirun; do
  echo "a job of ranks whose $whom is killed $rounds times"
  killed=0
  for ((k = 0; killed < rounds && k < 20 * rounds; k++)); do
    timeout -k 5 120 "$mpirun" "${options[@]}" -n $((2 + k % 3)) "$mpi" "${count[@]}" "${kept[@]}" -o kept.csv > /dev/null 2>&1 & job=$!
    sleep "$(moment)"
    # Not while ranks start: mpirun 4.1 of Open MPI may hang then.
    until [ -e kept/all.lock ] || ! kill -0 "$job" 2> /dev/null; do sleep 0.02; done
    ids=($(of_this_folder))
    if [ "${#ids[@]}" -gt 0 ]; then
      id="${ids[$((RANDOM % ${#ids[@]}))]}"
      [ "$whom" = rank ] || id="$(awk '/^PPid:/ { print $2 }' "/proc/$id/status" 2> /dev/null || true)"
      [ -z "$id" ] || { kill -9 "$id" 2> /dev/null && killed=$((killed + 1)); } || true
    fi
    wait "$job" 2> /dev/null || true
    quiet
    [ ! -e kept.csv ] || { same kept.csv "ranks"; rm -rf kept kept.csv; }
  done
  job=
  timeout -k 5 300 "$mpirun" "${options[@]}" -n 2 "$mpi" "${count[@]}" "${kept[@]}" -o kept.csv > /dev/null
  same kept.csv "$whom"
  echo "  killed $killed times, equal"
  rm -rf kept kept.csv
done
