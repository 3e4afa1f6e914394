/// A small glTF character made in memory: a tube along y with two joints, a box worn by the upper joint, and clips of every
/// kind. What the reader's tests read, and what the hostile ones spoil.
#ifndef PELT_TESTS_TINY_GLTF_H
#define PELT_TESTS_TINY_GLTF_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TINY_RINGS = 9, TINY_SIDES = 6, TINY_TUBE = TINY_RINGS * TINY_SIDES, TINY_BOX = 8, TINY_POINTS = TINY_TUBE + TINY_BOX };
enum { TINY_TUBE_TRIANGLES = (TINY_RINGS - 1) * TINY_SIDES * 2, TINY_BOX_TRIANGLES = 12 };

typedef struct TinyOptions {
    bool quantised;  ///< positions as normalised 16-bit, weights as normalised bytes
    bool strided;    ///< positions interleaved with other bytes
    bool sparse;     ///< the upper half of the tube's positions come from the sparse part over zeros
    bool two_sets;   ///< five influences a vertex
    bool no_weights; ///< no JOINTS_0
    bool matrices;   ///< nodes with matrices in place of TRS, and no animation
    bool no_binds;   ///< no inverse bind matrices
    double scale;    ///< of the root joint; 0: 1
    bool no_scene;
    int bad_rows;     ///< the tube's first vertices have weights nobody can use: NaN, negative, none, in turn
    bool targets;     ///< the tube has two morph targets (the second sparse), the box one; "bend" plays the tube's
    bool moved;       ///< the tube's positions are those with the targets at TINY_MORPH
    bool sleeve;      ///< a second tube in the same place, of a skin whose space is shifted, turned and a hundred times larger
    bool bare_sleeve; ///< and it has no weights
    double sum;       ///< of each row of weights in place of 1; 0: 1
} TinyOptions;

typedef struct TinyGltf {
    char views[8192], accessors[8192], json[32768];
    size_t views_size, accessors_size, json_size;
    unsigned char bin[65536];
    size_t bin_size;
    int view_count, accessor_count;
} TinyGltf;

static inline void tiny_print(char *text, size_t room, size_t *used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + *used, room - *used, format, args);
    va_end(args);
    if (more < 0 || (size_t)more >= room - *used)
        abort();
    *used += (size_t)more;
}

/// A view of its own over a copy of the bytes.
static inline int tiny_view(TinyGltf *t, const void *bytes, size_t size, int stride)
{
    t->bin_size = (t->bin_size + 3) & ~(size_t)3;
    if (t->bin_size + size > sizeof t->bin)
        abort();
    memcpy(t->bin + t->bin_size, bytes, size);
    tiny_print(t->views, sizeof t->views, &t->views_size, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
               t->view_count ? "," : "", t->bin_size, size);
    if (stride)
        tiny_print(t->views, sizeof t->views, &t->views_size, ",\"byteStride\":%d", stride);
    tiny_print(t->views, sizeof t->views, &t->views_size, "}");
    t->bin_size += size;
    return t->view_count++;
}

/// Where an accessor begins; view -1: none.
typedef struct TinyAt {
    int view;
    size_t offset;
} TinyAt;

/// `extra` starts with a comma or is empty.
static inline int tiny_accessor(TinyGltf *t, TinyAt at, int component, const char *type, int count, const char *extra)
{
    tiny_print(t->accessors, sizeof t->accessors, &t->accessors_size, "%s{", t->accessor_count ? "," : "");
    if (at.view >= 0)
        tiny_print(t->accessors, sizeof t->accessors, &t->accessors_size, "\"bufferView\":%d,\"byteOffset\":%zu,", at.view,
                   at.offset);
    tiny_print(t->accessors, sizeof t->accessors, &t->accessors_size, "\"componentType\":%d,\"type\":\"%s\",\"count\":%d%s}",
               component, type, count, extra);
    return t->accessor_count++;
}

