# make install: command, shared and static library, headers, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)

install(TARGETS pelt_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pelt_import RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pelt) # found from the command: ../libexec/pelt
install(TARGETS pelt_shared pelt_static LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/pelt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(PELT_PRIVATE_LIBS "-lldl -lamd -lsuitesparseconfig -lmetis -llapacke -lopenblas -lembree3 -ljson-c -lpng -lwebpmux -lwebp -lpthread -lm")
file(RELATIVE_PATH PELT_PC_TO_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x) # so that the tree can be moved
configure_file(cmake/pelt.pc.in ${CMAKE_BINARY_DIR}/pelt.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pelt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/peltConfig.cmake.in ${CMAKE_BINARY_DIR}/peltConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/peltConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/peltConfig.cmake ${CMAKE_BINARY_DIR}/peltConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)
