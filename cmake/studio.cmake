# `pelt studio`: the room, its server (civetweb, optional) and its page (TypeScript, bundled by node and npm, optional). What is
# missing is said here and again by the command.
find_path(PELT_CIVETWEB_INCLUDE civetweb.h)
find_library(PELT_CIVETWEB civetweb) # Debian's own CMake file for it is broken
set(PELT_PAGE_FROM "" CACHE PATH "folder with the page and character of `pelt studio` that another build made: taken as they are")
set(PELT_PAGE_DIR ${CMAKE_BINARY_DIR}/studio)
if(PELT_PAGE_FROM)
  set(PELT_PAGE_DIR ${PELT_PAGE_FROM})
endif()
add_library(dep_civetweb INTERFACE)
if(PELT_CIVETWEB_INCLUDE AND PELT_CIVETWEB)
  target_include_directories(dep_civetweb SYSTEM INTERFACE ${PELT_CIVETWEB_INCLUDE})
  target_link_libraries(dep_civetweb INTERFACE ${PELT_CIVETWEB})
  set(without "/server_none\\.c$")
else()
  message(STATUS "libcivetweb-dev not found: `pelt studio` will say so")
  set(without "/(server|page)\\.c$")
endif()
pelt_room(studio FOLDER studio KNOWS tools bake io builtin character geometry math core LIBS dep_civetweb Threads::Threads COMMAND WITHOUT ${without})
target_include_directories(room_studio PRIVATE cli)

# the page: build.sh makes it, or empty files where it cannot, and says why
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/studio/src/*)
set(page_files "")
foreach(name index.html boot.js studio.js studio.css icon.svg)
  list(APPEND page_files ${PELT_PAGE_DIR}/${name}.gz)
endforeach()
set(page_character ${PELT_PAGE_DIR}/biped.glb) # that stands there first
if(NOT PELT_PAGE_FROM)
  add_custom_command(OUTPUT ${page_files}
    COMMAND ${CMAKE_SOURCE_DIR}/studio/build.sh ${PELT_PAGE_DIR}
    DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/studio/build.sh ${CMAKE_SOURCE_DIR}/studio/bundle.mjs ${CMAKE_SOURCE_DIR}/studio/messages.mjs
      ${CMAKE_SOURCE_DIR}/studio/package-lock.json ${CMAKE_SOURCE_DIR}/src/studio/messages.def
    VERBATIM)
  add_custom_command(OUTPUT ${page_character} COMMAND make_character ${page_character} DEPENDS make_character VERBATIM)
endif()
if(PELT_CIVETWEB_INCLUDE AND PELT_CIVETWEB)
  set_source_files_properties(src/studio/page.c PROPERTIES COMPILE_DEFINITIONS PELT_PAGE_DIR="${PELT_PAGE_DIR}" OBJECT_DEPENDS "${page_files};${page_character}")
endif()
