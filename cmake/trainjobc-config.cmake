# SPDX-License-Identifier: Apache-2.0

# find_package(trainjobc): trainjobc::trainjobc, and the libraries that it is linked with.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(OpenSSL)
find_dependency(Threads)
find_dependency(yaml-cpp)
find_dependency(PkgConfig)
if(NOT TARGET PkgConfig::LIBYAML)
  pkg_check_modules(LIBYAML REQUIRED QUIET IMPORTED_TARGET yaml-0.1)
endif()
if(NOT TARGET PkgConfig::RE2)
  pkg_check_modules(RE2 QUIET IMPORTED_TARGET re2)  # unless it was built without policies
endif()
include(${CMAKE_CURRENT_LIST_DIR}/trainjobc-targets.cmake)
