/// What vertices remember does not change which contacts are found, with any number of threads.
#include "check.h"
#include "contact/near.h"
#include "contact/shapes.h"

#include <string.h>

static unsigned seed = 5;
static float noise(void) // in [-1, 1]
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1;
}

static PeltiPool pool;

static PeltiSurface surface_of(PeltShape shape, float a, float b, float c)
{
    PeltSceneObject o = pelt_scene_object_default();
    o.shape = shape, o.size[0] = a, o.size[1] = b, o.size[2] = c, o.detail = 24;
    PeltiContactMesh made;
    PeltiMesh *mesh;
    PeltiSurface s = {0};
    PeltError err = {0};
    if (pelti_contact_shape_make(&pool, &o, &made, &err) != PELT_OK)
        fail_msg("%s", err.text);
    int *instance = PELTI_NEW(&pool, int, made.vertex_count);
    PeltiMeshInput def = {.point_count = made.vertex_count,
                          .triangle_count = made.triangle_count,
                          .weld_positions = made.vertices,
                          .rest = made.vertices,
                          .instance_of_point = instance,
                          .point_triangles = (const int(*)[3])made.triangles};
    if (pelti_mesh_build(&pool, &def, &mesh, &err) != PELT_OK || pelti_surface_build(&pool, mesh, &s, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return s;
}

static PeltiContactTouches touches_new(const PeltiSurface *widest)
{
    PeltiContactTouches t = {.list = PELTI_NEW(&pool, PeltiContactTouch, 8192), .capacity = 8192};
    assert_int_equal(pelti_pairs_create(&pool, 8192, widest->tree, &t.pairs_scratch, NULL), PELT_OK);
    return t;
}

static void move(PeltiSurface *s, Mat34 at, float bend)
{
    memcpy(s->before, s->x, (size_t)s->mesh->vertex_count * sizeof(Vec3));
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        Vec3 p = s->mesh->rest[v];
        p.x += bend * p.y * p.y; // a skin does not keep its shape
        s->x[v] = mat34_apply(at, p);
    }
    pelti_surface_refit(s, NULL);
}

/// Vertices of a within the alarm distance of b's faces, by trying all.
static int count_close(const PeltiSurface *a, const PeltiSurface *b, double alarm)
{
    int count = 0;
    for (int v = 0; v < a->mesh->vertex_count; v++) {
        double least = INFINITY;
        for (int t = 0; t < b->mesh->triangle_count; t++) {
            const int *c = b->mesh->triangles[t];
            least = fmin(least, pelti_closest_on_triangle(a->x[v], b->x[c[0]], b->x[c[1]], b->x[c[2]]).squared);
        }
        count += least < alarm * alarm * 0.999;
    }
    return count;
}

static void remembering_changes_nothing(void **state)
{
    (void)state;
    pelti_pool_init(&pool, NULL);
    PeltiSurface s[2] = {surface_of(PELT_SHAPE_CAPSULE, 0.3f, 1, 0), surface_of(PELT_SHAPE_SPHERE, 0.25f, 0, 0)};
    PeltiContactTouches kept = touches_new(&s[0]), fresh = touches_new(&s[0]);
    PeltiContactNearMemory *memory;
    assert_int_equal(pelti_contact_near_create(&pool, 2, s, 1 << 20, &memory, NULL), PELT_OK);
    PeltiJobs *jobs = pelti_jobs_create(3);
    Trs ball = trs_identity();
    ball.translation = vec3(0.6f, 0, 0);
    long found = 0, deep = 0, tried = 0;
    for (int step = 0; step < 300; step++) {
        float speed = step % 50 == 49 ? 0.3f : step % 7 == 0 ? 0.04f : 0.006f; // jumps, too
        Vec3 pull = vec3(0.52f * sinf((float)step * 0.05f) + 0.1f, 0.3f * sinf((float)step * 0.03f), 0);
        ball.translation =
            vec3_add(vec3_lerp(ball.translation, pull, 0.1f), vec3(speed * noise(), speed * noise(), speed * noise()));
        ball.rotation = quat_mul(quat_axis_angle(vec3(0.6f, 0.8f, 0), speed), ball.rotation);
        Trs body = trs_identity();
        body.translation.z = 0.1f * sinf((float)step * 0.07f);
        Mat34 at = mat34_from_trs(ball), back;
        move(&s[0], mat34_from_trs(body), 0.1f * sinf((float)step * 0.2f));
        move(&s[1], at, 0);
        assert_true(mat34_inverse(at, &back));
        double alarm = step % 3 == 2 ? 0.05 : 0.02; // a step may look farther the second time
        PeltiContactNearMemory *none;
        assert_int_equal(pelti_contact_near_create(&pool, 2, s, 1 << 20, &none, NULL), PELT_OK);
        kept.count = fresh.count = 0;
        pelti_contact_touch_surfaces(memory, &(PeltiSurfacePair){.surfaces = s, .a = 0, .b = 1, .to_frame = &back, .jobs = jobs},
                                     alarm, &kept);
        pelti_contact_touch_surfaces(none, &(PeltiSurfacePair){.surfaces = s, .a = 0, .b = 1}, alarm, &fresh);
        if (kept.count != fresh.count)
            fail_msg("step %d: %d contacts where %d are", step, kept.count, fresh.count);
        for (int i = 0; i < kept.count; i++) {
            assert_int_equal(kept.list[i].spot_a.feature, fresh.list[i].spot_a.feature);
            assert_int_equal(kept.list[i].spot_b.feature, fresh.list[i].spot_b.feature);
            assert_true(kept.list[i].gap == fresh.list[i].gap);
            deep += kept.list[i].gap < -alarm;
        }
        found += kept.count;
        double deepest = 0;
        int mine = 0;
        for (int i = 0; i < kept.count; i++) {
            deepest = fmin(deepest, kept.list[i].gap);
            mine += kept.list[i].spot_a.feature >> 28 == PELTI_ON_VERTEX;
        }
        if (kept.count &&
            deepest > -0.3 * alarm) { // also against trying everything; deep inside, some face away and do not count
            tried++;
            if (!(mine >= count_close(&s[0], &s[1], alarm)))
                fail_msg("step %d: %d vertices found, %d are close", step, mine, count_close(&s[0], &s[1], alarm));
        }
    }
    assert_true(found > 3000 && deep > 300 && tried > 10);
    pelti_jobs_destroy(jobs);
    pelti_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(remembering_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
