# Reference pages from TableGen, committed in docs/reference. The target `ringi-docs` writes them there; the test RingiDocs fails when a
# committed page is stale.
set(RINGI_REFERENCE_PAGES
  "structure-ops|RingiStructureOps.td|-gen-op-doc"
  "forward-ops|RingiForwardOps.td|-gen-op-doc"
  "shape-ops|RingiShapeOps.td|-gen-op-doc"
  "backward-ops|RingiBackwardOps.td|-gen-op-doc"
  "update-ops|RingiUpdateOps.td|-gen-op-doc"
  "attributes|RingiAttrs.td|-gen-attrdef-doc"
  "types|RingiTypes.td|-gen-typedef-doc"
  "passes|Passes.td|-gen-pass-doc")

set(RINGI_REFERENCE_DIR ${CMAKE_BINARY_DIR}/docs/reference)
file(MAKE_DIRECTORY ${RINGI_REFERENCE_DIR})
set(RINGI_REFERENCE_OUTPUTS "")

list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE RINGI_TABLEGEN_INCLUDES)
file(GLOB_RECURSE RINGI_TABLEGEN_SOURCES CONFIGURE_DEPENDS ${RINGI_INCLUDE_DIR}/ringi/*.td)

function(ringi_add_reference_page page source generator)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${MLIR_TABLEGEN_EXE} ${generator} -I${RINGI_INCLUDE_DIR} ${RINGI_TABLEGEN_INCLUDES} ${source} -o ${page}
    DEPENDS ${RINGI_TABLEGEN_SOURCES}
    COMMENT "Documenting ${page}"
    VERBATIM)
endfunction()

foreach(entry ${RINGI_REFERENCE_PAGES})
  string(REPLACE "|" ";" fields "${entry}")
  list(POP_FRONT fields page source)
  set(folder Dialect/Ringi/IR)
  if(page STREQUAL "passes")
    set(folder Transforms)
  endif()
  ringi_add_reference_page(${RINGI_REFERENCE_DIR}/${page}.md ${RINGI_INCLUDE_DIR}/ringi/${folder}/${source} "${fields}")
  list(APPEND RINGI_REFERENCE_OUTPUTS ${RINGI_REFERENCE_DIR}/${page}.md)
endforeach()

foreach(kind op type)
  ringi_add_reference_page(${CMAKE_BINARY_DIR}/docs/${kind}-interfaces.md
    ${RINGI_INCLUDE_DIR}/ringi/Interfaces/RingiInterfaces.td -gen-${kind}-interface-docs)
endforeach()
add_custom_command(
  OUTPUT ${RINGI_REFERENCE_DIR}/interfaces.md
  COMMAND ${CMAKE_COMMAND} -DOPS=${CMAKE_BINARY_DIR}/docs/op-interfaces.md -DTYPES=${CMAKE_BINARY_DIR}/docs/type-interfaces.md
          -DPAGE=${RINGI_REFERENCE_DIR}/interfaces.md -P ${CMAKE_SOURCE_DIR}/cmake/InterfacePage.cmake
  DEPENDS ${CMAKE_BINARY_DIR}/docs/op-interfaces.md ${CMAKE_BINARY_DIR}/docs/type-interfaces.md
          ${CMAKE_SOURCE_DIR}/cmake/InterfacePage.cmake
  COMMENT "Documenting interfaces"
  VERBATIM)
list(APPEND RINGI_REFERENCE_OUTPUTS ${RINGI_REFERENCE_DIR}/interfaces.md)

add_custom_target(ringi-docs
  COMMAND ${CMAKE_COMMAND} -E copy ${RINGI_REFERENCE_OUTPUTS} ${CMAKE_SOURCE_DIR}/docs/reference
  DEPENDS ${RINGI_REFERENCE_OUTPUTS}
  COMMENT "Writing docs/reference")
set(RINGI_DOCS_CHECK ${CMAKE_COMMAND} -DGENERATED=${RINGI_REFERENCE_DIR} -DCOMMITTED=${CMAKE_SOURCE_DIR}/docs/reference
  -P ${CMAKE_SOURCE_DIR}/cmake/CheckReference.cmake)
add_custom_target(ringi-reference ALL DEPENDS ${RINGI_REFERENCE_OUTPUTS})
add_test(NAME RingiDocs COMMAND ${RINGI_DOCS_CHECK})