static inline int tiny_floats(TinyGltf *t, const float *values, const char *type, int width, int count)
{
    int view = tiny_view(t, values, (size_t)(width * count) * sizeof(float), 0);
    return tiny_accessor(t, (TinyAt){view, 0}, 5126, type, count, "");
}

/// Where the tube's vertex v is in the file: radius 0.25, y from 0 to 2.
static inline void tiny_tube_point(int v, float out[3])
{
    double angle = 2 * 3.14159265358979 * (v % TINY_SIDES) / TINY_SIDES;
    out[0] = (float)(0.25 * cos(angle));
    out[1] = (float)(2.0 * (v / TINY_SIDES) / (TINY_RINGS - 1));
    out[2] = (float)(0.25 * sin(angle));
}

/// What the tube's morph targets add: the first swells it, the second pulls its last ring along.
static inline void tiny_offset(int target, int v, float out[3])
{
    float p[3];
    tiny_tube_point(v, p);
    out[0] = target == 0 ? 0.5f * p[0] : 0;
    out[1] = target == 1 && v / TINY_SIDES == TINY_RINGS - 1 ? 0.25f : 0;
    out[2] = target == 0 ? 0.5f * p[2] : 0;
}
static const float TINY_MORPH[2] = {0.5f, 1}; ///< the targets' weights at the end of "bend"

/// Share of the upper joint: a ramp around y = 1.
static inline float tiny_upper_weight(float y)
{
    float w = 2 * y - 1.5f;
    return w < 0 ? 0 : w > 1 ? 1 : w;
}

static inline int tiny_positions(TinyGltf *t, const TinyOptions *o)
{
    float p[TINY_TUBE][3];
    for (int v = 0; v < TINY_TUBE; v++)
        tiny_tube_point(v, p[v]);
    for (int i = 0; i < 2 * 3 * TINY_TUBE && o->moved; i++) {
        float d[3];
        tiny_offset(i % 2, i / 6, d);
        p[i / 6][i / 2 % 3] += TINY_MORPH[i % 2] * d[i / 2 % 3];
    }
    if (o->quantised) { // halves of [-1,1]: the tube at half size, which the bind matrices undo
        int16_t q[TINY_TUBE][4] = {{0}};
        for (int v = 0; v < TINY_TUBE; v++)
            for (int k = 0; k < 3; k++)
                q[v][k] = (int16_t)lrint((double)p[v][k] / 2 * 32767);
        return tiny_accessor(t, (TinyAt){tiny_view(t, q, sizeof q, 8), 0}, 5122, "VEC3", TINY_TUBE, ",\"normalized\":true");
    }
    if (o->strided) {
        struct {
            float before, p[3], after[2];
        } s[TINY_TUBE] = {{0}};
        for (int v = 0; v < TINY_TUBE; v++)
            memcpy(s[v].p, p[v], sizeof p[v]);
        return tiny_accessor(t, (TinyAt){tiny_view(t, s, sizeof s, sizeof *s), 4}, 5126, "VEC3", TINY_TUBE, "");
    }
    if (o->sparse) {
        uint8_t index[TINY_TUBE];
        char extra[400];
        for (int v = 0; v < TINY_TUBE; v++)
            index[v] = (uint8_t)v;
        int half = TINY_TUBE / 2;
        float low[TINY_TUBE][3] = {{0}};
        memcpy(low, p, (size_t)half * sizeof p[0]);
        int base = tiny_view(t, low, sizeof low, 0), indices = tiny_view(t, index + half, (size_t)(TINY_TUBE - half), 0),
            values = tiny_view(t, p[half], (size_t)(TINY_TUBE - half) * sizeof p[0], 0);
        snprintf(
            extra, sizeof extra,
            ",\"sparse\":{\"count\":%d,\"indices\":{\"bufferView\":%d,\"componentType\":5121},\"values\":{\"bufferView\":%d}}",
            TINY_TUBE - half, indices, values);
        return tiny_accessor(t, (TinyAt){base, 0}, 5126, "VEC3", TINY_TUBE, extra);
    }
    return tiny_floats(t, &p[0][0], "VEC3", 3, TINY_TUBE);
}

