# Finds Debian's LLVM/MLIR 22 and sets up TableGen and the one shared compiler library.

find_program(RINGI_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
if(RINGI_LLVM_CONFIG)
  execute_process(COMMAND ${RINGI_LLVM_CONFIG} --prefix OUTPUT_VARIABLE RINGI_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND CMAKE_PREFIX_PATH ${RINGI_LLVM_PREFIX})
endif()
find_package(MLIR 22.1 REQUIRED CONFIG)
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(MLIR_LINK_MLIR_DYLIB ON)
set(RINGI_CXX_FLAGS_BEFORE_LLVM "${CMAKE_CXX_FLAGS}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)
set(CMAKE_CXX_STANDARD 20)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${RINGI_INCLUDE_DIR} ${RINGI_BINARY_INCLUDE_DIR} ${RINGI_SOURCE_DIR}/runtime/include)

# ringi_add_compiler_area(<name>): all sources of the current directory as one object library; lib/CMakeLists.txt collects the areas into
# the shared library Ringi. An area names no MLIR library: the one shared MLIR is linked once, by Ringi.
function(ringi_add_compiler_area name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(${name} OBJECT ${sources})
  ringi_configure_target(${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${RINGI_BINARY_INCLUDE_DIR}>)
  add_dependencies(${name} ringi-headers)
  # MLIR's headers are most of what a compile parses: once for all areas.
  get_property(areas GLOBAL PROPERTY RINGI_COMPILER_AREAS)
  if(areas)
    list(GET areas 0 first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(${name} PRIVATE
      <mlir/Bytecode/BytecodeOpInterface.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h>
      <mlir/IR/ImplicitLocOpBuilder.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
      <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/InferTypeOpInterface.h>
      <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h> <llvm/ADT/TypeSwitch.h>)
  endif()
  set_property(GLOBAL APPEND PROPERTY RINGI_COMPILER_AREAS ${name})
endfunction()

# ringi_add_compiler_tool(<name> SOURCES...): an executable that links libRingi and finds libMLIR when it runs.
function(ringi_add_compiler_tool name)
  add_executable(${name} ${ARGN})
  ringi_configure_target(${name})
  target_link_libraries(${name} PRIVATE Ringi)
  set_target_properties(${name} PROPERTIES
    BUILD_RPATH "${LLVM_LIBRARY_DIR}"
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
endfunction()
