#!/usr/bin/env bash
# On a machine with an NVIDIA GPU, within ten minutes: does each backend give the CPU's
# numbers on the GPU, do the backends agree there, and how fast are they?
#
#   benchmarks/gpu.sh [--dry] [--wheels FOLDER] [OUTPUT]
#
# --dry      says what would run, and runs nothing
# --wheels   installs kzoo with CUDA builds into a new environment first, from the wheels
#            of FOLDER and without a network; on a machine that has one, fill FOLDER by
#            pip download -d FOLDER -c constraints.txt setuptools ".[test]" \
#              "jax[cuda12]" "tensorflow[and-cuda]" torch
# OUTPUT     folder of the results, gpu-results unless given
#
# Without --wheels it takes the Python of $PYTHON, else python3.11, else python3, where
# kzoo and at least one backend with CUDA must be installed. Exits with 3, and says what
# is missing, where there is no GPU or no backend that sees it; with 1 if numbers differ.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

dry= wheels= output=gpu-results
while [ $# -gt 0 ]; do
  case $1 in
    --dry) dry=1 ;;
    --wheels) wheels=${2:?--wheels needs a folder}; shift ;;
    -h | --help) sed -n '2,18p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "Error: there is no option $1; there are --dry and --wheels." >&2; exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done

limit=590
left() { echo $((limit - SECONDS)); }
say() { echo "[$SECONDS s] $*" >&2; }
missing() { echo "Error: $*" >&2; [ -n "$dry" ] || exit 3; }

# run SECONDS FILE COMMAND…: in FILE what it prints, and no longer than SECONDS.
failed=0
run() {
  local most=$1 file=$2; shift 2
  if [ -n "$dry" ]; then echo "$*"; return; fi
  [ "$(left)" -lt "$most" ] && most=$(left)
  if [ "$most" -lt 10 ]; then say "no time left for: $*"; failed=1; return; fi
  say "$*"
  timeout "$most" "$@" | tee "$output/$file"
  local code=${PIPESTATUS[0]}
  [ "$code" = 124 ] && say "cut off after $most s: $*"
  [ "$code" = 0 ] || failed=1
}

if command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null 2>&1; then
  say "$(nvidia-smi -L | head -1)"
else
  missing "there is no GPU here: nvidia-smi is missing or finds none."
fi

python=${PYTHON:-$(command -v python3.11 || command -v python3)}
[ -n "$dry" ] || mkdir -p "$output"
if [ -n "$wheels" ]; then
  install=(-m pip install --quiet --no-index --find-links "$wheels" -c constraints.txt)
  run 30 venv.txt "$python" -m venv "$output/environment"
  [ -n "$dry" ] || python=$output/environment/bin/python
  run 240 install.txt "$python" "${install[@]}" setuptools
  run 240 install.txt "$python" "${install[@]}" --no-build-isolation -e ".[test]" \
    "jax[cuda12]" "tensorflow[and-cuda]" torch
  [ "$failed" = 0 ] || missing "$wheels lacks a wheel; see above which."
fi
"$python" -c 'import kzoo_cli' 2> /dev/null \
  || missing "$python has no kzoo: install it, or name its wheels with --wheels."

# Every contestant holds its share of the one GPU; none takes all of it.
export XLA_PYTHON_CLIENT_PREALLOCATE=false TF_FORCE_GPU_ALLOW_GROWTH=true
export TF_CPP_MIN_LOG_LEVEL=3
unset KERAS_BACKEND

backends=
for backend in jax torch tensorflow; do
  case $backend in
    jax) sees='import jax; assert jax.devices()[0].platform == "gpu"'
      package='jax[cuda12]' ;;
    torch) sees='import torch; assert torch.cuda.is_available()'
      package='torch' ;;
    tensorflow) sees='import tensorflow as t; assert t.config.list_physical_devices("GPU")'
      package='tensorflow[and-cuda]' ;;
  esac
  if [ -n "$dry" ] || timeout 60 "$python" -c "$sees" > /dev/null 2>&1; then
    backends=${backends:+$backends,}$backend
  else
    say "$backend is not installed or sees no GPU; pip install \"$package\" brings it"
  fi
done
[ -n "$backends" ] || missing "no backend sees the GPU, so there is nothing to measure."

kzoo=("$python" -P -m kzoo_cli)
contestants=transformers:torch
for backend in ${backends//,/ }; do contestants+=,kzoo:$backend; done

run 100 doctor.txt "${kzoo[@]}" doctor --backends "$backends" --device gpu:0
run 200 parity.txt "${kzoo[@]}" parity text_classifier --backends "$backends" \
  --device cpu --device gpu:0 --steps 40
case ,$backends, in
  *,torch,*) run 200 speed.txt "$python" benchmarks/bert_mini.py --size base --rounds 5 \
    --contestants "$contestants" ;;
  *) say "without torch there is no baseline, so no speed" ;;
esac
[ -n "$dry" ] || say "results are in $output"
exit "$failed"