static inline int tiny_tube_indices(TinyGltf *t)
{
    uint16_t index[TINY_TUBE_TRIANGLES][3];
    int n = 0;
    for (int r = 0; r + 1 < TINY_RINGS; r++)
        for (int s = 0; s < TINY_SIDES; s++) {
            uint16_t a = (uint16_t)(r * TINY_SIDES + s), b = (uint16_t)(r * TINY_SIDES + (s + 1) % TINY_SIDES);
            uint16_t c = (uint16_t)(a + TINY_SIDES), d = (uint16_t)(b + TINY_SIDES);
            memcpy(index[n++], (uint16_t[3]){a, c, b}, 6);
            memcpy(index[n++], (uint16_t[3]){b, c, d}, 6);
        }
    return tiny_accessor(t, (TinyAt){tiny_view(t, index, sizeof index, 0), 0}, 5123, "SCALAR", 3 * TINY_TUBE_TRIANGLES, "");
}

/// Attributes JOINTS_n and WEIGHTS_n of the tube, as text that starts with a comma.
static inline void tiny_weights(TinyGltf *t, const TinyOptions *o, char *text, size_t room)
{
    uint8_t joint[2][TINY_TUBE][4] = {{{0}}}, bytes[TINY_TUBE][4] = {{0}};
    float weight[2][TINY_TUBE][4] = {{{0}}};
    text[0] = 0;
    if (o->no_weights)
        return;
    for (int v = 0; v < TINY_TUBE; v++) {
        float p[3];
        tiny_tube_point(v, p);
        float upper = tiny_upper_weight(p[1]);
        joint[0][v][1] = 1;
        weight[0][v][0] = 1 - upper;
        weight[0][v][1] = upper;
        bytes[v][1] = (uint8_t)lrintf(255 * upper);
        bytes[v][0] = (uint8_t)(255 - bytes[v][1]);
        if (o->two_sets) { // the same shares, cut in five
            joint[0][v][2] = joint[1][v][0] = 1;
            joint[0][v][3] = 0;
            weight[0][v][0] = weight[0][v][3] = (1 - upper) / 2;
            weight[0][v][1] = upper / 2;
            weight[0][v][2] = weight[1][v][0] = upper / 4;
        }
    }
    for (int v = 0; v < TINY_TUBE; v++)
        for (int k = 0; k < 4 && o->sum > 0; k++)
            weight[0][v][k] *= (float)o->sum;
    for (int v = 0; v < o->bad_rows; v++) { // from the ring in the middle of the ramp on
        static const float bad[3][4] = {{NAN, 0, 0, 0}, {1.5f, -0.5f, 0, 0}, {0}};
        memcpy(weight[0][(TINY_RINGS / 2 * TINY_SIDES + v) % TINY_TUBE], bad[v % 3], sizeof bad[0]);
    }
    for (int s = 0; s < (o->two_sets ? 2 : 1); s++) {
        int joints = tiny_accessor(t, (TinyAt){tiny_view(t, joint[s], sizeof joint[s], 0), 0}, 5121, "VEC4", TINY_TUBE, "");
        int weights = o->quantised ? tiny_accessor(t, (TinyAt){tiny_view(t, bytes, sizeof bytes, 0), 0}, 5121, "VEC4", TINY_TUBE,
                                                   ",\"normalized\":true")
                                   : tiny_floats(t, &weight[s][0][0], "VEC4", 4, TINY_TUBE);
        size_t used = strlen(text);
        tiny_print(text, room, &used, ",\"JOINTS_%d\":%d,\"WEIGHTS_%d\":%d", s, joints, s, weights);
    }
}

