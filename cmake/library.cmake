# SPDX-License-Identifier: Apache-2.0

# libtrainjobc.a, for other programs: all layers but the command line and the servers in one archive, and its CMake package.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(cel_part "")
set(re2_target "")
if(TRAINJOBC_POLICIES)
  set(cel_part cel)
  set(re2_target PkgConfig::RE2)
endif()
add_library(trainjobc_library STATIC)
foreach(part yaml schema schema_tables ${cel_part} compile explain features)
  target_sources(trainjobc_library PRIVATE $<TARGET_OBJECTS:trainjobc_${part}>)
endforeach()
set_target_properties(trainjobc_library PROPERTIES OUTPUT_NAME trainjobc EXPORT_NAME trainjobc LINKER_LANGUAGE CXX)
target_compile_features(trainjobc_library INTERFACE cxx_std_20)
target_include_directories(trainjobc_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(trainjobc_library PRIVATE fmt::fmt yaml-cpp PkgConfig::LIBYAML ${re2_target} OpenSSL::Crypto Threads::Threads)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/trainjobc)
install(TARGETS trainjobc_library EXPORT trainjobc ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT trainjobc NAMESPACE trainjobc:: FILE trainjobc-targets.cmake DESTINATION ${package} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/trainjobc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/trainjobc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trainjobc-config-version.cmake ${CMAKE_CURRENT_LIST_DIR}/trainjobc-config.cmake
  DESTINATION ${package} COMPONENT library)
