/// In place of the reader of FBX and Collada where Assimp is not there: says what to install.
#include "import.h"

PeltStatus import_scene(const char *path, FILE *to, PeltError *err)
{
    (void)path;
    (void)to;
    return PELT_FAIL(err, PELT_UNSUPPORTED,
                     "FBX and Collada cannot be read by this build (it was made without libassimp): convert the file to .glb "
                     "(Blender: File > Export > glTF 2.0)");
}