/// "targets" of the tube's primitive and "weights" of its mesh, with their commas.
static inline void tiny_targets(TinyGltf *t, char *targets, size_t room)
{
    float d[TINY_TUBE][3], pull[TINY_SIDES][3];
    uint8_t last[TINY_SIDES];
    char extra[300];
    for (int v = 0; v < TINY_TUBE; v++)
        tiny_offset(0, v, d[v]);
    for (int k = 0; k < TINY_SIDES; k++) {
        last[k] = (uint8_t)(TINY_TUBE - TINY_SIDES + k);
        tiny_offset(1, last[k], pull[k]);
    }
    int dense = tiny_floats(t, &d[0][0], "VEC3", 3, TINY_TUBE), index = tiny_view(t, last, sizeof last, 0);
    snprintf(extra, sizeof extra,
             ",\"sparse\":{\"count\":%d,\"indices\":{\"bufferView\":%d,\"componentType\":5121},\"values\":{\"bufferView\":%d}}",
             TINY_SIDES, index, tiny_view(t, pull, sizeof pull, 0));
    snprintf(targets, room, ",\"targets\":[{\"POSITION\":%d},{\"POSITION\":%d}]", dense,
             tiny_accessor(t, (TinyAt){-1, 0}, 5126, "VEC3", TINY_TUBE, extra));
}

