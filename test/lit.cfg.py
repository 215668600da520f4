# lit configuration of Ringi's compiler and tool tests (suffixes .mlir and .test).
#
# RINGI_VERIFY_ROUNDTRIP=1 runs the whole suite under --verify-roundtrip.

import os
import shutil
import sys

import lit.formats

config.name = "Ringi"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "Inputs", "Package"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ringi_binary_dir, "test")

tools = config.ringi_tools_dir
llvm_tools = config.llvm_tools_dir
config.environment["PATH"] = os.pathsep.join([tools, llvm_tools, config.environment["PATH"]])

ringi_opt = os.path.join(tools, "ringi-opt")
if os.environ.get("RINGI_VERIFY_ROUNDTRIP") == "1":
    ringi_opt += " --verify-roundtrip"
    config.name += " (round-trip)"

# Whole words only, longest first, so that a tool's name inside a path stays as it is.
for name, command in [
    ("ringi-opt", ringi_opt),
    ("ringi-plan", os.path.join(tools, "ringi-plan")),
    ("ringi-run-emulated", os.path.join(tools, "ringi-run-emulated")),
    ("ringi-run", os.path.join(tools, "ringi-run")),
    ("ringi-model", os.path.join(tools, "ringi-model")),
    ("mlir-opt", os.path.join(llvm_tools, "mlir-opt")),
    ("FileCheck", os.path.join(llvm_tools, "FileCheck") + " -enable-var-scope"),
    ("not", os.path.join(llvm_tools, "not")),
    ("count", os.path.join(llvm_tools, "count")),
    ("split-file", os.path.join(llvm_tools, "split-file")),
]:
    config.substitutions.append((r"(?<![\w/.%=-])" + name + r"(?![\w/.-])", command))

config.substitutions.append(("%ringi_plugin", config.ringi_plugin))
config.substitutions.append(("%llvm_bin", llvm_tools))
config.substitutions.append(("%ringi_src", config.ringi_source_dir))
config.substitutions.append(("%ringi_bin", tools))
config.substitutions.append(("%ringi_build", config.ringi_binary_dir))
config.substitutions.append(("%nvcc", config.nvcc))
config.substitutions.append(("%python", sys.executable))
if shutil.which("clang-format-22"):
    config.available_features.add("clang-format")
for tool in ["ringi-plan", "ringi-run", "ringi-run-emulated", "ringi-model"]:
    if os.path.exists(os.path.join(tools, tool)):
        config.available_features.add(tool)
if os.path.exists(os.path.join(llvm_tools, "mlir-runner")):
    config.available_features.add("mlir-runner")
if config.nvcc:
    config.available_features.update(["nvcc", "cuda"])
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")
