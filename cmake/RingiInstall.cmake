# What `cmake --install` copies, and the package that find_package(Ringi) finds. Four components, so that a planner's user needs no LLVM:
# Planner (Ringi::Planner), Runtime (Ringi::Program, Runtime, Host, Cuda), C (Ringi::C) and Compiler (Ringi::Ringi).
include(CMakePackageConfigHelpers)
set(RINGI_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Ringi)

# ringi_install_component(<component> <targets>...): the targets that this build has, and their exported description.
function(ringi_install_component component)
  set(targets "")
  foreach(target ${ARGN})
    if(TARGET ${target})
      list(APPEND targets ${target})
    endif()
  endforeach()
  if(NOT targets)
    return()
  endif()
  install(TARGETS ${targets} EXPORT Ringi${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT Ringi${component} NAMESPACE Ringi:: FILE Ringi${component}Targets.cmake DESTINATION ${RINGI_PACKAGE_DIR})
endfunction()
ringi_install_component(Planner RingiPlanner)
ringi_install_component(Runtime RingiProgram RingiRuntime RingiHost RingiCuda)
ringi_install_component(C RingiC)
ringi_install_component(Compiler Ringi)

# Headers: the LLVM-free ones always; those of the compiler, with the .td files to include and what TableGen made of them, with it.
set(RINGI_HEADERS FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)
set(RINGI_INSTALLED_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/ringi)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/ringi/ DESTINATION ${RINGI_INSTALLED_HEADERS} ${RINGI_HEADERS})
install(FILES ${RINGI_BINARY_INCLUDE_DIR}/ringi/Program/StepProgram_generated.h DESTINATION ${RINGI_INSTALLED_HEADERS}/Program)
install(DIRECTORY ${RINGI_INCLUDE_DIR}/ringi-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${RINGI_HEADERS})
if(RINGI_BUILD_COMPILER)
  install(DIRECTORY ${RINGI_INCLUDE_DIR}/ringi/ ${RINGI_BINARY_INCLUDE_DIR}/ringi/ DESTINATION ${RINGI_INSTALLED_HEADERS} ${RINGI_HEADERS})
else()
  install(DIRECTORY ${RINGI_INCLUDE_DIR}/ringi/Planner ${RINGI_INCLUDE_DIR}/ringi/Support DESTINATION ${RINGI_INSTALLED_HEADERS}
    ${RINGI_HEADERS})
endif()

# The CUDA libraries are where the toolkit is, not on the loader's path.
set_target_properties(ringi-run PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

# Static libraries leave their own dependencies to whoever links them.
set(RINGI_RUNTIME_NEEDS Threads)
get_target_property(libraries RingiHost LINK_LIBRARIES)
if("${libraries}" MATCHES "DNNL::dnnl")
  list(APPEND RINGI_RUNTIME_NEEDS dnnl OpenMP)
endif()
if(TARGET RingiCuda)
  list(APPEND RINGI_RUNTIME_NEEDS CUDAToolkit)
endif()
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/RingiConfig.cmake.in ${CMAKE_BINARY_DIR}/RingiConfig.cmake
  INSTALL_DESTINATION ${RINGI_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/RingiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/RingiConfig.cmake ${CMAKE_BINARY_DIR}/RingiConfigVersion.cmake DESTINATION ${RINGI_PACKAGE_DIR})

# test/Integration/package.test installs the build: all of it must be there.
if(TARGET check-ringi-lit)
  add_dependencies(check-ringi-lit ringi-lsp-server)
endif()
