/// Reads what an artist adds to a character (--rig X.json, and `--set joint.NAME.key=value` for one key of it).
#ifndef PELTI_IO_RIG_H
#define PELTI_IO_RIG_H

#include "character/character.h"

#include <pelt/rig.h>

typedef struct PeltiIoRig {
    PeltiPool pool; ///< of everything below
    PeltRig rig;
} PeltiIoRig;

/// `path` NULL: settings alone. `settings` are "joint.NAME.key=value" texts and win over the file; a value is JSON or plain
/// text. Names of joints are checked against `who` (NULL: not). The caller destroys `*out`.
typedef struct PeltiIoRigSource {
    const char *path;            ///< NULL: settings alone
    const char *const *settings; ///< [setting_count] "joint.NAME.key=value"
    int setting_count;
} PeltiIoRigSource;
PeltStatus pelti_io_rig_load(PeltiIoRigSource source, const PeltiCharacter *who, const PeltAllocator *allocator, PeltiIoRig **out,
                             PeltError *err);
void pelti_io_rig_destroy(PeltiIoRig *rig); ///< NULL is fine

/// Is this --set text one for the rig ("joint.")?
bool pelti_io_rig_is_setting(const char *text);

#endif
