# Replaces the functions of vcpkg that a portfile calls: cmake -DPORT=… -DARCHIVE=… -DLIBRARY=… -DCURRENT_PACKAGES_DIR=…
# -DWORK=… -P functions.cmake. ARCHIVE replaces the download. LIBRARY, built from these sources, replaces the
# compilation.
set(PORT_FOLDER "${PORT}")
set(PORT bert-infer)

function(vcpkg_check_linkage kind)
  if(NOT kind STREQUAL "ONLY_STATIC_LIBRARY")
    message(FATAL_ERROR "vcpkg_check_linkage(${kind}), expected ONLY_STATIC_LIBRARY: no other library is installed")
  endif()
endfunction()

function(vcpkg_download_distfile result)
  cmake_parse_arguments(arg "" "FILENAME;SHA512" "URLS" ${ARGN})
  file(SHA512 "${ARCHIVE}" digest)
  if(NOT arg_URLS MATCHES "^https://" OR NOT arg_FILENAME OR NOT arg_SHA512 STREQUAL digest)
    message(FATAL_ERROR "vcpkg_download_distfile: ${ARGN}, expected the address and ${digest}")
  endif()
  set(${result} "${ARCHIVE}" PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive result)
  cmake_parse_arguments(arg "" "ARCHIVE" "" ${ARGN})
  file(ARCHIVE_EXTRACT INPUT "${arg_ARCHIVE}" DESTINATION "${WORK}/source")
  file(GLOB folder "${WORK}/source/*")  # vcpkg expects one folder
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S "${arg_SOURCE_PATH}" -B "${WORK}/build"
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" -DCMAKE_INSTALL_LIBDIR=lib
    ${arg_OPTIONS} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  file(COPY "${LIBRARY}" DESTINATION "${WORK}/build")
  execute_process(COMMAND ${CMAKE_COMMAND} --install "${WORK}/build" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${arg_PACKAGE_NAME}Config.cmake")
    message(FATAL_ERROR "no ${arg_PACKAGE_NAME}Config.cmake in ${arg_CONFIG_PATH}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
  foreach(file IN LISTS arg_FILE_LIST)
    file(READ "${file}" text)
    file(APPEND "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" "${text}")
  endforeach()
endfunction()

set(CMAKE_CURRENT_LIST_DIR "${PORT_FOLDER}")
include("${PORT_FOLDER}/portfile.cmake")
