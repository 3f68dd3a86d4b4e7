# SPDX-License-Identifier: Apache-2.0

# Builds that find what tests alone don't: -DTRAINJOBC_SANITIZE=ON, -DTRAINJOBC_TSAN=ON, -DTRAINJOBC_FUZZ=ON, with
# -DTRAINJOBC_FUZZ_FAST=ON the fuzz targets without sanitizers, and -DTRAINJOBC_COVERAGE=ON, which builds them to count
# lines instead.
if(TRAINJOBC_SANITIZE OR TRAINJOBC_TSAN OR TRAINJOBC_FUZZ)
  set(TRAINJOBC_SANITIZED ON)
  set(CMAKE_CXX_FLAGS_DEBUG "-g1")  # only lines for stack traces; full debug info takes a fifth of the build time
  add_compile_options(-fno-omit-frame-pointer)
endif()
if(TRAINJOBC_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
elseif(TRAINJOBC_SANITIZE OR (TRAINJOBC_FUZZ AND NOT TRAINJOBC_FUZZ_FAST))
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()
if(TRAINJOBC_TSAN)
  set(CMAKE_CXX_FLAGS_DEBUG "-g1 -O1")  # ThreadSanitizer costs less in code of this kind
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(TRAINJOBC_FUZZ)
  set(CMAKE_CXX_FLAGS_DEBUG "-gline-tables-only -O1 -ffunction-sections")
  if(TRAINJOBC_FUZZ_FAST)
    # Checks that cost little stay; comparisons are not traced: the dictionaries have the words.
    set(CMAKE_CXX_FLAGS_DEBUG "-gline-tables-only -O2 -ffunction-sections -D_GLIBCXX_ASSERTIONS")
    add_compile_options(-fsanitize-coverage=inline-8bit-counters,pc-table)
    add_link_options(-fsanitize=undefined)  # for programs that aren't targets: what counts nothing
  elseif(NOT TRAINJOBC_COVERAGE)
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
  add_link_options(-Wl,--gc-sections)
endif()
