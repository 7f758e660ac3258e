# Compiles the vector loops of the structured operations once per instruction set of kernels.cmake.
set(structured_declarations "")
set(structured_choices "")
foreach(set IN LISTS kernel_sets)
  set(set_name ${kernel_name_${set}})
  configure_file(cpu/structured_unit.cpp.in ${kernel_folder}/structured_${set}.cpp @ONLY)
  set_source_files_properties(${kernel_folder}/structured_${set}.cpp PROPERTIES
    COMPILE_OPTIONS "${kernel_options};${kernel_options_${set}}")
  target_sources(asnumpy_core PRIVATE ${kernel_folder}/structured_${set}.cpp)
  string(APPEND structured_declarations "extern const StructuredKernels structured_${set};\n")
  string(APPEND structured_choices "    if (name == \"${set_name}\") return structured_${set};\n")
endforeach()
configure_file(cpu/structured_sets.cpp.in ${kernel_folder}/structured_sets.cpp @ONLY)
target_sources(asnumpy_core PRIVATE ${kernel_folder}/structured_sets.cpp)
