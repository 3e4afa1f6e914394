/// Characters made of boxes, for tests of the body.
#ifndef PELT_TESTS_BOXES_H
#define PELT_TESTS_BOXES_H

#include "chain.h"

#include "body/crossings.h"
#include "body/pieces.h"

enum { MOST_POINTS = 8000, MOST_TRIANGLES = 16000, SIDE = 6 };

typedef struct Boxes {
    int points, triangles;
    Vec3 point[MOST_POINTS];
    int triangle[MOST_TRIANGLES][3];
} Boxes;

/// One set for all tests, emptied: it is too large for a stack.
static inline Boxes *new_boxes(void)
{
    static Boxes boxes;
    boxes = (Boxes){0};
    return &boxes;
}

/// A closed box with welded corners, each side cut into SIDE x SIDE squares.
static inline void add_box(Boxes *b, Vec3 low, Vec3 high)
{
    for (int d = 0; d < 6; d++) {
        int axis = d / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, base = b->points;
        for (int j = 0; j <= SIDE; j++)
            for (int i = 0; i <= SIDE; i++) {
                Vec3 p;
                (&p.x)[axis] = d & 1 ? (&high.x)[axis] : (&low.x)[axis];
                (&p.x)[u] = (&low.x)[u] + ((&high.x)[u] - (&low.x)[u]) * (float)i / SIDE;
                (&p.x)[v] = (&low.x)[v] + ((&high.x)[v] - (&low.x)[v]) * (float)j / SIDE;
                b->point[b->points++] = p;
            }
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                int a = base + j * (SIDE + 1) + i, c = a + SIDE + 1, odd = d & 1;
                int t[2][3] = {{a, a + 1, c}, {a + 1, c + 1, c}};
                for (int k = 0; k < 2; k++, b->triangles++)
                    for (int e = 0; e < 3; e++)
                        b->triangle[b->triangles][e] = t[k][odd ? e : 2 - e];
            }
    }
}

/// Bones along x, 1 apart, from x = 0.
static inline PeltiCharacter *character_of(const Boxes *b, int bones)
{
    return make_chain((ChainBones){bones, 0, 1}, 1, (const int[]){b->points},
                      (ChainSkin){b->points, b->point, b->triangles, b->triangle});
}

/// Weights that go over from bone to bone linearly along x.
static inline PeltiWeights weights_along(PeltiCharacter *who)
{
    int n = who->mesh->vertex_count;
    PeltiWeightRows rows;
    PeltiWeights w;
    PeltError err;
    assert_int_equal(pelti_weights_new(who, &who->pool, 4, &rows, &w, &err), PELT_OK);
    for (int v = 0; v < n; v++) {
        float x = fminf(fmaxf(who->mesh->rest[v].x - 0.5f, 0), (float)who->bone_count - 1);
        int b = (int)x < who->bone_count - 2 ? (int)x : who->bone_count - 2;
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, b, 1 - (x - (float)b));
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, b + 1, x - (float)b);
        pelti_weights_normalise(4, rows.bone + 4 * v, rows.weight + 4 * v);
    }
    return w;
}

static inline PeltiPieces *pieces_of(PeltiCharacter *who, const PeltiWeights *w)
{
    PeltError err;
    PeltiPieces *pieces = PELTI_NEW(&who->pool, PeltiPieces, 1);
    assert_int_equal(pelti_pieces_judge(who, w, NULL, &who->pool, pieces, &err), PELT_OK);
    return pieces;
}

/// A box along two bones.
static inline PeltiCharacter *one_box(void)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    return character_of(b, 2);
}

/// Two boxes of neighbouring bones that overlap.
static inline PeltiCharacter *two_overlapping(void)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(1.1f, 0.2f, 0.2f));
    add_box(b, vec3(0.9f, -0.25f, -0.25f), vec3(2, 0.25f, 0.25f));
    return character_of(b, 2);
}

/// Two plates over one another; the upper one is the last half of the vertices.
static inline PeltiCharacter *two_plates(void)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.5f, 0), vec3(3, 0.5f, 0.4f));
    add_box(b, vec3(0, -0.5f, 0.45f), vec3(3, 0.5f, 0.85f));
    return character_of(b, 3);
}

/// The upper plate sags into the lower one around the middle.
static inline void sag(const PeltiMesh *mesh, float deep, Vec3 *x)
{
    memcpy(x, mesh->rest, sizeof(Vec3) * (size_t)mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        float dx = x[v].x - 1.5f, dy = x[v].y;
        if (x[v].z > 0.42f)
            x[v].z -= deep * expf(-(dx * dx + dy * dy) / 0.25f);
    }
}

/// A copy of points that the caller frees.
static inline Vec3 *copy_points(const Vec3 *points, int count)
{
    Vec3 *copy = malloc(sizeof(Vec3) * (size_t)count);
    memcpy(copy, points, sizeof(Vec3) * (size_t)count);
    return copy;
}

static inline void scatter(const PeltiMesh *mesh, const Vec3 *vertices, Vec3 *points)
{
    for (int p = 0; p < mesh->point_count; p++)
        points[p] = vertices[mesh->weld[p]];
}

static inline PeltiCrossings *crossings_of(PeltiCharacter *who, const PeltiWeights *w, const PeltiPieces *pieces)
{
    PeltError err;
    PeltiCrossings *crossings;
    PeltiCrossingsDef def = {who->mesh, w, pieces};
    assert_int_equal(pelti_crossings_create(&def, &who->pool, NULL, &crossings, &err), PELT_OK);
    return crossings;
}

#endif
