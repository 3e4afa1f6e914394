/// `pelt-import FILE`: writes a plain .glb of the file to its output. Run by libpelt (src/io/import.h) in a process of its own;
/// what goes wrong is said in one sentence on standard error, with pelt's exit codes.
#ifndef PELT_IMPORT_IMPORT_H
#define PELT_IMPORT_IMPORT_H

#include "io/gltf_out.h"

/// Compressed glTF: meshes and buffers unpacked, everything else as it is.
PeltStatus import_packed(const char *path, FILE *to, PeltError *err);
/// FBX and Collada.
PeltStatus import_scene(const char *path, FILE *to, PeltError *err);

/// A line for `pelt inspect`, said where all went well: what was not taken over, under a code as of warnings; "origin": what was
/// read.
void import_note(const char *code, const char *format, ...) PELT_PRINTF(2, 3);

/// The end of both: writes the document.
PeltStatus import_write(PeltiGltfOut *out, FILE *to, PeltError *err);

#endif
