#!/usr/bin/env bash
# device-check.sh - What only a machine with a GPU can show, in one run of at most seven minutes.
#
# Needs an NVIDIA driver and device, the CUDA Toolkit, CMake and a C++ compiler, no network. DEPS is the folder that
# `tools/pack-deps.sh DEPS --bin build/bin` made on a machine with the compiler. Builds the runtime, runs device tests and
# proofs, calibrates, trains GPT-2 sizes under every strategy, runs compute-sanitizer on one small step and, where python3
# has torch, the same models in torch. Ends at the time limit and keeps what it has: OUT/results.json, OUT/results.txt.
#
# usage: tools/device-check.sh DEPS OUT [--seconds 400] [--dry BIN]
#   --dry BIN   the emulated device of a build's bin folder: no build, small shapes, no device needed
#
# Exit code: 0 = everything ran and held, 1 = something failed or was cut off by the limit, 2 = bad input or no device.
set -uo pipefail
ringi_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() {
  echo "error: $*" >&2
  exit 2
}

deps="" out="" limit=400 dry=""
while [ $# -gt 0 ]; do
  case "$1" in
  --seconds | --dry)
    [ $# -ge 2 ] || die "$1 needs a value; see --help"
    [ "$1" = --dry ] && dry="$2" || limit="$2"
    shift 2
    ;;
  --help | -h)
    sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  -*) die "unknown option '$1'; see --help" ;;
  *)
    if [ -z "$deps" ]; then deps="$1"; elif [ -z "$out" ]; then out="$1"; else die "too many arguments; see --help"; fi
    shift
    ;;
  esac
done
[ -n "$out" ] || die "two folders are needed; see --help"
[[ "$limit" =~ ^[1-9][0-9]*$ ]] || die "--seconds is '$limit'; give a whole number of seconds"
ls "$deps"/programs/*.rgp >/dev/null 2>&1 ||
  die "'$deps' has no programs/*.rgp; make it with tools/pack-deps.sh $deps --bin build/bin where the compiler is built"
if [ -n "$dry" ]; then
  [ -x "$dry/ringi-run-emulated" ] || die "'$dry' has no ringi-run-emulated; build with RINGI_BUILD_TESTS=ON and libboost-context-dev"
else
  capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>&1 | head -1)"
  [[ "$capability" =~ ^[0-9]+\.[0-9]+$ ]] ||
    die "no NVIDIA device: nvidia-smi says '$capability'; run this on a machine with a driver and a device, or with --dry"
  [ -x /usr/local/cuda/bin/nvcc ] && PATH="$PATH:/usr/local/cuda/bin"
  for tool in cmake c++ nvcc; do
    command -v "$tool" >/dev/null || die "$tool is not on PATH; the check builds the CUDA device with it"
  done
fi
mkdir -p "$out" || die "cannot make '$out'; choose a writable folder"
rm -f "$out"/*.json "$out"/*.txt "$out"/*.cache "$out"/*.safetensors "$out"/stages.tsv

started=$SECONDS failed=0
left() { echo $((limit - (SECONDS - started))); }
# note NAME CODE SECONDS: one line on the screen and in stages.tsv. 124 = stopped at a limit, - = not begun.
note() {
  printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$out/stages.tsv"
  printf '[%3d s] %s: %s\n' $((SECONDS - started)) "$1" "exit code $2"
}
# stage NAME MOST COMMAND...: runs it at most MOST seconds and never past the limit; its output goes to OUT/NAME.txt.
stage() {
  local name="$1" most="$2" rest begin=$SECONDS code=0
  shift 2
  rest="$(left)"
  [ "$most" -gt "$rest" ] && most="$rest"
  if [ "$most" -lt 1 ]; then
    note "$name" - 0
    failed=1
    return 1
  fi
  timeout -k 5 "$most" "$@" >"$out/$name.txt" 2>&1 || code=$?
  [ "$code" = 0 ] || failed=1
  note "$name" "$code" $((SECONDS - begin))
  return "$code"
}
# finish: the table of what there is. Its own time is not counted.
finish() {
  if command -v python3 >/dev/null; then
    python3 "$ringi_root/tools/device-table.py" "$out" >"$out/results.txt" || failed=1
    cat "$out/results.txt"
  else
    echo "no python3: the reports stay in $out/*.json"
  fi
  exit "$failed"
}

if [ -n "$dry" ]; then
  run="$dry/ringi-run-emulated" steps=3 proof_steps=2 curve_steps=5
else
  build="$out/build" run="$out/build/bin/ringi-run" steps=8 proof_steps=3 curve_steps=50
  stage configure 60 cmake -S "$ringi_root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DRINGI_BUILD_COMPILER=OFF \
    -DRINGI_BUILD_CUDA=ON -DRINGI_ENABLE_ONEDNN=OFF -DRINGI_DEPS_DIR="$(realpath "$deps")" \
    -DCMAKE_CUDA_ARCHITECTURES="${capability/./}-real" || finish
  stage build 240 cmake --build "$build" -j "$(nproc)" --target ringi-run || finish
  stage build-tests 90 cmake --build "$build" -j "$(nproc)" --target RingiCudaDeviceTests &&
    stage device-tests 60 "$build/bin/RingiCudaDeviceTests"
  nvidia-smi >"$out/nvidia-smi.txt" 2>&1
fi
stage devices 20 "$run" --devices || {
  cat "$out/devices.txt" >&2
  failed=2
  finish
}

# Proofs: every strategy of the small programs, bits against keeping everything.
for program in "$deps"/programs/{mlp,deepnet,nano,fused}-*.rgp; do
  [ -e "$program" ] || continue
  name="$(basename "$program" .rgp)"
  stage "proof-$name" 30 "$run" "$program" --device cuda --steps "$proof_steps" --verify --audit \
    --compare "$deps/programs/${name%%-*}-none.rgp" --report "$out/proof-$name.json"
done

# The same losses as the host's, and the same bits in another run.
for device in host cuda; do
  stage "curve-$device" 40 "$run" "$deps/programs/nano-none.rgp" --device "$device" --steps "$curve_steps" \
    --report "$out/curve-$device.json"
done
for round in 1 2; do
  stage "repeat-$round" 20 "$run" "$deps/programs/nano-none.rgp" --device cuda --steps "$proof_steps" \
    --gemm-cache "$out/nano.cache" --save "$out/repeat-$round.safetensors"
done
stage repeat-equal 5 cmp "$out/repeat-1.safetensors" "$out/repeat-2.safetensors"

# Step time, peaks and utilisation of the large ones.
stage calibrate 40 "$run" --device cuda --calibrate "$out/device.json"
for program in "$deps"/programs/gpt2-*.rgp; do
  name="$(basename "$program" .rgp)"
  calibration=()
  [ -e "$out/device.json" ] && calibration=(--calibration "$out/device.json")
  stage "train-$name" 40 "$run" "$program" --device cuda --steps "$steps" --gemm-cache "$out/gemm.cache" \
    "${calibration[@]}" --report "$out/train-$name.json"
done

if command -v compute-sanitizer >/dev/null && [ -z "$dry" ]; then
  for tool in memcheck racecheck; do
    stage "sanitizer-$tool" 25 compute-sanitizer --tool "$tool" --error-exitcode 9 "$run" "$deps/programs/nano-none.rgp" \
      --device cuda
  done
fi
if [ -z "$dry" ] && python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
  rest=$(($(left) - 5))
  stage torch "$rest" python3 "$ringi_root/bench/torch_gpt2.py" --json "$out/torch.json" --seconds "$((rest - 30))"
fi
finish
