# The extension module.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_cmake COMMAND_ERROR_IS_FATAL ANY)

# pip installs nanobind and NumPy in a folder of a new name, with files of a new date, for every build. Copies that change only
# when the text does keep what was compiled with them last time.
function(keep_copy from to)
  file(GLOB_RECURSE files RELATIVE ${from} ${from}/*)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "__pycache__")
      cmake_path(GET file PARENT_PATH folder)
      file(MAKE_DIRECTORY ${to}/${folder})
      file(COPY_FILE ${from}/${file} ${to}/${file} ONLY_IF_DIFFERENT)
    endif()
  endforeach()
endfunction()
set(kept ${CMAKE_CURRENT_BINARY_DIR}/kept)
cmake_path(GET nanobind_cmake PARENT_PATH nanobind_folder)
keep_copy(${nanobind_folder} ${kept}/nanobind)
keep_copy(${Python_NumPy_INCLUDE_DIRS} ${kept}/numpy)
find_package(nanobind CONFIG REQUIRED PATHS ${kept}/nanobind/cmake NO_DEFAULT_PATH)
add_library(numpy_headers INTERFACE)
target_include_directories(numpy_headers SYSTEM INTERFACE ${kept}/numpy)

file(GLOB python_sources CONFIGURE_DEPENDS python/*.cpp)
# Where Python has no lock of the interpreter's, the module says that it does without (python/shared.hpp has the rules). Other Pythons
# know nothing of that, and nanobind's library has a name for each kind.
nanobind_add_module(_core NB_STATIC NOMINSIZE FREE_THREADED ${python_sources})  # hot slots: not -Os
set(nanobind_library nanobind-static)
if(TARGET nanobind-static-ft)
  set(nanobind_library nanobind-static-ft)
endif()
target_link_libraries(_core PRIVATE asnumpy_core asnumpy_options numpy_headers)
set_target_properties(${nanobind_library} _core PROPERTIES UNITY_BUILD "${ASNUMPY_TOGETHER}")
target_compile_options(_core PRIVATE ${tune_for_objects})
set_target_properties(_core PROPERTIES UNITY_BUILD_BATCH_SIZE 8)  # compiled last: one large unit would leave processors without work
set_source_files_properties(python/module.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # it has NumPy's table of functions
target_compile_options(${nanobind_library} PRIVATE $<$<CONFIG:Release>:-O1>)  # what is called often has slots of its own
install(TARGETS _core LIBRARY DESTINATION asnumpy)
# What machine code is made of; functions that are compiled once for a CPU are part of a GPU's kernel.
install(DIRECTORY base ops DESTINATION asnumpy/compiled/include FILES_MATCHING PATTERN "*.hpp" PATTERN "complex_math.cpp")
install(FILES kernels/fold.hpp DESTINATION asnumpy/compiled/include/kernels)
install(FILES cann/data/operators.json cann/data/runtime.json DESTINATION asnumpy/cann/data)
