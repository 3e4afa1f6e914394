/// The list of what crosses, kept up to date, beside all pairs.
#include "boxes.h"

#include "body/crossings.h"
#include "geometry/triangles.h"

#include <math.h>

/// Every pair that crosses by more than touching is in the list, once, and no other.
static void check_list(const PeltiCrossings *c, const Vec3 *x)
{
    int count = 0;
    for (int s = 0; s < c->mesh->triangle_count; s++)
        for (int t = 0; t < s; t++)
            count += pelti_crossings_may(c, s, t) && pelti_crossings_deep(c, x, s, t);
    assert_int_equal(c->deep_count, count);
    for (int i = 0; i < c->deep_count; i++)
        assert_true(pelti_crossings_deep(c, x, c->deep[i].a, c->deep[i].b));
}

/// Looks that ask only the pairs that can meet on known ways, and the tree for what leaves them, find what asking all pairs does.
static void kept_pairs_say_what_all_pairs_do(void **state)
{
    (void)state;
    PeltiCharacter *who = two_plates();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiCrossings *c = crossings_of(who, &w, pieces_of(who, &w));
    Vec3 *sunk = copy_points(mesh->rest, mesh->vertex_count), *x = copy_points(mesh->rest, mesh->vertex_count);
    uint32_t seed = 1;
    int most = 0, least_kept = 1 << 30;
    for (int step = 0; step < 4; step++) {
        sag(mesh, 0.1f + 0.05f * (float)step, sunk);
        if (step > 0) // before the first step nothing is known
            pelti_crossings_begin(c, sunk, mesh->rest, NULL);
        for (int look = 0; look < 6; look++) {
            for (int v = 0; v < mesh->vertex_count; v++) {
                seed = seed * 1664525u + 1013904223u;
                if (seed >> 30 || (look == 2 && v > 12)) // three of four stay where they were, once all but a few
                    continue;
                x[v] = vec3_lerp(sunk[v], mesh->rest[v], (float)(seed >> 8 & 0xffff) / 65535.0f);
                if (look > 3 && v % 7 == 0) // off its way
                    x[v] = vec3_add(x[v], vec3(0.03f, 0.02f, -0.06f));
            }
            pelti_crossings_update(c, x, NULL);
            check_list(c, x);
            most = c->deep_count > most ? c->deep_count : most;
        }
        least_kept = step > 0 && c->spans.near.count < least_kept ? c->spans.near.count : least_kept;
    }
    assert_true(most > 20 && least_kept > 0 && c->spans.listed);
    free(sunk);
    free(x);
    pelti_character_destroy(who);
}

static int count_deep(const PeltiCrossings *c, const Vec3 *x)
{
    int count = 0;
    const PeltiMesh *mesh = c->mesh;
    for (int s = 0; s < mesh->triangle_count; s++)
        for (int t = 0; t < s; t++)
            count += !pelti_triangles_share(mesh->triangles[s], mesh->triangles[t]) &&
                     !pelti_triangles_cross(mesh->rest, mesh->triangles[s], mesh->triangles[t]) &&
                     pelti_crossings_deep(c, x, s, t);
    return count;
}

/// Against all pairs, while now this part of the skin moves, now that, and some comes back.
static void the_list_of_what_crosses_is_kept_up_to_date(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiCrossings *c = crossings_of(who, &w, pieces_of(who, &w));
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    int most = 0;
    unsigned seed = 7;
    for (int round = 0; round < 12; round++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            seed = seed * 1664525u + 1013904223u;
            float way = (float)(seed >> 16) / 65536 - 0.5f, place = mesh->rest[v].x - 0.2f * (float)round;
            if (fabsf(place) < 0.3f)
                x[v] = round % 3 == 2 ? mesh->rest[v] : vec3_mad(mesh->rest[v], vec3(0.3f, 1, -0.7f), 0.3f * way);
        }
        pelti_crossings_update(c, x, NULL);
        assert_int_equal(c->deep_count, count_deep(c, x));
        for (int i = 0; i < c->deep_count; i++)
            assert_true(pelti_crossings_may(c, c->deep[i].a, c->deep[i].b) &&
                        pelti_crossings_deep(c, x, c->deep[i].a, c->deep[i].b));
        most = c->deep_count > most ? c->deep_count : most;
    }
    assert_true(most > 20);
    free(x);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_pairs_say_what_all_pairs_do),
        cmocka_unit_test(the_list_of_what_crosses_is_kept_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
