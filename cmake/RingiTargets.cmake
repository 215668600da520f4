# What every Ringi target has in common: warnings, include paths, and one way to declare a unit-test binary.

set(RINGI_WARNING_FLAGS -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 and 13 warn falsely about `"literal" + std::string` (GCC bug 105651).
  list(APPEND RINGI_WARNING_FLAGS -Wno-restrict)
endif()
if(RINGI_WARNINGS_AS_ERRORS)
  list(APPEND RINGI_WARNING_FLAGS -Werror)
endif()

# ringi_configure_target(<target>): Ringi's own code compiles with warnings on and sees include/ first.
function(ringi_configure_target target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${RINGI_WARNING_FLAGS}>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/runtime/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
endfunction()

# ringi_add_unit_test(<name> SOURCES ... LIBS ...): a GoogleTest binary in build/bin, known to ctest and to tools/check.sh.
function(ringi_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT TARGET GTest::gtest)
    find_package(GTest REQUIRED)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  ringi_configure_target(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY RINGI_UNIT_TESTS ${name})
endfunction()
