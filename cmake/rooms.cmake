# A room is a folder of src/ built as an OBJECT library that can include only the rooms it may know (style: which rooms may
# know which). Each room gets a folder of links in the build tree, so "geometry/mesh.h" is found only where geometry is allowed.

set(PELT_ROOMS_DIR ${CMAKE_BINARY_DIR}/rooms)

# pelt_link_room(<id> <folder below src>): makes <build>/rooms/<id>/<folder> a link to src/<folder>
function(pelt_link_room id folder)
  get_filename_component(parent ${PELT_ROOMS_DIR}/${id}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${folder} ${PELT_ROOMS_DIR}/${id}/${folder} SYMBOLIC)
endfunction()

# pelt_room(<id> FOLDER <folder> KNOWS <ids...> [LIBS <targets...>] [TOOLS | COMMAND] [WITHOUT <regex>])
# Creates target room_<id> (if the folder has sources) and the interface target see_<id> that others use to include it.
# TOOLS: the room is part of libpelt-tools, not of libpelt. COMMAND: of the command `pelt` alone. WITHOUT: files left out.
function(pelt_room id)
  cmake_parse_arguments(ROOM "TOOLS;COMMAND" "FOLDER;WITHOUT" "KNOWS;LIBS" ${ARGN})
  set(library PELT)
  if(ROOM_TOOLS)
    set(library PELT_TOOLS)
  elseif(ROOM_COMMAND)
    set(library PELT_COMMAND)
  endif()
  pelt_link_room(${id} ${ROOM_FOLDER})
  add_library(see_${id} INTERFACE)
  target_include_directories(see_${id} INTERFACE ${PELT_ROOMS_DIR}/${id} ${CMAKE_SOURCE_DIR}/include)
  foreach(known ${ROOM_KNOWS})
    target_link_libraries(see_${id} INTERFACE see_${known})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${ROOM_FOLDER}/*.c)
  if(ROOM_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${ROOM_WITHOUT})
  endif()
  if(sources)
    add_library(room_${id} OBJECT ${sources})
    target_link_libraries(room_${id} PRIVATE see_${id} pelt_flags ${ROOM_LIBS})
    target_compile_options(room_${id} PRIVATE $<$<BOOL:${PELT_SANITIZE}>:-O1>)
    set_property(GLOBAL APPEND PROPERTY ${library}_ROOM_TARGETS room_${id})
  endif()
  if(ROOM_LIBS)
    set_property(GLOBAL APPEND PROPERTY ${library}_ROOM_LIBS ${ROOM_LIBS})
  endif()
endfunction()
