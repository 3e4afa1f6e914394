/// FBX and Collada through Assimp: nodes, meshes and skins as glTF.
#include "scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/version.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

// ---- JSON and bytes

void import_set(ImportScene *s, PeltiJson *object, const char *key, PeltiJson *value)
{
    if (!object)
        pelti_json_release(value);
    s->out.ok &= object && pelti_json_set(object, key, value);
}

PeltiJson *import_open(ImportScene *s, PeltiJson *object, const char *key, bool array)
{
    import_set(s, object, key, array ? pelti_json_new_array() : pelti_json_new_object());
    return pelti_json_get(object, key);
}

void import_set_floats(ImportScene *s, PeltiJson *object, const char *key, const float *values, int count)
{
    PeltiJson *list = import_open(s, object, key, true);
    for (int i = 0; list && i < count; i++)
        s->out.ok &= pelti_json_push(list, pelti_json_new_float(values[i]));
}

PeltiJson *import_append(ImportScene *s, const char *list, int *index)
{
    int at = pelti_gltf_out_push(&s->out, list, pelti_json_new_object());
    if (index)
        *index = at;
    return pelti_json_at(pelti_gltf_out_list(&s->out, list), at);
}

void *import_take(ImportScene *s, size_t count, size_t size)
{
    void *bytes = pelti_pool_take(&s->out.pool, count ? count : 1, size);
    s->out.ok &= bytes != NULL;
    return bytes;
}

int import_array(ImportScene *s, ImportArray array)
{
    size_t size = (size_t)array.count * array.element;
    int view = pelti_gltf_out_view(&s->out, pelti_gltf_out_bytes(&s->out, array.bytes, size), size, 0, array.target);
    PeltiGltfOutAccessor accessor = {.view = view, .count = array.count, .type = array.type, .component = array.component};
    return pelti_gltf_out_accessor(&s->out, &accessor);
}

// ---- nodes

static int read_int(const struct aiMetadata *facts, const char *key, int fallback)
{
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++)
        if (!strcmp(facts->mKeys[i].data, key) && facts->mValues[i].mType == AI_INT32)
            return *(const int32_t *)facts->mValues[i].mData;
    return fallback;
}

static int count_nodes(const struct aiNode *node)
{
    int count = 1;
    for (unsigned i = 0; i < node->mNumChildren; i++)
        count += count_nodes(node->mChildren[i]);
    return count;
}

static void list_nodes(ImportScene *s, const struct aiNode *node, int parent)
{
    int index = s->node_count++;
    s->nodes[index] = (ImportNode){.from = node, .parent = parent};
    for (unsigned i = 0; i < node->mNumChildren; i++)
        list_nodes(s, node->mChildren[i], index);
}

int import_find_node(const ImportScene *s, const char *name)
{
    for (int n = 0; n < s->node_count; n++)
        if (!strcmp(s->nodes[n].from->mName.data, name))
            return n;
    return -1;
}

void import_columns(const struct aiMatrix4x4 *m, float out[16])
{
    const float rows[4][4] = {
        {m->a1, m->a2, m->a3, m->a4}, {m->b1, m->b2, m->b3, m->b4}, {m->c1, m->c2, m->c3, m->c4}, {m->d1, m->d2, m->d3, m->d4}};
    for (int i = 0; i < 16; i++)
        out[i] = rows[i % 4][i / 4];
}

static void write_parts(ImportScene *s, PeltiJson *json, const struct aiMatrix4x4 *m, bool in_place)
{
    struct aiVector3D scale, place;
    struct aiQuaternion turn;
    aiDecomposeMatrix(m, &scale, &turn, &place);
    const float still = in_place ? 0 : 1, t[3] = {still * place.x, still * place.y, still * place.z},
                r[4] = {turn.x, turn.y, turn.z, turn.w}, k[3] = {scale.x, scale.y, scale.z};
    import_set_floats(s, json, "translation", t, 3);
    import_set_floats(s, json, "rotation", r, 4);
    import_set_floats(s, json, "scale", k, 3);
}

static void add_child(ImportScene *s, int above, int node)
{
    PeltiJson *parent = pelti_json_at(pelti_gltf_out_list(&s->out, "nodes"), above), *list = pelti_json_get(parent, "children");
    if (!list)
        list = import_open(s, parent, "children", true);
    s->out.ok &= list && pelti_json_push(list, pelti_json_new_int(node));
}

