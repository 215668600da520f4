#!/usr/bin/env bash
# check.sh - Installs what is missing, builds Ringi, runs every test and sums all suites in its last line.
#
# usage: tools/check.sh [--build DIR] [--no-install] [CMAKE_ARGUMENT...]
set -uo pipefail
ringi_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
. "$ringi_root/tools/deps.sh"

build="$ringi_root/build"
install=1
while [ $# -gt 0 ]; do
  case "$1" in
  --build)
    build="$2"
    shift 2
    ;;
  --no-install)
    install=0
    shift
    ;;
  --help | -h)
    sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) break ;;
  esac
done

if [ "$install" = 1 ]; then
  ringi_install_packages $ringi_runtime_packages $ringi_compiler_packages $ringi_test_packages || exit $?
fi
# A build folder of quickstart.sh has neither in its cache.
ringi_configure_and_build "$build" -DRINGI_BUILD_TESTS=ON -DRINGI_BUILD_CUDA=AUTO "$@" || exit $?

results="$build/test-results"
rm -rf "$results"
mkdir -p "$results"
for test in "$build"/bin/Ringi*Tests; do
  [ -x "$test" ] || continue
  name="$(basename "$test")"
  echo "== $name"
  "$test" --gtest_brief=1 --gtest_output="json:$results/$name.json"
  echo "$?" >"$results/$name.rc"
done
echo "== lit"
lit="$(llvm-config-22 --bindir)/lit"
"$lit" -sv --output "$results/lit.json" "$build/test"
echo "$?" >"$results/lit.rc"

python3 "$ringi_root/tools/sum-tests.py" "$results"
