# cmake --install: the program, the library, its headers, and what find_package(BertInfer) and pkg-config look for.
# Nothing installed names a path of this machine, so the result can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bertinfer EXPORT BertInferTargets FILE_SET HEADERS)
install(TARGETS bert-infer)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(bert-infer PROPERTIES INSTALL_RPATH "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/${bin_to_lib}>")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/BertInfer)
install(EXPORT BertInferTargets NAMESPACE BertInfer:: DESTINATION ${package_folder})
configure_package_config_file(cmake/BertInferConfig.cmake.in ${PROJECT_BINARY_DIR}/BertInferConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BertInferConfig.cmake ${PROJECT_BINARY_DIR}/BertInferConfigVersion.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
set(pc_static_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(pc_static_libs "-pthread -ldl")
endif()
configure_file(cmake/bertinfer.pc.in ${PROJECT_BINARY_DIR}/bertinfer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bertinfer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
