/// Characters made of boxes, for tests of the body.
#ifndef PELT_TESTS_BOXES_H
#define PELT_TESTS_BOXES_H

#include "chain.h"

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
    return make_chain(bones, 0, 1, 1, (const int[]){b->points}, b->points, b->point, b->triangles, b->triangle);
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

#endif
