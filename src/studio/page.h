/// The page itself: files that were bundled when the program was built, compressed, and are part of it. A fixed table: no path is
/// ever made of what a browser asks for.
#ifndef PELTI_STUDIO_PAGE_H
#define PELTI_STUDIO_PAGE_H

#include <stddef.h>

typedef struct PeltiStudioFile {
    const char *path;  ///< as a browser asks for it
    const char *type;  ///< MIME
    const void *bytes; ///< gzip
    size_t size;
} PeltiStudioFile;

/// NULL: there is no such file. All are empty where the program was built without the page.
const PeltiStudioFile *pelti_studio_page(const char *path);
/// The character that stands there first, as .glb; size 0: none was built in.
const void *pelti_studio_character(size_t *size);

#endif