static inline void tiny_meshes(TinyGltf *t, const TinyOptions *o)
{
    static const uint8_t box[TINY_BOX_TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    char weights[400];
    float corner[TINY_BOX][3];
    int positions = tiny_positions(t, o), indices = tiny_tube_indices(t);
    tiny_weights(t, o, weights, sizeof weights);
    for (int v = 0; v < TINY_BOX; v++)
        for (int k = 0; k < 3; k++)
            corner[v][k] = v >> k & 1 ? 0.125f : -0.125f;
    char targets[200] = "", box_targets[80] = "";
    if (o->targets) {
        tiny_targets(t, targets, sizeof targets);
        snprintf(box_targets, sizeof box_targets, ",\"targets\":[{\"POSITION\":%d}]", // each corner twice as far from the middle
                 tiny_floats(t, &corner[0][0], "VEC3", 3, TINY_BOX));
    }
    char sleeve[700] = "";
    if (o->sleeve) { // (x, y, z) is written as (0.5, 0, 0) + 0.01 (x, -z, y)
        float p[TINY_TUBE][3];
        for (int v = 0; v < TINY_TUBE; v++) {
            float at[3];
            tiny_tube_point(v, at);
            p[v][0] = 0.5f + 0.01f * at[0];
            p[v][1] = -0.01f * at[2];
            p[v][2] = 0.01f * at[1];
        }
        snprintf(sleeve, sizeof sleeve,
                 ",{\"name\":\"sleeve\",\"primitives\":[{\"attributes\":{\"POSITION\":%d%s},\"indices\":%d}]}",
                 tiny_floats(t, &p[0][0], "VEC3", 3, TINY_TUBE), o->bare_sleeve ? "" : weights, indices);
    }
    int box_positions = tiny_floats(t, &corner[0][0], "VEC3", 3, TINY_BOX);
    int box_indices = tiny_accessor(t, (TinyAt){tiny_view(t, box, sizeof box, 0), 0}, 5121, "SCALAR", 3 * TINY_BOX_TRIANGLES, "");
    tiny_print(
        t->json, sizeof t->json, &t->json_size,
        "\"meshes\":[{\"name\":\"tube\",\"primitives\":[{\"attributes\":{\"POSITION\":%d%s},\"indices\":%d,\"material\":0%s}]%s},"
        "{\"name\":\"box\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d%s}]}%s],",
        positions, weights, indices, targets, o->targets ? ",\"weights\":[0.25,0]" : "", box_positions, box_indices, box_targets,
        sleeve);
}

static inline void tiny_skin(TinyGltf *t, const TinyOptions *o)
{
    float size = o->quantised ? 2 : 1; // undoes the halves
    float bind[2][16] = {{size, 0, 0, 0, 0, size, 0, 0, 0, 0, size, 0, 0, 0, 0, 1},
                         {size, 0, 0, 0, 0, size, 0, 0, 0, 0, size, 0, 0, -1, 0, 1}};
    tiny_print(t->json, sizeof t->json, &t->json_size, "\"skins\":[{\"name\":\"skin\",\"joints\":[1,2]");
    if (!o->no_binds)
        tiny_print(t->json, sizeof t->json, &t->json_size, ",\"inverseBindMatrices\":%d",
                   tiny_floats(t, &bind[0][0], "MAT4", 16, 2));
    if (o->sleeve) { // the same joints in the other order
        const float other[2][16] = {{100, 0, 0, 0, 0, 0, -100, 0, 0, 100, 0, 0, -50, -1, 0, 1},
                                    {100, 0, 0, 0, 0, 0, -100, 0, 0, 100, 0, 0, -50, 0, 0, 1}};
        tiny_print(t->json, sizeof t->json, &t->json_size, "},{\"joints\":[2,1],\"inverseBindMatrices\":%d",
                   tiny_floats(t, &other[0][0], "MAT4", 16, 2));
    }
    tiny_print(t->json, sizeof t->json, &t->json_size, "}],");
}

static inline void tiny_nodes(TinyGltf *t, const TinyOptions *o)
{
    double s = o->scale ? o->scale : 1;
    if (o->matrices)
        tiny_print(t->json, sizeof t->json, &t->json_size,
                   "\"nodes\":[{\"name\":\"skin\",\"mesh\":0,\"skin\":0},"
                   "{\"name\":\"root\",\"children\":[2],\"matrix\":[%g,0,0,0,0,%g,0,0,0,0,%g,0,0,0,0,1]},"
                   "{\"name\":\"upper\",\"children\":[3],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,1,0,1]},"
                   "{\"name\":\"hat\",\"mesh\":1,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,1.25,0,1]}],",
                   s, s, s);
    else
        tiny_print(
            t->json, sizeof t->json, &t->json_size,
            "\"nodes\":[{\"name\":\"skin\",\"mesh\":0,\"skin\":0},{\"name\":\"root\",\"children\":[2],\"scale\":[%g,%g,%g]},"
            "{\"name\":\"upper\",\"children\":[3],\"translation\":[0,1,0],\"rotation\":[0,0,0,1]},"
            "{\"name\":\"hat\",\"mesh\":1,\"translation\":[0,1.25,0]%s}%s],",
            s, s, s, o->targets ? ",\"weights\":[1]" : "", o->sleeve ? ",{\"mesh\":2,\"skin\":1}" : "");
    if (!o->no_scene)
        tiny_print(t->json, sizeof t->json, &t->json_size, "\"scene\":0,\"scenes\":[{\"nodes\":[0,1%s]}],",
                   o->sleeve ? ",4" : "");
}

/// "bend": the upper joint turns by 90 degrees about z in a second; "hop": the root jumps (STEP); the last one has no name
/// and moves the root along a cubic.
static inline void tiny_clips(TinyGltf *t, const TinyOptions *o)
{
    const float h = 0.70710678f;
    const float times[3] = {0, 0.5f, 1}, late[2] = {1, 3};
    const float turn[3][4] = {{0, 0, 0, 1}, {0, 0, 0.38268343f, 0.92387953f}, {0, 0, h, h}};
    const float hop[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 0}};
    const float cubic[6][3] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}};
    int keys = tiny_floats(t, times, "SCALAR", 1, 3), late_keys = tiny_floats(t, late, "SCALAR", 1, 2);
    int turns = tiny_floats(t, &turn[0][0], "VEC4", 4, 3), hops = tiny_floats(t, &hop[0][0], "VEC3", 3, 3);
    int cubics = tiny_floats(t, &cubic[0][0], "VEC3", 3, 6);
    char sampler[80] = "";
    if (o->targets) {
        const float weights[3][2] = {{0, 0}, {0.25f, 1}, {TINY_MORPH[0], TINY_MORPH[1]}};
        snprintf(sampler, sizeof sampler, ",{\"input\":%d,\"output\":%d}", keys, tiny_floats(t, &weights[0][0], "SCALAR", 1, 6));
    }
    tiny_print(t->json, sizeof t->json, &t->json_size,
               "\"animations\":[{\"name\":\"bend\",\"samplers\":[{\"input\":%d,\"output\":%d}%s],"
               "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}%s]},"
               "{\"name\":\"hop\",\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}],"
               "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]},"
               "{\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"CUBICSPLINE\"}],"
               "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}]}],",
               keys, turns, sampler, o->targets ? ",{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"weights\"}}" : "", keys,
               hops, late_keys, cubics);
}

