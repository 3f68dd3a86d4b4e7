# SPDX-License-Identifier: Apache-2.0

# What makes a build fast, and nothing that it needs: without this file's options and functions, the same programs are
# built in four times the time (bench/README.md, "What a build costs").

# Several sources are compiled as one: most of the time goes into the headers that they share. With the precompiled
# headers below, three quarters of it.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile several sources at once")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 52 CACHE STRING "How many")

find_program(CCACHE ccache)
if(CCACHE)
  # ccache needs this to cache objects that were compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Its garbage collector takes a tenth of the time; most units never need it with this heap (in kB, each time it grows).
  add_compile_options(--param=ggc-min-heapsize=1500000 --param=ggc-min-expand=100)
endif()

option(TRAINJOBC_CHECK_FORMATS "Check format strings when compiling, which takes a seventh of the time; CI does" ${TRAINJOBC_SANITIZE})
if(NOT TRAINJOBC_CHECK_FORMATS)
  add_compile_definitions(FMT_CONSTEVAL=)
endif()

# Precompiled headers: the standard library and fmt are read once, not for each batch of sources. Each source still
# includes what it uses; -DTRAINJOBC_PRECOMPILE=OFF with -DCMAKE_UNITY_BUILD=OFF checks that. No header with objects of
# its own, such as CLI11: every source would get them.
option(TRAINJOBC_PRECOMPILE "Use precompiled headers" ON)

# precompile(target... <header>...): these headers in addition to the common ones. The targets share one file,
# and must be optimised alike: GCC takes a source's optimisation from it.
function(precompile first)
  if(NOT TRAINJOBC_PRECOMPILE OR CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  set(targets ${ARGN})
  set(headers ${ARGN})
  list(FILTER targets EXCLUDE REGEX "^<")
  list(FILTER headers INCLUDE REGEX "^<")
  target_precompile_headers(${first} PRIVATE
    <fmt/format.h> <algorithm> <array> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
    <utility> <variant> <vector> ${headers})
  foreach(target IN LISTS targets)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()

# Sources that are being edited (TRAINJOBC_EDITED, by `make dev`) are compiled alone, the others of their batch once
# more without them, in two halves.
set(TRAINJOBC_EDITED "" CACHE STRING "Sources, relative to this folder, that are compiled alone")
# add_layers(NAME "LAYER..." LIBRARY...): trainjobc_NAME, and what it needs.
function(add_layers name layers)
  list(TRANSFORM layers REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/src/\\1/*.cpp")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${layers})
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(REMOVE_ITEM sources ${TRAINJOBC_LEFT_OUT} src/features/explain/explain.cpp)
  if(NOT name STREQUAL cli)  # which has the servers
    list(FILTER sources EXCLUDE REGEX "^src/features/lsp/")
  endif()
  add_library(trainjobc_${name} STATIC ${sources})
  target_include_directories(trainjobc_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(trainjobc_${name} PUBLIC ${ARGN})
  set_target_properties(trainjobc_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  math(EXPR most "${CMAKE_UNITY_BUILD_BATCH_SIZE} * 5 / 4")
  set(batch 0)
  set(size 0)
  set(last_folder "")
  set(batches "")
  set(edited_batches "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    # A few more rather than a split folder, whose sources share headers that others don't include.
    if(size GREATER_EQUAL most OR (size GREATER_EQUAL CMAKE_UNITY_BUILD_BATCH_SIZE AND NOT folder STREQUAL last_folder))
      math(EXPR batch "${batch} + 1")
      set(size 0)
    endif()
    math(EXPR size "${size} + 1")
    set(last_folder ${folder})
    list(APPEND batches ${batch})
    if(source IN_LIST TRAINJOBC_EDITED)
      list(APPEND edited_batches ${batch})
    endif()
  endforeach()
  set(half 0)
  foreach(source batch IN ZIP_LISTS sources batches)
    math(EXPR half "1 - ${half}")
    if(source IN_LIST TRAINJOBC_EDITED)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    elseif(batch IN_LIST edited_batches)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch}_${half})
    else()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
    endif()
  endforeach()
endfunction()

# What runs for each TrainJob is optimised for speed, with more inlining than GCC allows in sources as large as those of
# a unity build; what runs once per command is optimised for the time that its compilation takes. In a release each has a
# precompiled header of its own: GCC takes the optimisation of a source from the header.
# optimise("HOT..." "COLD..."): the libraries of either kind.
function(optimise hot cold)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    foreach(layer IN LISTS hot)
      # There is little to vectorise, and to look for it takes a twelfth of the time.
      target_compile_options(${layer} PRIVATE $<$<CONFIG:Release>:--param=inline-unit-growth=120>
                             $<$<CONFIG:Release>:-fno-tree-vectorize>)
    endforeach()
  endif()
  foreach(layer IN LISTS cold)
    target_compile_options(${layer} PRIVATE $<$<CONFIG:Release>:-Og>)
  endforeach()
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    precompile(${hot})
    precompile(${cold})
  else()
    precompile(${hot} ${cold})
  endif()
endfunction()
