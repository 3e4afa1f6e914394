/// A document into a file as it is: everything that was read, in one file that stands alone.
#include "io/gltf_out.h"

#include <string.h>
#include <strings.h>

PeltStatus pelti_gltf_save(const PeltiGltf *doc, const char *path, const PeltAllocator *allocator, PeltiLog *log, PeltError *err)
{
    const char *dot = strrchr(path, '.');
    bool is_text = dot && strcasecmp(dot, ".gltf") == 0;
    PeltiGltfOut out = {0};
    PeltiFile file = {0};
    if (!dot || (!is_text && strcasecmp(dot, ".glb") != 0 && strcasecmp(dot, ".vrm") != 0))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                         "%s: a character is written as .glb, .vrm or .gltf; frames of points are written by `pelt bake`", path);
    PeltStatus status = pelti_file_begin(&file, path, err);
    status = status == PELT_OK ? pelti_gltf_out_begin(&out, doc, allocator, log, err) : status;
    status = status == PELT_OK ? pelti_gltf_out_write(&out, &file, !is_text, err) : status;
    status = status == PELT_OK ? pelti_file_commit(&file, err) : status;
    pelti_file_abort(&file);
    pelti_gltf_out_end(&out);
    return status;
}
