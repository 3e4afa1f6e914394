/// Writes the seeds of the fuzz targets: the tests' tiny character, stored in every way the reader knows.
#include "support/tiny_gltf.h"

static void save(const char *folder, const char *name, void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/gltf/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "make_corpus: cannot write %s\n", path);
        exit(2);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        TinyOptions options;
    } seeds[] = {{"plain", {0}},
                 {"quantised", {.quantised = true}},
                 {"sparse", {.sparse = true, .scale = 3}},
                 {"sets", {.two_sets = true, .strided = true}},
                 {"matrices", {.matrices = true, .no_scene = true}},
                 {"bare", {.no_weights = true, .no_binds = true}}};
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus FOLDER\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char name[64];
        size_t size;
        snprintf(name, sizeof name, "%s.glb", seeds[i].name);
        unsigned char *glb = tiny_glb(tiny_make(seeds[i].options), &size);
        save(argv[1], name, glb, size);
        if (i >= 2)
            continue;
        snprintf(name, sizeof name, "%s.gltf", seeds[i].name);
        char *text = tiny_embedded(tiny_make(seeds[i].options), &size);
        save(argv[1], name, text, size);
    }
    return 0;
}
