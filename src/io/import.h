/// Files that need another's reader (FBX, Collada, compressed glTF): the helper program `pelt-import` turns them into plain
/// .glb in a process of its own, with limits, because those readers are not ours and not fuzzed.
#ifndef PELTI_IO_IMPORT_H
#define PELTI_IO_IMPORT_H

#include "io/gltf.h"

/// By its first bytes or its name: FBX or Collada.
bool pelti_import_is_foreign(const char *path);

/// Runs the helper on a file and opens what it makes. The helper is the program $PELT_IMPORT names, or `pelt-import` beside
/// the running program, in ../libexec/pelt of it, or on the PATH. `*found` false: there is none. A crash, a hang (the
/// process is ended after a time that grows with the file) and output that is no glTF are PELT_BAD_INPUT. Leaves no file and
/// no process behind. Not for programs that ignore or reap SIGCHLD in other threads.
PeltStatus pelti_import(const char *path, const PeltAllocator *allocator, bool *found, PeltiGltf **out, PeltError *err);

#endif