/// T and 1 / parent's scale of a node that is to have T / S R S' in place of T R S'.
static void write_helper(ImportScene *s, int node)
{
    const ImportNode *own = &s->nodes[node];
    PeltiJson *json = import_append(s, "nodes", NULL);
    struct aiVector3D scale, place;
    struct aiQuaternion turn;
    char name[1100];
    aiDecomposeMatrix(&s->nodes[own->parent].from->mTransformation, &scale, &turn, &place);
    const float inverse[3] = {1 / scale.x, 1 / scale.y, 1 / scale.z};
    aiDecomposeMatrix(&own->from->mTransformation, &scale, &turn, &place);
    const float t[3] = {place.x, place.y, place.z};
    snprintf(name, sizeof name, "%s unscaled", own->from->mName.data);
    import_set(s, json, "name", pelti_json_new_text(name));
    import_set_floats(s, json, "translation", t, 3);
    import_set_floats(s, json, "scale", inverse, 3);
}

static bool is_unit(const struct aiVector3D *v)
{
    return fabsf(v->x - 1) < 1e-5f && fabsf(v->y - 1) < 1e-5f && fabsf(v->z - 1) < 1e-5f;
}

/// Does the node's scale ever differ from 1, without coming to nothing?
static bool is_scaled(const ImportScene *s, int node)
{
    const struct aiNode *from = s->nodes[node].from;
    struct aiVector3D scale, place;
    struct aiQuaternion turn;
    aiDecomposeMatrix(&from->mTransformation, &scale, &turn, &place);
    bool scaled = !is_unit(&scale), whole = fabsf(scale.x * scale.y * scale.z) > 1e-9f;
    for (unsigned a = 0; a < s->from->mNumAnimations; a++)
        for (unsigned c = 0; c < s->from->mAnimations[a]->mNumChannels; c++) {
            const struct aiNodeAnim *n = s->from->mAnimations[a]->mChannels[c];
            for (unsigned k = 0; !strcmp(n->mNodeName.data, from->mName.data) && k < n->mNumScalingKeys; k++) {
                const struct aiVector3D *v = &n->mScalingKeys[k].mValue;
                scaled = scaled || !is_unit(v);
                whole = whole && fabsf(v->x * v->y * v->z) > 1e-9f;
            }
        }
    return scaled && whole;
}

static void find_helpers(ImportScene *s)
{
    enum { NOT_OF_THE_PARENT = 2 }; // FBX: eInheritRrs
    int next = s->node_count + 1;
    for (int n = 0; n < s->node_count; n++)
        if (s->nodes[n].parent >= 0 && read_int(s->nodes[n].from->mMetaData, "InheritType", 0) == NOT_OF_THE_PARENT &&
            is_scaled(s, s->nodes[n].parent))
            s->nodes[n].helper = next++;
}

/// Animated nodes by their parts, as glTF asks; the others by their matrix, which may shear.
static void write_nodes(ImportScene *s)
{
    for (int n = 0; n < s->node_count; n++) {
        PeltiJson *json = import_append(s, "nodes", NULL);
        const struct aiNode *from = s->nodes[n].from;
        float m[16];
        import_set(s, json, "name", pelti_json_new_text(from->mName.data));
        import_columns(&from->mTransformation, m);
        if (s->nodes[n].is_animated || s->nodes[n].helper)
            write_parts(s, json, &from->mTransformation, s->nodes[n].helper);
        else
            import_set_floats(s, json, "matrix", m, 16);
    }
    for (int n = 0; n < s->node_count; n++)
        if (s->nodes[n].helper)
            write_helper(s, n);
    for (int n = 0; n < s->node_count; n++) {
        int helper = s->nodes[n].helper;
        add_child(s, s->nodes[n].parent + 1, helper ? helper : n + 1);
        if (helper)
            add_child(s, helper, n + 1);
    }
}

static void mark_animated(ImportScene *s)
{
    for (unsigned a = 0; a < s->from->mNumAnimations; a++)
        for (unsigned c = 0; c < s->from->mAnimations[a]->mNumChannels; c++) {
            int node = import_find_node(s, s->from->mAnimations[a]->mChannels[c]->mNodeName.data);
            if (node >= 0)
                s->nodes[node].is_animated = true;
        }
}

// ---- the file's axes and unit

static double read_double(const struct aiMetadata *facts, const char *key, double fallback)
{
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++) {
        if (strcmp(facts->mKeys[i].data, key) != 0)
            continue;
        if (facts->mValues[i].mType == AI_DOUBLE)
            return *(const double *)facts->mValues[i].mData;
        if (facts->mValues[i].mType == AI_FLOAT)
            return (double)*(const float *)facts->mValues[i].mData;
    }
    return fallback;
}

