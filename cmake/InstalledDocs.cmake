# Writes the documentation in its installed form: README, the pages of docs/, the changelog, the examples and the
# built-in model's NOTICE, in the same places relative to each other. A link to a file that is not installed becomes its
# text.
set(docs_folder ${PROJECT_BINARY_DIR}/installed-docs)
file(GLOB docs_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/commands/*.md ${PROJECT_SOURCE_DIR}/docs/results/*.md)
list(APPEND docs_pages README.md CHANGELOG.md)
file(GLOB docs_others CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/examples/*.c ${PROJECT_SOURCE_DIR}/examples/*.cc ${PROJECT_SOURCE_DIR}/examples/*.txt
  ${PROJECT_SOURCE_DIR}/examples/*.csv ${PROJECT_SOURCE_DIR}/examples/one_page/*.cc)
list(APPEND docs_others LICENSE models/builtin/NOTICE)

file(REMOVE_RECURSE ${docs_folder})
foreach(page IN LISTS docs_pages)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
  file(READ ${PROJECT_SOURCE_DIR}/${page} text)
  # The targets alone: brackets would end an element of CMake's lists.
  string(REGEX MATCHALL "\\([^][() \n;]+\\)" targets "${text}")
  list(REMOVE_DUPLICATES targets)
  cmake_path(GET page PARENT_PATH page_folder)
  foreach(target IN LISTS targets)
    string(REGEX REPLACE "^\\(|\\)$|#.*$" "" path "${target}")
    if(path STREQUAL "" OR path MATCHES "^https?:")
      continue()
    endif()
    cmake_path(APPEND page_folder "${path}" OUTPUT_VARIABLE path)
    cmake_path(NORMAL_PATH path)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${path} OR path IN_LIST docs_pages OR path IN_LIST docs_others
        OR path STREQUAL "docs/commands")
      continue()
    endif()
    string(REGEX REPLACE "([.+()])" "\\\\\\1" pattern "${target}")
    string(REGEX REPLACE "\\[([^]]*)\\]${pattern}" "\\1" text "${text}")
  endforeach()
  file(WRITE ${docs_folder}/${page} "${text}")
endforeach()
foreach(file IN LISTS docs_others)
  configure_file(${PROJECT_SOURCE_DIR}/${file} ${docs_folder}/${file} COPYONLY)
endforeach()
install(DIRECTORY ${docs_folder}/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
