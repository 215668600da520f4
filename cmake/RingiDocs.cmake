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
  "passes|Passes.td|-gen-pass-doc"
  "interfaces|RingiInterfaces.td|-gen-op-interface-docs")

set(RINGI_REFERENCE_DIR ${CMAKE_BINARY_DIR}/docs/reference)
file(MAKE_DIRECTORY ${RINGI_REFERENCE_DIR})
set(RINGI_REFERENCE_OUTPUTS "")

function(ringi_add_reference_page page source generator)
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE includes)
  file(GLOB_RECURSE tds CONFIGURE_DEPENDS ${RINGI_INCLUDE_DIR}/ringi/*.td)
  add_custom_command(
    OUTPUT ${RINGI_REFERENCE_DIR}/${page}.md
    COMMAND ${MLIR_TABLEGEN_EXE} ${generator} -I${RINGI_INCLUDE_DIR} ${includes} ${source}
            -o ${RINGI_REFERENCE_DIR}/${page}.md
    DEPENDS ${tds}
    COMMENT "Documenting ${page}"
    VERBATIM)
endfunction()

foreach(entry ${RINGI_REFERENCE_PAGES})
  string(REPLACE "|" ";" fields "${entry}")
  list(POP_FRONT fields page source)
  set(folder Dialect/Ringi/IR)
  if(page STREQUAL "passes")
    set(folder Transforms)
  elseif(page STREQUAL "interfaces")
    set(folder Interfaces)
  endif()
  ringi_add_reference_page(${page} ${RINGI_INCLUDE_DIR}/ringi/${folder}/${source} "${fields}")
  list(APPEND RINGI_REFERENCE_OUTPUTS ${RINGI_REFERENCE_DIR}/${page}.md)
endforeach()

add_custom_target(ringi-docs
  COMMAND ${CMAKE_COMMAND} -E copy ${RINGI_REFERENCE_OUTPUTS} ${CMAKE_SOURCE_DIR}/docs/reference
  DEPENDS ${RINGI_REFERENCE_OUTPUTS}
  COMMENT "Writing docs/reference")
set(RINGI_DOCS_CHECK ${CMAKE_COMMAND} -DGENERATED=${RINGI_REFERENCE_DIR} -DCOMMITTED=${CMAKE_SOURCE_DIR}/docs/reference
  -P ${CMAKE_SOURCE_DIR}/cmake/CheckReference.cmake)
add_custom_target(ringi-reference ALL DEPENDS ${RINGI_REFERENCE_OUTPUTS})
add_test(NAME RingiDocs COMMAND ${RINGI_DOCS_CHECK})
