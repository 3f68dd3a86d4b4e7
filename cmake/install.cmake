# SPDX-License-Identifier: Apache-2.0

# What goes where. Components: `binary`, `files` and `library` (library.cmake) are `make install`; packages
# (tools/package.sh) take `files` with `static`, the binary that runs on any Linux; `wheel` is what pip installs.
include(GNUInstallDirs)

if(TRAINJOBC_PREBUILT)
  set(binary ${TRAINJOBC_PREBUILT})
elseif(TARGET trainjobc-static AND SKBUILD)
  set(binary $<TARGET_FILE:trainjobc-static>)
else()
  set(binary $<TARGET_FILE:trainjobc>)
endif()
install(PROGRAMS ${binary} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT binary)
if(TARGET trainjobc-static)
  install(PROGRAMS $<TARGET_FILE:trainjobc-static> DESTINATION ${CMAKE_INSTALL_BINDIR}
    COMPONENT static EXCLUDE_FROM_ALL)
endif()

# kubectl finds plugins and their completion by name.
file(GLOB plugins ${PROJECT_SOURCE_DIR}/plugin/kubectl*)
install(PROGRAMS ${plugins} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT files)
if(SKBUILD)
  install(PROGRAMS ${binary} ${plugins} DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel EXCLUDE_FROM_ALL)
  add_custom_target(wheel_parts)
  foreach(part trainjobc-static trainjobc)
    if(TARGET ${part})
      add_dependencies(wheel_parts ${part})
      break()
    endif()
  endforeach()
  if(TARGET trainjobc_python)
    add_dependencies(wheel_parts trainjobc_python)
    install(TARGETS trainjobc_python LIBRARY DESTINATION ${SKBUILD_PLATLIB_DIR}/trainjobc COMPONENT wheel EXCLUDE_FROM_ALL)
  endif()
endif()

set(completions ${PROJECT_SOURCE_DIR}/completions)
install(FILES ${completions}/trainjobc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME trainjobc COMPONENT files)
install(FILES ${completions}/_trainjobc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT files)
install(FILES ${completions}/trainjobc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT files)

file(GLOB pages ${PROJECT_SOURCE_DIR}/man/*.1)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT files)
install(FILES ${PROJECT_SOURCE_DIR}/man/trainjobc.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT files)
install(FILES ${PROJECT_SOURCE_DIR}/schema/trainjobc-config.json DESTINATION ${CMAKE_INSTALL_DATADIR}/trainjobc
  COMPONENT files)
set(root ${PROJECT_SOURCE_DIR})
install(FILES ${root}/README.md ${root}/ARCHITECTURE.md ${root}/CHANGELOG.md ${root}/SECURITY.md ${root}/LICENSE ${root}/NOTICE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT files)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT files)
