# SPDX-License-Identifier: Apache-2.0

# What makes a mistake in this code hard to exploit, in each binary: addresses that are random (PIE), tables of
# the linker that are read-only once the program runs (full RELRO), a stack that is not executable; and, unless
# TRAINJOBC_HARDENED is OFF, a stack that is checked, checked calls of the C library, and indirect jumps that must
# arrive at a mark (CET, on arm64 BTI). tests/packaging/hardening_test.py looks at the result. A sanitizer checks more, and is in
# the way of these.
option(TRAINJOBC_HARDENED "Compile with stack protector, _FORTIFY_SOURCE and CET" ON)
if(TRAINJOBC_SANITIZED OR APPLE OR EMSCRIPTEN)
  return()
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(NOT TRAINJOBC_HARDENED)
  return()
endif()

include(CheckCXXCompilerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "TRAINJOBC_HAS${flag}" has)
  check_cxx_compiler_flag("-Werror ${flag}" ${has})
  if(${has})
    add_compile_options(${flag})
  endif()
endforeach()
# It needs optimisation.
add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
add_link_options($<$<AND:${is_program},$<NOT:$<BOOL:$<TARGET_PROPERTY:TRAINJOBC_STATIC>>>>:-pie>)
