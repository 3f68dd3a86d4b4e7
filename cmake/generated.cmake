# SPDX-License-Identifier: Apache-2.0

# The generated sources. The generators of the schema tables (TRAINJOBC_SCHEMA_TABLES), of the rules
# (TRAINJOBC_RULES_SOURCE) and of the launchers (TRAINJOBC_LAUNCHERS_SOURCE) are built and run as part of the build; the others are written when it is configured.

# For another system or processor: a build for this one, whose generators can run here.
set(TRAINJOBC_HOST_BUILD "" CACHE PATH "When cross-compiling: a build for this machine")

# Sets `variable` to a source that tools/<tool>/<tool>.cpp generates from the files that match the patterns.
function(add_generated variable source tool)
  set(output ${PROJECT_BINARY_DIR}/generated/${source})
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE patterns)
  file(GLOB inputs CONFIGURE_DEPENDS ${patterns})
  # A file with the inputs' names, so the generator also runs again when an input is removed.
  string(REPLACE ";" "\n" names "${inputs}")
  file(CONFIGURE OUTPUT ${output}.inputs CONTENT "@names@\n" @ONLY)

  set(generator ${tool})
  if(TRAINJOBC_HOST_BUILD)
    set(generator ${TRAINJOBC_HOST_BUILD}/${tool})
  else()
    add_executable(${tool} ${PROJECT_SOURCE_DIR}/tools/${tool}/${tool}.cpp)
    target_include_directories(${tool} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
    # It runs once: to optimise it takes longer.
    target_compile_options(${tool} PRIVATE -O0 -U_FORTIFY_SOURCE)
  endif()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${generator} ${output} ${inputs}
    DEPENDS ${generator} ${inputs} ${output}.inputs
    COMMENT "Generating ${source}"
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()

add_generated(TRAINJOBC_SCHEMA_TABLES schema_tables.cpp schemagen schema/v*.json schema/descriptions.json)
if(TARGET schemagen)
  # It asks the code which CEL rules and patterns it can evaluate. The library as a file: the target brings its tables along.
  target_link_libraries(schemagen PRIVATE $<TARGET_FILE:trainjobc_schema> trainjobc_yaml)
  add_dependencies(schemagen trainjobc_schema)
  set_target_properties(schemagen PROPERTIES LINK_DEPENDS $<TARGET_FILE:trainjobc_schema>)
endif()
add_generated(TRAINJOBC_RULES_SOURCE rules_table.cpp rulegen rules/*/*.md)
add_generated(TRAINJOBC_LAUNCHERS_SOURCE launchers.cpp launchgen launchers/programs.yaml launchers/shell.yaml)
if(TARGET launchgen)
  target_link_libraries(launchgen PRIVATE yaml-cpp)
endif()

# Sets `variable` to the text of a file, and configures again when it changes.
function(read_file variable file)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The built-in runtimes (TRAINJOBC_CATALOGUE_SOURCE), by version and name.
file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/v*/*.yaml)
list(SORT templates COMPARE NATURAL)
set(catalogue_files "")
foreach(file IN LISTS templates)
  cmake_path(GET file FILENAME name)
  string(REGEX REPLACE ".*/v([^/]+)/[^/]*$" "\\1" version ${file})
  read_file(text ${file})
  string(APPEND catalogue_files "    {\"${version}\", \"${name}\", R\"RUNTIME(${text})RUNTIME\"},\n")
endforeach()
set(TRAINJOBC_CATALOGUE_SOURCE ${PROJECT_BINARY_DIR}/generated/catalogue_files.cpp)
configure_file(${CMAKE_CURRENT_LIST_DIR}/catalogue_files.cpp.in ${TRAINJOBC_CATALOGUE_SOURCE} @ONLY)

# Declares NAME::kPlugin of each file in src/policy/plugins/ (policy/plugins.h).
file(GLOB plugins CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/policy/plugins/*.cpp)
set(declarations "")
foreach(plugin IN LISTS plugins)
  cmake_path(GET plugin STEM name)
  string(APPEND declarations "namespace trainjobc::policy::${name} {\nextern const Plugin kPlugin;\n}\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/plugins.h.in ${PROJECT_BINARY_DIR}/generated/policy/plugins.h @ONLY)

# The list of the subjects of advice (TRAINJOBC_ADVICE_SUBJECTS): each file of the folder defines NAME::checks().
file(GLOB subjects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compile/advice/checks/*.cpp)
set(declarations "")
set(functions "")
foreach(subject IN LISTS subjects)
  cmake_path(GET subject STEM name)
  string(APPEND declarations "namespace ${name} {\nChecks checks();\n}\n")
  list(APPEND functions ${name}::checks\(\))
endforeach()
list(JOIN functions ", " functions)
set(TRAINJOBC_ADVICE_SUBJECTS ${PROJECT_BINARY_DIR}/generated/advice_subjects.cpp)
configure_file(${CMAKE_CURRENT_LIST_DIR}/advice_subjects.cpp.in ${TRAINJOBC_ADVICE_SUBJECTS} @ONLY)

# The shells' scripts, for `trainjobc completion`.
set(completions ${PROJECT_SOURCE_DIR}/completions)
read_file(bash_script ${completions}/trainjobc.bash)
read_file(zsh_script ${completions}/_trainjobc)
read_file(fish_script ${completions}/trainjobc.fish)
configure_file(${CMAKE_CURRENT_LIST_DIR}/completion_scripts.h.in
  ${PROJECT_BINARY_DIR}/generated/completion_scripts.h @ONLY)

# The documents that `trainjobc new` and the editor's snippets fill in, and those that `kustomize-config` prints.
foreach(name job patch runtime runtime-mpi kustomize-config kustomize-openapi)
  string(MAKE_C_IDENTIFIER new_${name} variable)
  read_file(${variable} ${PROJECT_SOURCE_DIR}/templates/new/${name}.yaml)
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/new_templates.h.in ${PROJECT_BINARY_DIR}/generated/new_templates.h @ONLY)

# The settings of .trainjobc.yaml, which the language server explains.
read_file(config_schema ${PROJECT_SOURCE_DIR}/schema/trainjobc-config.json)
configure_file(${CMAKE_CURRENT_LIST_DIR}/config_schema.h.in ${PROJECT_BINARY_DIR}/generated/config_schema.h @ONLY)

# The schemas of the reports in JSON, which `trainjobc schema --report` prints.
foreach(name diff explain lint migrate plan runtimes version)
  read_file(report_${name} ${PROJECT_SOURCE_DIR}/schema/reports/${name}.json)
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/report_schemas.h.in ${PROJECT_BINARY_DIR}/generated/report_schemas.h @ONLY)
