# The facts of CANN's interface as tables and declarations, written from the data files.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)

set(facts ${CMAKE_CURRENT_SOURCE_DIR}/cann)
set(facts_generated ${CMAKE_CURRENT_BINARY_DIR}/generated/cann)
set(facts_sources ${facts_generated}/operator_table.cpp ${facts_generated}/first_phases.cpp ${facts_generated}/code_names.cpp)
add_custom_command(
  OUTPUT ${facts_sources} ${facts_generated}/abi.hpp
  COMMAND ${Python_EXECUTABLE} ${facts}/generate.py ${facts}/data ${facts_generated}
  COMMAND ${CMAKE_COMMAND} -E touch ${facts_generated}/stamp
  DEPENDS ${facts}/generate.py ${facts}/data/operators.json ${facts}/data/runtime.json
  COMMENT "Tables of CANN's interface")
add_custom_target(asnumpy_cann_generated DEPENDS ${facts_generated}/abi.hpp)

file(GLOB cann_sources CONFIGURE_DEPENDS cann/*.cpp)
add_library(asnumpy_cann STATIC ${cann_sources} ${facts_sources})
add_dependencies(asnumpy_cann asnumpy_cann_generated)
target_include_directories(asnumpy_cann PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/generated)
target_link_libraries(asnumpy_cann PRIVATE asnumpy_options)
