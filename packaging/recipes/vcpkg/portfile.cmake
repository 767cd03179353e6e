# The library of bert-infer. Its built-in model is in it.
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)

vcpkg_download_distfile(archive
  URLS "@URL@"
  FILENAME "bert-infer-@VERSION@.tar.gz"
  SHA512 @SHA512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DBERT_INFER_PROGRAM=OFF
    -DBERT_INFER_SHARED_LIBRARY=OFF
    -DBERT_INFER_TESTS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME BertInfer CONFIG_PATH lib/cmake/BertInfer)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/models/builtin/NOTICE")
