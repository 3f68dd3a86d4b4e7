# SPDX-License-Identifier: Apache-2.0

# CPack writes the staged files' times into the package: set them all to SOURCE_DATE_EPOCH if it is set.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
    COMMAND_ERROR_IS_FATAL ANY)
endif()