/// The document without its buffer: `tiny_glb` and `tiny_embedded` write that.
static inline TinyGltf *tiny_make(TinyOptions o)
{
    TinyGltf *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    tiny_print(t->json, sizeof t->json, &t->json_size, "{\"asset\":{\"version\":\"2.0\"},");
    tiny_meshes(t, &o);
    tiny_skin(t, &o);
    tiny_nodes(t, &o);
    if (!o.matrices)
        tiny_clips(t, &o);
    tiny_print(t->json, sizeof t->json, &t->json_size,
               "\"materials\":[{\"name\":\"grey\"}],\"bufferViews\":[%s],\"accessors\":[%s],", t->views, t->accessors);
    return t;
}

/// A .glb of any JSON and binary chunk; the caller frees it.
static inline unsigned char *tiny_pack(const char *json, size_t json_size, const void *bin, size_t bin_size, size_t *size)
{
    size_t json_padded = (json_size + 3) & ~(size_t)3, bin_padded = (bin_size + 3) & ~(size_t)3;
    *size = 12 + 8 + json_padded + 8 + bin_padded;
    unsigned char *glb = calloc(1, *size);
    if (!glb)
        abort();
    uint32_t header[5] = {0x46546c67, 2, (uint32_t)*size, (uint32_t)json_padded, 0x4e4f534a};
    uint32_t chunk[2] = {(uint32_t)bin_padded, 0x004e4942};
    memcpy(glb, header, sizeof header);
    memset(glb + 20, ' ', json_padded);
    memcpy(glb + 20, json, json_size);
    memcpy(glb + 20 + json_padded, chunk, sizeof chunk);
    memcpy(glb + 28 + json_padded, bin, bin_size);
    return glb;
}

/// Ends the document as a .glb; frees t.
static inline unsigned char *tiny_glb(TinyGltf *t, size_t *size)
{
    tiny_print(t->json, sizeof t->json, &t->json_size, "\"buffers\":[{\"byteLength\":%zu}]}", t->bin_size);
    unsigned char *glb = tiny_pack(t->json, t->json_size, t->bin, t->bin_size, size);
    free(t);
    return glb;
}

static inline char *tiny_base64(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = calloc(1, size / 3 * 4 + 8), *p = text;
    for (size_t i = 0; text && i < size; i += 3) {
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < size ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            *p++ = i + (size_t)k > size ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    return text;
}

/// Ends the document as a .gltf whose buffer is `uri`; frees t.
static inline char *tiny_gltf(TinyGltf *t, const char *uri, size_t *size)
{
    size_t room = t->json_size + strlen(uri) + 100, used = t->json_size;
    char *text = calloc(1, room);
    if (!text)
        abort();
    memcpy(text, t->json, t->json_size);
    tiny_print(text, room, &used, "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"%s\"}]}", t->bin_size, uri);
    *size = used;
    free(t);
    return text;
}

static inline char *tiny_embedded(TinyGltf *t, size_t *size)
{
    char *data = tiny_base64(t->bin, t->bin_size), *uri = calloc(1, strlen(data) + 64);
    sprintf(uri, "data:application/octet-stream;base64,%s", data);
    char *text = tiny_gltf(t, uri, size);
    free(data);
    free(uri);
    return text;
}
#endif