/// Node 0 takes the file's axes to glTF's (x to the left, y up, z to the front) and its unit to metres.
static void write_top(ImportScene *s, bool is_fbx)
{
    const struct aiMetadata *facts = is_fbx ? s->from->mMetaData : NULL;
    int axis[3] = {read_int(facts, "CoordAxis", 0), read_int(facts, "UpAxis", 1), read_int(facts, "FrontAxis", 2)};
    int sign[3] = {read_int(facts, "CoordAxisSign", 1), read_int(facts, "UpAxisSign", 1), read_int(facts, "FrontAxisSign", 1)};
    double unit = is_fbx ? read_double(facts, "UnitScaleFactor", 1) / 100 : 1; // FBX counts centimetres
    float m[16] = {[15] = 1};
    bool good = unit > 1e-9 && unit < 1e9 && isfinite(unit);
    for (int i = 0; i < 3; i++)
        good = good && axis[i] >= 0 && axis[i] < 3 && (sign[i] == 1 || sign[i] == -1);
    good = good && axis[0] != axis[1] && axis[1] != axis[2] && axis[0] != axis[2];
    for (int i = 0; i < 3; i++)
        m[4 * (good ? axis[i] : i) + i] = (float)((good ? unit * sign[i] : 1));
    PeltiJson *top = import_append(s, "nodes", NULL), *scene = import_append(s, "scenes", NULL);
    import_set(s, top, "name", pelti_json_new_text("imported"));
    import_set_floats(s, top, "matrix", m, 16);
    PeltiJson *roots = import_open(s, scene, "nodes", true);
    s->out.ok &= roots && pelti_json_push(roots, pelti_json_new_int(0));
    import_set(s, s->out.root, "scene", pelti_json_new_int(0));
}

// ---- what is not taken over

static void note_dropped(const ImportScene *s, const char *format)
{
    unsigned colours = 0, more_uv = 0, lines = 0, shapes = 0;
    for (unsigned m = 0; m < s->from->mNumMeshes; m++) {
        const struct aiMesh *mesh = s->from->mMeshes[m];
        colours += mesh->mColors[0] != NULL;
        more_uv += mesh->mTextureCoords[1] != NULL;
        lines += !(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE);
        for (unsigned t = 0; t < mesh->mNumAnimMeshes; t++)
            shapes += mesh->mAnimMeshes[t]->mNumVertices != mesh->mNumVertices;
    }
    const struct {
        unsigned count;
        const char *what;
    } dropped[] = {{s->from->mNumCameras, "cameras"},    {s->from->mNumLights, "lights"},
                   {colours, "meshes' vertex colours"},  {more_uv, "meshes' second texture coordinates"},
                   {lines, "meshes of lines or points"}, {shapes, "morph targets of another mesh"}};
    import_note("origin", "%s, through Assimp %u.%u", format, aiGetVersionMajor(), aiGetVersionMinor());
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (dropped[i].count)
            import_note("import-dropped", "%u %s are not taken over", dropped[i].count, dropped[i].what);
}

// ---- all of it

static PeltStatus convert(ImportScene *s, const char *path, FILE *to, PeltError *err)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    int count = count_nodes(s->from->mRootNode);
    PELT_TRY(pelti_gltf_out_begin(&s->out, NULL, NULL, NULL, err));
    s->nodes = import_take(s, (size_t)count, sizeof *s->nodes);
    s->folder = pelti_pool_text(&s->out.pool, slash ? path : ".");
    if (!s->nodes || !s->folder)
        return pelti_no_memory(err, (size_t)count * sizeof *s->nodes);
    if (slash)
        s->folder[slash == path ? 1 : slash - path] = 0;
    list_nodes(s, s->from->mRootNode, -1);
    mark_animated(s);
    find_helpers(s);
    bool is_fbx = !dot || strcmp(dot, ".dae") != 0;
    note_dropped(s, is_fbx ? "FBX" : "Collada");
    write_top(s, is_fbx); // Assimp turns and scales Collada itself
    write_nodes(s);
    import_materials(s);
    PELT_TRY(import_meshes(s, err));
    import_clips(s);
    return import_write(&s->out, to, err);
}

PeltStatus import_scene(const char *path, FILE *to, PeltError *err)
{
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    // pivots as nodes of their own put a Mixamo figure a metre away from where the FBX SDK has it
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES, 0); // they say where joints are at rest
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_LINE | aiPrimitiveType_POINT);
    static ImportScene s; // never released: the program ends with it, and millions of faces are freed one by one
    s.from = aiImportFileExWithProperties(path, aiProcess_Triangulate | aiProcess_SortByPType, NULL, settings);
    aiReleasePropertyStore(settings);
    if (!s.from)
        return PELT_FAIL(err, PELT_BAD_INPUT, "cannot be read: %.300s", aiGetErrorString());
    malloc_trim(0); // what the reading alone needed
    return s.from->mRootNode ? convert(&s, path, to, err) : PELT_FAIL(err, PELT_BAD_INPUT, "the file has no nodes");
}
