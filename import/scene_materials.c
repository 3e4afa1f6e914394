/// Materials and pictures of FBX and Collada files as glTF.
#include "scene.h"

#include <assimp/material.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_MOST = 1 << 28 }; ///< bytes

/// PNG and JPEG are what glTF knows.
static const char *mime_of(const unsigned char *bytes, size_t size)
{
    static const unsigned char png[4] = {0x89, 'P', 'N', 'G'}, jpeg[3] = {0xff, 0xd8, 0xff};
    if (size > 4 && !memcmp(bytes, png, 4))
        return "image/png";
    return size > 3 && !memcmp(bytes, jpeg, 3) ? "image/jpeg" : NULL;
}

/// A picture beside the file, by the last part of its name: paths inside FBX are those of the machine it was made on.
static unsigned char *read_beside(ImportScene *s, const char *name, size_t *size)
{
    char path[4400];
    const char *last = name;
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\')
            last = c + 1;
    snprintf(path, sizeof path, "%s/%s", s->folder, last);
    FILE *file = *last ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char *bytes = end > 0 && end < IMAGE_MOST ? import_take(s, (size_t)end, 1) : NULL;
    rewind(file);
    *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    fclose(file);
    return *size ? bytes : NULL;
}

/// The picture as an image inside the document; its texture, -1: there is none that glTF can show.
static int add_texture(ImportScene *s, const char *name)
{
    const struct aiTexture *inside = NULL;
    const unsigned char *bytes = NULL;
    size_t size = 0;
    int image, texture;
    if (name[0] == '*' && (unsigned)atoi(name + 1) < s->from->mNumTextures)
        inside = s->from->mTextures[atoi(name + 1)];
    for (unsigned i = 0; !inside && i < s->from->mNumTextures; i++)
        if (!strcmp(s->from->mTextures[i]->mFilename.data, name))
            inside = s->from->mTextures[i];
    if (inside && inside->mHeight == 0) { // as a file; mWidth is its size
        bytes = (const unsigned char *)inside->pcData;
        size = inside->mWidth;
    } else if (!inside) {
        bytes = read_beside(s, name, &size);
    }
    const char *mime = bytes ? mime_of(bytes, size) : NULL;
    if (!mime) {
        import_note("import-picture", "the picture %.120s is %s", name, bytes ? "neither PNG nor JPEG" : "not there");
        return -1;
    }
    PeltiJson *json = import_append(s, "images", &image);
    import_set(s, json, "mimeType", pelti_json_new_text(mime));
    import_set(s, json, "bufferView",
               pelti_json_new_int(pelti_gltf_out_view(&s->out, pelti_gltf_out_bytes(&s->out, bytes, size), size, 0, 0)));
    import_set(s, import_append(s, "textures", &texture), "source", pelti_json_new_int(image));
    return texture;
}

void import_materials(ImportScene *s)
{
    for (unsigned i = 0; i < s->from->mNumMaterials; i++) {
        const struct aiMaterial *from = s->from->mMaterials[i];
        PeltiJson *json = import_append(s, "materials", NULL);
        struct aiString text;
        struct aiColor4D colour = {1, 1, 1, 1};
        float opacity = 1;
        int both_sides = 0, texture = -1;
        if (aiGetMaterialString(from, AI_MATKEY_NAME, &text) == aiReturn_SUCCESS)
            import_set(s, json, "name", pelti_json_new_text(text.data));
        aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &colour);
        aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL);
        aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &both_sides, NULL);
        if (aiGetMaterialTexture(from, aiTextureType_DIFFUSE, 0, &text, NULL, NULL, NULL, NULL, NULL, NULL) == aiReturn_SUCCESS)
            texture = add_texture(s, text.data);
        float base[4] = {texture >= 0 ? 1 : colour.r, texture >= 0 ? 1 : colour.g, texture >= 0 ? 1 : colour.b, opacity};
        for (int k = 0; k < 4; k++)
            base[k] = base[k] >= 0 && base[k] <= 1 ? base[k] : 1;
        PeltiJson *surface = import_open(s, json, "pbrMetallicRoughness", false);
        import_set_floats(s, surface, "baseColorFactor", base, 4);
        import_set(s, surface, "metallicFactor", pelti_json_new_int(0));
        if (texture >= 0)
            import_set(s, import_open(s, surface, "baseColorTexture", false), "index", pelti_json_new_int(texture));
        if (base[3] < 1)
            import_set(s, json, "alphaMode", pelti_json_new_text("BLEND"));
        if (both_sides)
            import_set(s, json, "doubleSided", pelti_json_new_bool(true));
    }
}
