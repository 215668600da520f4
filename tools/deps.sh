# deps.sh - What Ringi needs from Debian, and one function that installs it.
#
# Part of Ringi. Sourced by quickstart.sh and check.sh; says what it installs before it does.

ringi_runtime_packages="cmake ninja-build g++ ccache libcli11-dev flatbuffers-compiler libflatbuffers-dev libdnnl-dev nlohmann-json3-dev"
ringi_compiler_packages="llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools"
ringi_test_packages="libgtest-dev libboost-context-dev clang-format-22 python3 xz-utils"

# ringi_install_packages PACKAGE...: installs those that are missing, as root or through sudo.
ringi_install_packages() {
  local missing=() package sudo=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return 0
  fi
  if ! command -v apt-get >/dev/null; then
    echo "error: this script installs with apt-get, which is not here; install these packages yourself: ${missing[*]}" >&2
    return 2
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "error: not root and no sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2
      return 2
    fi
    sudo="sudo"
  fi
  echo "Installing from Debian: ${missing[*]}"
  $sudo apt-get update -qq
  if ! apt-cache show llvm-22-dev >/dev/null 2>&1; then
    echo "error: Debian's package lists have no llvm-22-dev; enable the suite that carries LLVM 22 (see docs/building.md) and run this again" >&2
    return 2
  fi
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/tmp/ringi-apt.log 2>&1 || {
    echo "error: apt-get failed; its last lines:" >&2
    tail -5 /tmp/ringi-apt.log >&2
    return 2
  }
}

# ringi_configure_and_build BUILD_DIR [CMAKE_ARGUMENT...]: Release with Ninja; prints progress, and the log's end on failure.
ringi_configure_and_build() {
  local build="$1"
  shift
  # Paths relative to the source tree, so that a second clone finds the first one's objects.
  export CCACHE_BASEDIR="$ringi_root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  mkdir -p "$build"
  cmake -S "$ringi_root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$build/configure.log" 2>&1 || {
    echo "error: configuring failed; the last lines of $build/configure.log:" >&2
    tail -20 "$build/configure.log" >&2
    return 2
  }
  cmake --build "$build"
}
