# SPDX-License-Identifier: Apache-2.0

# The Debian package and the SBOM. tools/package.sh calls CPack and builds the other packages.

# What the packages are for, such as linux-x86_64: part of their names, for tools/package.sh.
string(TOLOWER ${CMAKE_SYSTEM_NAME} platform)
string(REPLACE darwin macos platform ${platform})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/platform CONTENT "${platform}-${CMAKE_SYSTEM_PROCESSOR}\n" @ONLY)

# The libraries linked into the binary, with the versions of the build.
execute_process(COMMAND ldd --version OUTPUT_VARIABLE glibc ERROR_QUIET)
string(REGEX MATCH "[0-9]+\\.[0-9]+" glibc "${glibc}")
set(components "")
set(component_names "")
function(add_component name version licence)
  set(entry "    {\"type\": \"library\", \"name\": \"${name}\", \"version\": \"${version}\", \"bom-ref\": \"${name}\", \"licenses\": [${licence}]}")
  if(components)
    string(APPEND components ",\n")
  endif()
  set(components "${components}${entry}" PARENT_SCOPE)
  set(component_names "${component_names}, \"${name}\"" PARENT_SCOPE)
endfunction()
set(mit "{\"license\": {\"id\": \"MIT\"}}")
add_component(CLI11 "${CLI11_VERSION}" "{\"license\": {\"id\": \"BSD-3-Clause\"}}")
add_component(fmt "${fmt_VERSION}" "${mit}")
if(CMAKE_SYSTEM_NAME STREQUAL Darwin)
  add_component(libc++ "${CMAKE_CXX_COMPILER_VERSION}" "{\"expression\": \"Apache-2.0 WITH LLVM-exception\"}")
else()
  add_component(glibc "${glibc}" "{\"license\": {\"id\": \"LGPL-2.1-or-later\"}}")
  add_component(libstdc++ "${CMAKE_CXX_COMPILER_VERSION}" "{\"expression\": \"GPL-3.0-or-later WITH GCC-exception-3.1\"}")
endif()
add_component(libyaml "${LIBYAML_VERSION}" "${mit}")
add_component(nlohmann_json "${nlohmann_json_VERSION}" "${mit}")
add_component(openssl "${OPENSSL_VERSION}" "{\"license\": {\"id\": \"Apache-2.0\"}}")
if(TRAINJOBC_POLICIES)
  add_component(re2 "${RE2_VERSION}" "{\"license\": {\"id\": \"BSD-3-Clause\"}}")
endif()
add_component(yaml-cpp "${yaml-cpp_VERSION}" "${mit}")
string(REGEX REPLACE "^, " "" component_names "${component_names}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/sbom.cdx.json.in ${PROJECT_BINARY_DIR}/trainjobc.cdx.json @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trainjobc.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT files)

# The licences of the libraries in trainjobc-static.
foreach(library libcli11-dev libfmt-dev libc6-dev libstdc++6 nlohmann-json3-dev libssl-dev libyaml-dev libyaml-cpp-dev libre2-dev)
  if(EXISTS /usr/share/doc/${library}/copyright)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences
      RENAME ${library}.txt COMPONENT static EXCLUDE_FROM_ALL)
  endif()
endforeach()

# Debian wants the licence of everything in a package in one file.
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_copyright.in ${PROJECT_BINARY_DIR}/debian_copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/debian_copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright
  COMPONENT debian EXCLUDE_FROM_ALL)

# JSON Schemas of the kinds.
set(schemas ${PROJECT_BINARY_DIR}/schemas)
set(schema_writer trainjobc)
if(TRAINJOBC_HOST_BUILD)
  set(schema_writer ${TRAINJOBC_HOST_BUILD}/trainjobc)
endif()
add_custom_command(
  OUTPUT ${schemas}.stamp
  COMMAND ${schema_writer} __schemas ${schemas}
  COMMAND ${CMAKE_COMMAND} -E touch ${schemas}.stamp
  DEPENDS ${schema_writer}
  COMMENT "Writing JSON schemas"
  VERBATIM)
add_custom_target(json_schemas ALL DEPENDS ${schemas}.stamp)
install(DIRECTORY ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/trainjobc COMPONENT files)
if(TARGET trainjobc-static)
  add_dependencies(trainjobc-static json_schemas)
endif()

# Debian packages install zsh completions in a different folder from zsh's own.
install(FILES ${PROJECT_SOURCE_DIR}/completions/_trainjobc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ${PROJECT_NAME})
set(CPACK_PACKAGE_VENDOR "trainjobc")
set(CPACK_PACKAGE_CONTACT "The trainjobc authors <trainjobc@users.noreply.github.com>")
set(CPACK_PACKAGE_HOMEPAGE_URL ${PROJECT_HOMEPAGE_URL})
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Reads TrainJob and TrainingRuntime manifests and prints the JobSet, with its Secrets,
ConfigMaps and PodGroup, that the Kubeflow Trainer controller would create;
says what the cluster would refuse, at the line where it is wrong.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_COMPONENTS_ALL static files debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/dist)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/same_times.cmake)
include(CPack)
