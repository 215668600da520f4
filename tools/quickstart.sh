#!/usr/bin/env bash
# quickstart.sh - From a bare Debian machine to a table of strategies whose planned and measured peaks agree to the byte.
#
# Installs what is missing, builds, writes a small GPT-2 as MLIR, trains it on the licence texts that every Debian ships
# (byte-level tokens) under each strategy, and compares.
#
# usage: tools/quickstart.sh [--build DIR] [--steps N] [--no-install]
set -euo pipefail
ringi_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
. "$ringi_root/tools/deps.sh"

build="$ringi_root/build"
steps=5
install=1
while [ $# -gt 0 ]; do
  case "$1" in
  --build)
    build="$2"
    shift 2
    ;;
  --steps)
    steps="$2"
    shift 2
    ;;
  --no-install)
    install=0
    shift
    ;;
  --help | -h)
    sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *)
    echo "error: unknown option '$1'; see --help" >&2
    exit 2
    ;;
  esac
done

if [ "$install" = 1 ]; then
  ringi_install_packages $ringi_runtime_packages $ringi_compiler_packages
fi
echo "Building in $build"
ringi_configure_and_build "$build" -DRINGI_BUILD_TESTS=OFF -DRINGI_BUILD_CUDA=OFF

work="$build/quickstart"
mkdir -p "$work"
text="$work/text.txt"
cat /usr/share/common-licenses/* >"$text" 2>/dev/null || true
if [ ! -s "$text" ]; then
  cat "$ringi_root"/docs/*.md >"$text"
fi

echo "Writing a GPT-2 with dropout 0.1 as $work/model.mlir"
"$build/bin/ringi-model" gpt2 --preset nano --dropout 0.1 -o "$work/model.mlir"

reports=()
while read -r name options; do
  echo "Training $steps steps: $options"
  "$build/bin/ringi-opt" "$work/model.mlir" \
    --ringi-train="$options optimizer=adamw" \
    --ringi-export-program="file=$work/$name.rgp" -o "$work/$name.mlir"
  "$build/bin/ringi-run" "$work/$name.rgp" --steps "$steps" --input "tokens=bytes:$text" --verify \
    --compare "$work/none.rgp" --report "$work/$name.json" >"$work/$name.log" || {
    cat "$work/$name.log" >&2
    exit 1
  }
  reports+=("$work/$name.json")
done <<'STRATEGIES'
none strategy=none
every-block strategy=every-block
sqrt strategy=sqrt
selective strategy=selective
weight-gemm strategy=selective keep=weight-gemm
recompute-all strategy=recompute-all
budget-70 strategy=memory-budget budget=70%
STRATEGIES

echo
python3 "$ringi_root/tools/compare-reports.py" "${reports[@]}"
echo
echo "Reports and planned IR are in $work"
