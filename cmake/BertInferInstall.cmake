# cmake --install installs the library, its headers, and the files that find_package(BertInfer) and pkg-config read. No
# installed file names a path of the build, so the result can be moved.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/BertInfer)
configure_package_config_file(cmake/BertInferConfig.cmake.in ${PROJECT_BINARY_DIR}/BertInferConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake COMPATIBILITY SameMinorVersion)
set(package_files ${PROJECT_BINARY_DIR}/BertInferConfig.cmake ${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake)

# The core: where the whole library is built it is installed by the component's name alone, cmake --install BUILD
# --component core, once the target bertinfer_core is built.
set(by_name_alone EXCLUDE_FROM_ALL)
if(BERT_INFER_CORE_ALONE)
  set(by_name_alone "")
endif()
install(TARGETS bertinfer_core EXPORT BertInferCoreTargets
  ARCHIVE COMPONENT core ${by_name_alone}
  FILE_SET HEADERS COMPONENT core ${by_name_alone})
install(EXPORT BertInferCoreTargets NAMESPACE BertInfer:: DESTINATION ${package_folder} COMPONENT core ${by_name_alone})
install(FILES ${package_files} DESTINATION ${package_folder} COMPONENT core ${by_name_alone})
if(BERT_INFER_CORE_ALONE)
  return()
endif()

set(installed_libraries bertinfer)
if(TARGET bertinfer_shared)
  list(APPEND installed_libraries bertinfer_shared)
endif()
install(TARGETS ${installed_libraries} EXPORT BertInferTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  FILE_SET HEADERS COMPONENT development)
install(EXPORT BertInferTargets NAMESPACE BertInfer:: DESTINATION ${package_folder} COMPONENT development)
install(FILES ${package_files} DESTINATION ${package_folder} COMPONENT development)

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
# The linker prefers the shared library for -lbertinfer. Therefore the static library has its own pkg-config file, which
# names the file libbertinfer.a.
foreach(kind shared static)
  if(kind STREQUAL "shared" AND NOT TARGET bertinfer_shared)
    continue()
  elseif(kind STREQUAL "shared")
    set(pc_name bertinfer)
    set(pc_libs "-lbertinfer")
  else()
    set(pc_name bertinfer-static)
    set(pc_libs "-l:libbertinfer.a -lstdc++ -lm -pthread -ldl")
    if(BERT_INFER_C_NAMES)  # packaging/release puts the C++ library into it
      string(REPLACE " -lstdc++" "" pc_libs "${pc_libs}")
    endif()
  endif()
  configure_file(cmake/bertinfer.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endforeach()
