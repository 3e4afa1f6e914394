/// Which build of the program this is.
#ifndef PELTI_TOOLS_BUILD_KEY_H
#define PELTI_TOOLS_BUILD_KEY_H

/// A hash of every object that both libraries are made of (cmake/build_key.cmake writes it): what one build has half finished,
/// another does not go on with.
extern const char pelti_tools_build[];

#endif
