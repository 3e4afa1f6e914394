# pelti_tools_build (src/tools/build_key.h): a hash of the objects of both libraries, in a source of its own.
set(key_objects "")
foreach(rooms PELT PELT_TOOLS)
  get_property(targets GLOBAL PROPERTY ${rooms}_ROOM_TARGETS)
  foreach(target ${targets})
    list(APPEND key_objects $<TARGET_OBJECTS:${target}>)
  endforeach()
endforeach()
set(key_source ${CMAKE_BINARY_DIR}/build_key.c)
add_custom_command(OUTPUT ${key_source}
  COMMAND ${CMAKE_SOURCE_DIR}/cmake/build_key.sh ${key_source} ${key_objects}
  DEPENDS ${key_objects} cmake/build_key.sh COMMAND_EXPAND_LISTS VERBATIM)
add_library(pelt_build_key OBJECT ${key_source})
target_link_libraries(pelt_build_key PRIVATE see_tools pelt_flags)
target_sources(pelt_tools_shared PRIVATE $<TARGET_OBJECTS:pelt_build_key>)
target_sources(pelt_tools_static PRIVATE $<TARGET_OBJECTS:pelt_build_key>)
