/// The readers of rig and scene files, and of the shapes a scene names: any text is refused with a story or read.
#define _DEFAULT_SOURCE // mkstemps
#include "io/rig.h"
#include "io/scene.h"
#include "io/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "fuzz_form.c:%d: does not hold: %s\n", __LINE__, #condition);                                        \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

/// The readers open files: the bytes go into one that is used again and again, under a name of each kind.
static const char *file_with(const uint8_t *data, size_t size, const char *ending)
{
    static char path[2][64];
    static int file[2];
    int which = !strcmp(ending, ".obj");
    if (!path[which][0]) {
        snprintf(path[which], sizeof path[which], "/tmp/pelt-fuzz-XXXXXX%s", ending);
        file[which] = mkstemps(path[which], (int)strlen(ending));
        HOLDS(file[which] >= 0);
    }
    HOLDS(ftruncate(file[which], 0) == 0 && pwrite(file[which], data, size, 0) == (ssize_t)size);
    return path[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PeltError err = {0};
    if (size && data[0] == '{') {
        const char *path = file_with(data, size, ".json");
        PeltiIoRig *rig;
        PeltiIoScene *scene;
        PeltStatus status = pelti_io_rig_load((PeltiIoRigSource){.path = path}, NULL, NULL, &rig, &err);
        HOLDS((status == PELT_OK) == (rig != NULL) && (status == PELT_OK || err.text[0]));
        pelti_io_rig_destroy(rig);
        err = (PeltError){0};
        status = pelti_scene_load(path, NULL, NULL, &scene, &err);
        HOLDS((status == PELT_OK) == (scene != NULL) && (status == PELT_OK || err.text[0]));
        pelti_scene_destroy(scene);
        return 0;
    }
    PeltiPool pool;
    PeltiIoMesh shape;
    pelti_pool_init(&pool, NULL);
    if (pelti_io_mesh_load(&pool, file_with(data, size, ".obj"), &shape, &err) == PELT_OK)
        for (int t = 0; t < shape.triangle_count; t++)
            for (int k = 0; k < 3; k++)
                HOLDS(shape.triangles[t][k] >= 0 && shape.triangles[t][k] < shape.vertex_count);
    pelti_pool_release(&pool);
    return 0;
}
