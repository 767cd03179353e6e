# cmake --install installs the program, its manual page, completions and documentation, and the server's unit. The
# Debian packages are defined here too.

# The Debian packages are these components: program, library, development. What names none is the program's.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS bert-infer)
include(cmake/InstalledDocs.cmake)

if(BERT_INFER_SHARE)
  install(FILES ${BERT_INFER_SHARE}/bert-infer.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${BERT_INFER_SHARE}/bert-infer.bash RENAME bert-infer
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${BERT_INFER_SHARE}/bert-infer.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # zsh reads the first folder; Debian's zsh reads the second below /usr.
  foreach(folder site-functions vendor-completions)
    install(FILES ${BERT_INFER_SHARE}/_bert-infer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
  endforeach()
endif()

# Installs the server's unit for systemd, which is not enabled, and example files for the programs around it.
if(BERT_INFER_SERVER)
  install(FILES packaging/systemd/bert-infer.service packaging/systemd/bert-infer.socket
    DESTINATION lib/systemd/system)
  install(DIRECTORY packaging/docker packaging/grafana packaging/kubernetes packaging/nginx
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
endif()

# Installs files that only Debian's packages need. Each belongs to the component of its package, and an installation of
# everything leaves them out.
find_program(GZIP gzip REQUIRED)
set(library_package libbertinfer${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(debian_folder ${PROJECT_BINARY_DIR}/debian)
set(CPACK_PACKAGE_CONTACT "The authors of bert-infer <authors@bert-infer.invalid>" CACHE STRING
  "The maintainer of the Debian packages, NAME <ADDRESS>: who publishes them")
string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where that is set
configure_file(packaging/debian/changelog.in ${debian_folder}/changelog @ONLY)
execute_process(COMMAND ${GZIP} -9nc ${debian_folder}/changelog OUTPUT_FILE ${debian_folder}/changelog.gz
  COMMAND_ERROR_IS_FATAL ANY)
# The packages run ldconfig by a trigger. CPack also adds scripts that call ldconfig, which lintian would report as
# unnecessary; the overrides silence it.
file(WRITE ${debian_folder}/triggers "activate-noawait ldconfig\n")
file(WRITE ${debian_folder}/overrides "${library_package}: maintscript-calls-ldconfig\n")
foreach(names "program;bert-infer" "library;${library_package}" "development;libbertinfer-dev")
  list(GET names 0 component)
  list(GET names 1 package)
  install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component}
    EXCLUDE_FROM_ALL)
  install(FILES ${debian_folder}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
install(FILES ${debian_folder}/overrides RENAME ${library_package} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
  COMPONENT library EXCLUDE_FROM_ALL)

# cpack -G DEB makes three Debian packages: bert-infer, libbertinfer0.1 and libbertinfer-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bert-infer)
set(CPACK_PACKAGE_VENDOR "bert-infer")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bert-infer)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "BERT encoders in the shell and behind HTTP")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "BERT encoders in C++ and C: the shared library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbertinfer-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "BERT encoders in C++ and C: headers, and the static library")
if(CMAKE_CROSSCOMPILING)
  # dpkg-shlibdeps knows the packages of this system's libraries only; these are what it finds for x86-64.
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(system "libc6 (>= 2.34), libgcc-s1 (>= 3.0), libstdc++6 (>= 12)")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "${system}")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${system}, libminizip1 (>= 1.1), libzstd1 (>= 1.5.0), zlib1g (>= 1:1.2.0)")
  if(BERT_INFER_SERVER)
    string(APPEND CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ", libprometheus-cpp-core1.0")
  endif()
else()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${debian_folder}/triggers)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libonig5, libcurl4")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libonig5")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libopenblas0-pthread, python3-numpy")
include(CPack)
