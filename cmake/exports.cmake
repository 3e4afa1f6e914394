# What the shared libraries show. libpelt.so: pelt_* to everybody, and of its inside exactly the functions that libpelt-tools
# calls, under a version of their own that names this release: a libpelt-tools of another release is refused by the loader.
# Objects are compiled with protected visibility (calls go straight, as with hidden ones); all else becomes local here.
get_property(tools_targets GLOBAL PROPERTY PELT_TOOLS_ROOM_TARGETS)
set(tools_objects "")
foreach(target ${tools_targets})
  list(APPEND tools_objects $<TARGET_OBJECTS:${target}>)
endforeach()
set(pelt_map ${CMAKE_BINARY_DIR}/pelt.map)
set(tools_map ${CMAKE_BINARY_DIR}/pelt-tools.map)
add_custom_command(OUTPUT ${pelt_map}
  COMMAND ${CMAKE_SOURCE_DIR}/cmake/exports.sh ${PROJECT_VERSION} ${pelt_map} ${CMAKE_NM} ${tools_objects}
  DEPENDS ${tools_objects} cmake/exports.sh COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(pelt_exports DEPENDS ${pelt_map})
add_dependencies(pelt_shared pelt_exports)
file(WRITE ${tools_map} "PELT_TOOLS_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} { global: pelt_*; local: *; };\n")
target_link_options(pelt_shared PRIVATE LINKER:--version-script=${pelt_map})
target_link_options(pelt_tools_shared PRIVATE LINKER:--version-script=${tools_map})
set_target_properties(pelt_shared PROPERTIES LINK_DEPENDS ${pelt_map})
if(NOT PELT_SANITIZE AND NOT PELT_FUZZ)
  target_link_options(pelt_shared PRIVATE LINKER:-z,defs)
  target_link_options(pelt_tools_shared PRIVATE LINKER:-z,defs)
endif()
