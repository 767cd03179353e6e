# cmake --install: the library, its headers, and what find_package(BertInfer) and pkg-config look for. Nothing installed
# names a path of this machine, so the result can be moved.
include(CMakePackageConfigHelpers)

set(installed_libraries bertinfer)
if(TARGET bertinfer_shared)
  list(APPEND installed_libraries bertinfer_shared)
endif()
install(TARGETS ${installed_libraries} EXPORT BertInferTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  FILE_SET HEADERS COMPONENT development)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/BertInfer)
install(EXPORT BertInferTargets NAMESPACE BertInfer:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(cmake/BertInferConfig.cmake.in ${PROJECT_BINARY_DIR}/BertInferConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BertInferConfig.cmake ${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT development)

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
# -lbertinfer finds the shared library first; the static one has a package of its own, by its file's name.
foreach(kind shared static)
  if(kind STREQUAL "shared" AND NOT TARGET bertinfer_shared)
    continue()
  elseif(kind STREQUAL "shared")
    set(pc_name bertinfer)
    set(pc_libs "-lbertinfer")
  else()
    set(pc_name bertinfer-static)
    set(pc_libs "-l:libbertinfer.a -lstdc++ -lm -pthread -ldl")
  endif()
  configure_file(cmake/bertinfer.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endforeach()
