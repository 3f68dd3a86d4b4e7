# SPDX-License-Identifier: Apache-2.0

# The Python module: what python/src binds of the public C++ API. nanobind comes from the interpreter's packages. For a
# wheel it is linked with archives, as trainjobc-static is, so that it needs nothing but the C library.
if(SKBUILD)
  set(default ON)
else()
  set(default OFF)
endif()
option(TRAINJOBC_PYTHON "Build the Python module (needs nanobind)" ${default})
set(TRAINJOBC_PYTHON_INTERPRETER python3)  # of the tests
if(NOT TRAINJOBC_PYTHON)
  return()
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
set(TRAINJOBC_PYTHON_INTERPRETER ${Python_EXECUTABLE})
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(trainjobc_python STABLE_ABI FREE_THREADED NB_STATIC NB_SUPPRESS_WARNINGS
  ${PROJECT_SOURCE_DIR}/python/src/core.cpp)
foreach(library nanobind-static nanobind-static-abi3 nanobind-static-ft)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${library} PRIVATE -w)
  endif()
endforeach()
set_target_properties(trainjobc_python PROPERTIES
  OUTPUT_NAME _core
  UNITY_BUILD OFF
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/trainjobc)
target_compile_features(trainjobc_python PRIVATE cxx_std_20)
target_include_directories(trainjobc_python PRIVATE ${PROJECT_SOURCE_DIR}/include)
if(TRAINJOBC_PREBUILT_LIBRARY)
  cmake_path(GET TRAINJOBC_PREBUILT_LIBRARY PARENT_PATH prebuilt)
  find_library(FMT_ARCHIVE NAMES libfmt.a libfmt_archive.a HINTS ${prebuilt} REQUIRED)
  find_library(LIBYAML_ARCHIVE libyaml.a REQUIRED)
  find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)
  find_library(CRYPTO_ARCHIVE libcrypto.a REQUIRED)
  find_library(RE2_MODULE_LIBRARY re2 REQUIRED)  # shared, if there is one: Debian's archive is made for programs
  target_link_libraries(trainjobc_python PRIVATE
    ${TRAINJOBC_PREBUILT_LIBRARY} ${FMT_ARCHIVE} ${LIBYAML_ARCHIVE} ${YAML_CPP_ARCHIVE} ${CRYPTO_ARCHIVE} ${RE2_MODULE_LIBRARY})
else()
  target_link_libraries(trainjobc_python PRIVATE trainjobc_features)
endif()
if(SKBUILD AND TARGET trainjobc-static)
  set_target_properties(trainjobc_python PROPERTIES TRAINJOBC_STATIC ON)
endif()
if(SKBUILD AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  target_link_options(trainjobc_python PRIVATE
    -static-libstdc++ -static-libgcc -Wl,--version-script=${PROJECT_SOURCE_DIR}/python/src/core.map
    -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now)
endif()

# Beside it, the package's Python sources, so that the build folder can be imported from.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/trainjobc)
file(GLOB package_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/trainjobc/*.py*)
foreach(source IN LISTS package_sources)
  cmake_path(GET source FILENAME name)
  if(NOT IS_DIRECTORY ${source})
    file(CREATE_LINK ${source} ${PROJECT_BINARY_DIR}/python/trainjobc/${name} SYMBOLIC)
  endif()
endforeach()
