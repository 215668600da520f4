# The lit suite: `check-ringi-lit` builds what the tests run and runs them; set RINGI_VERIFY_ROUNDTRIP=1 in the environment to run
# them under --verify-roundtrip.
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "LLVM's lit")
if(TARGET RingiCuda)
  set(RINGI_LIT_NVCC ${CMAKE_CUDA_COMPILER})
endif()
configure_file(${CMAKE_SOURCE_DIR}/test/lit.site.cfg.py.in ${CMAKE_BINARY_DIR}/test/lit.site.cfg.py @ONLY)

set(RINGI_LIT_TOOLS ringi-opt RingiPlugin)
foreach(tool ringi-plan ringi-run ringi-run-emulated ringi-model)
  if(TARGET ${tool})
    list(APPEND RINGI_LIT_TOOLS ${tool})
  endif()
endforeach()
add_custom_target(check-ringi-lit
  COMMAND ${LLVM_EXTERNAL_LIT} -sv ${CMAKE_BINARY_DIR}/test
  DEPENDS ${RINGI_LIT_TOOLS}
  USES_TERMINAL)
add_test(NAME RingiLit COMMAND ${LLVM_EXTERNAL_LIT} -sv ${CMAKE_BINARY_DIR}/test)
