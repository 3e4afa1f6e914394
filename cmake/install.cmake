# make install: command, both libraries shared and static, headers, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)

install(TARGETS pelt_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS pelt_import RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pelt) # found from the command: ../libexec/pelt
install(TARGETS pelt_shared pelt_static pelt_tools_shared pelt_tools_static
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(pelt_tools_shared PROPERTIES INSTALL_RPATH "$ORIGIN") # libpelt.so lies beside it
install(DIRECTORY include/pelt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# what a program that links the static libraries needs beside them
set(PELT_PRIVATE_LIBS "-lldl -lamd -lsuitesparseconfig -lmetis -ljson-c -lpthread -lm")
set(PELT_TOOLS_PRIVATE_LIBS "-lembree3 -lpng -lwebpmux -lwebp -lm")
file(RELATIVE_PATH PELT_PC_TO_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x) # so that the tree can be moved
foreach(name pelt pelt-tools)
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

configure_package_config_file(cmake/peltConfig.cmake.in ${CMAKE_BINARY_DIR}/peltConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/peltConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/peltConfig.cmake ${CMAKE_BINARY_DIR}/peltConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pelt)
