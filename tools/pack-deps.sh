#!/usr/bin/env bash
# pack-deps.sh - Everything that a machine without network needs beside CMake, a C++ compiler and the CUDA Toolkit.
#
# Copies the header-only dependencies, the header that flatc generates and GoogleTest's sources from Debian's packages into
# OUT, for -DRINGI_DEPS_DIR=OUT. With --bin DIR (a build with the compiler) also makes the step programs that
# tools/device-check.sh runs: OUT/programs. OUT is replaced when it was made by this script, else it must be new.
#
# usage: tools/pack-deps.sh OUT [--bin DIR] [--nano]
#   --bin DIR   build/bin of a build with RINGI_BUILD_COMPILER=ON
#   --nano      programs of a tiny model in place of the GPT-2 sizes, for tests of the script
set -euo pipefail
ringi_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() {
  echo "error: $*" >&2
  exit 2
}

out="" bin="" small=0
while [ $# -gt 0 ]; do
  case "$1" in
  --bin)
    [ $# -ge 2 ] || die "--bin needs a folder; see --help"
    bin="$2"
    shift 2
    ;;
  --nano)
    small=1
    shift
    ;;
  --help | -h)
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  -*) die "unknown option '$1'; see --help" ;;
  *)
    [ -z "$out" ] || die "two folders are given, '$out' and '$1'; see --help"
    out="$1"
    shift
    ;;
  esac
done
[ -n "$out" ] || die "no folder is given; see --help"
if [ -e "$out" ] && [ ! -f "$out/StepProgram.fbs" ]; then
  die "'$out' exists and was not made by this script; name a new folder"
fi
if [ -n "$bin" ] && { [ ! -f "$bin/ringi-opt" ] || [ ! -x "$bin/ringi-opt" ]; }; then
  die "'$bin' has no ringi-opt; give the bin folder of a build with RINGI_BUILD_COMPILER=ON"
fi
command -v flatc >/dev/null || die "flatc is not here; install flatbuffers-compiler"

# copy PACKAGE FROM TO: a file or folder of a Debian package.
copy() {
  [ -e "$2" ] || die "'$2' is not here; install $1"
  mkdir -p "$(dirname "$next/$3")"
  cp -RL "$2" "$next/$3"
}

# Made beside its place: a stopped run leaves the old folder whole.
next="$out.part"
rm -rf "$next"
mkdir -p "$next"
copy libcli11-dev /usr/include/CLI include/CLI
copy nlohmann-json3-dev /usr/include/nlohmann include/nlohmann
copy libflatbuffers-dev /usr/include/flatbuffers include/flatbuffers
if [ -d /usr/src/googletest/googletest ]; then
  copy googletest /usr/src/googletest/googletest/include googletest/include
  copy googletest /usr/src/googletest/googletest/src googletest/src
else
  echo "no GoogleTest sources (package googletest): the folder builds no tests"
fi
cp "$ringi_root/runtime/program/StepProgram.fbs" "$next/"
read -ra arguments <"$ringi_root/runtime/program/flatc.args"
flatc "${arguments[@]}" -o "$next" "$next/StepProgram.fbs"

# program NAME MODEL WORKSPACE STRATEGY: a plan that the budget does not allow is left out, with its reason; `least` is then
# the budget that the refusal names.
program() {
  local file="$next/programs/$1.rgp" code=0
  "$bin/ringi-opt" "$2" "--ringi-train=$4 optimizer=adamw gemm-workspace=$3 fuse-epilogues=$fuse" \
    "--ringi-export-program=file=$file" -o /dev/null 2>"$next/error.txt" || code=$?
  if [ "$code" = 1 ]; then
    least="$(grep -m1 -oE 'minimum budget is [0-9]+' "$next/error.txt" | grep -oE '[0-9]+')"
    echo "$1: $(grep -m1 error: "$next/error.txt" | sed 's/.*error: //' | cut -c1-200)" >>"$next/programs/refused.txt"
  elif [ "$code" != 0 ]; then
    cat "$next/error.txt" >&2
    die "ringi-opt gave $code for $1"
  fi
}

# model NAME WORKSPACE ARGUMENT...: one model under every strategy of the device check.
fuse=false
model() {
  local name="$1" workspace="$2" file="$next/model.mlir"
  shift 2
  "$bin/ringi-model" "$@" -o "$file"
  if [ "$fuse" = true ]; then
    for strategy in none every-block; do
      program "$name-$strategy" "$file" "$workspace" "strategy=$strategy"
    done
    return
  fi
  for strategy in none selective every-block; do
    program "$name-$strategy" "$file" "$workspace" "strategy=$strategy"
  done
  least=""
  for percent in 60 40 25; do
    program "$name-budget-$percent" "$file" "$workspace" "strategy=memory-budget budget=$percent%"
  done
  [ -z "$least" ] || program "$name-budget-least" "$file" "$workspace" "strategy=memory-budget budget=$least"
}

if [ -n "$bin" ]; then
  mkdir -p "$next/programs"
  # Small ones, for proofs and sanitizers; the last for the emulation, which is slow.
  nano="--layers 2 --hidden 64 --heads 2 --seq 32 --batch 2 --vocab 128 --attention fused --dtype bf16"
  [ "$small" = 0 ] || nano="--layers 1 --hidden 32 --heads 2 --seq 16 --batch 2 --vocab 64 --attention fused --dtype bf16"
  model deepnet 4096 deepnet --blocks 4 --dim 32 --batch 32 --dtype f32
  model nano 4096 gpt2 $nano
  fuse=true
  model fused 4096 gpt2 $nano
  fuse=false
  if [ "$small" = 1 ]; then
    model gpt2-nano 4096 gpt2 $nano
  else
    model mlp 65536 mlp --dtype f32
    # The vocabulary is padded to a multiple of 128, as is usual: rows of 50257 are not aligned.
    for size in 124m 355m 774m 1558m; do
      large="--preset $size --vocab 50304 --seq 1024 --batch 16 --attention fused --dtype bf16"
      model "gpt2-$size" 33554432 gpt2 $large
      fuse=true
      model "gpt2-$size-fused" 33554432 gpt2 $large
      fuse=false
    done
  fi
  rm -f "$next/model.mlir" "$next/error.txt"
fi
rm -rf "$out"
mv "$next" "$out"
echo "$out: $(du -sh "$out" | cut -f1)$([ -z "$bin" ] || echo ", $(find "$out/programs" -name '*.rgp' | wc -l) programs")"
