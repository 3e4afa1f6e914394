/// Frames as morph targets: weights times targets give the frames back, within what was asked for.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "folder.h"

#include "io/gltf_morph.h"
#include "io/gltf_morph_modes.h"

enum { POINTS = 1300, FRAMES = 12, SPLIT = 600 };
static Vec3 frames[FRAMES][POINTS], normals[FRAMES][POINTS];

/// A wave of two shapes, and noise where asked for.
static void fill(float noise)
{
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < POINTS; i++) {
            float a = 0.01f * (float)i, s = sinf(0.5f * (float)f), c = 1 - cosf(0.4f * (float)f);
            frames[f][i] =
                vec3(a + s * sinf(a), c * a, 0.1f * s * cosf(3 * a) + noise * sinf((float)(i * 37 % 101) * (float)(f + 1)));
            normals[f][i] = vec3_normalize_or(vec3(s, 1, c), vec3(0, 1, 0));
        }
}

typedef struct Made {
    PeltiPool pool;
    PeltiSpool spool;
    PeltiMorphPart parts[2];
    PeltiMorphDef def;
    PeltiMorph morph;
} Made;

static void make(Made *m, PeltiMorphMode mode, float tolerance, int most)
{
    PeltError err;
    PeltiProgressSink progress = {0};
    pelti_pool_init(&m->pool, NULL);
    assert_int_equal(pelti_spool_open(at("x"), &m->spool, &err), PELT_OK);
    m->parts[0] = (PeltiMorphPart){.first_point = 0, .point_count = SPLIT, .has_normals = true};
    m->parts[1] = (PeltiMorphPart){.first_point = SPLIT, .point_count = POINTS - SPLIT};
    m->def = (PeltiMorphDef){.spool = &m->spool,
                             .frame_count = FRAMES,
                             .parts = m->parts,
                             .part_count = 2,
                             .mode = mode,
                             .tolerance = tolerance,
                             .most = most};
    pelti_morph_place(&m->def);
    for (int f = 0; f < FRAMES; f++)
        assert_int_equal(pelti_morph_frame(&m->def, f, frames[f], normals[f], &err), PELT_OK);
    assert_int_equal(pelti_morph_make(&m->def, &m->pool, &progress, &m->morph, &err), PELT_OK);
}

static void end(Made *m)
{
    pelti_spool_close(&m->spool);
    pelti_pool_release(&m->pool);
}

/// The largest distance of what the file would play from the frames.
static double played_error(const Made *m, bool of_normals)
{
    static Vec3 base[POINTS], target[POINTS];
    double most = 0;
    PeltError err;
    for (int part = 0; part < 2; part++) {
        const PeltiMorphPart *p = &m->parts[part];
        if (of_normals && !p->has_normals)
            continue;
        size_t bytes = sizeof(Vec3) * (size_t)p->point_count;
        for (int f = 0; f < FRAMES; f++) {
            assert_int_equal(pelti_spool_read(&m->spool, pelti_morph_offset(p, -1, of_normals), base, bytes, &err), PELT_OK);
            for (int k = 0; k < m->morph.target_count; k++) {
                float w = m->morph.weights[f * m->morph.target_count + k];
                assert_true(fabsf(w) <= 1.0001f && (f > 0 || w == 0));
                if (w == 0)
                    continue;
                assert_int_equal(pelti_spool_read(&m->spool, pelti_morph_offset(p, k, of_normals), target, bytes, &err), PELT_OK);
                for (int i = 0; i < p->point_count; i++)
                    base[i] = vec3_mad(base[i], target[i], w);
            }
            for (int i = 0; i < p->point_count; i++)
                most = fmax(most, (double)vec3_distance(base[i], (of_normals ? normals : frames)[f][p->first_point + i]));
        }
    }
    return most;
}

static void one_target_a_frame_is_exact(void **state)
{
    (void)state;
    Made m;
    fill(0.3f);
    make(&m, PELTI_MORPH_EACH_FRAME, 0, 0);
    assert_int_equal(m.morph.target_count, FRAMES - 1);
    CHECK_NEAR(played_error(&m, false), 0, 2e-6);
    CHECK_NEAR(played_error(&m, true), 0, 2e-6);
    end(&m);
}

static void principal_targets_are_few_and_near_enough(void **state)
{
    (void)state;
    Made m;
    fill(0);
    make(&m, PELTI_MORPH_PRINCIPAL, 1e-3f, 8);
    assert_int_equal(m.morph.target_count, 2); // as many as there are shapes in it
    assert_true(played_error(&m, false) <= 1.01e-3);
    CHECK_NEAR(m.morph.largest_error, played_error(&m, false), 1e-5);
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < m.parts[part].point_count; i++) { // frame 0 lies within its bounds
            Vec3 x = frames[0][m.parts[part].first_point + i];
            const PeltiMorphBounds *b = &m.morph.bounds[part * (1 + m.morph.target_count)];
            assert_true(x.x >= b->low.x && x.x <= b->high.x && x.z >= b->low.z && x.z <= b->high.z);
        }
    end(&m);
    fill(0.3f);
    make(&m, PELTI_MORPH_PRINCIPAL, 1e-6f, 4); // noise does not fit into four: it says how far off it is
    assert_int_equal(m.morph.target_count, 4);
    assert_true(m.morph.largest_error > 0.01f);
    CHECK_NEAR(m.morph.largest_error, played_error(&m, false), 1e-4);
    end(&m);
}

/// Modes of a clip with one shape: one mode carries all of it.
static void modes_come_from_the_frames(void **state)
{
    (void)state;
    PeltError err;
    Made m;
    PeltiPrincipalModes modes;
    fill(0);
    pelti_pool_init(&m.pool, NULL);
    assert_int_equal(pelti_spool_open(at("x"), &m.spool, &err), PELT_OK);
    m.parts[0] = (PeltiMorphPart){.first_point = 0, .point_count = POINTS};
    m.def = (PeltiMorphDef){
        .spool = &m.spool, .frame_count = FRAMES, .parts = m.parts, .part_count = 1, .mode = PELTI_MORPH_PRINCIPAL, .most = 6};
    pelti_morph_place(&m.def);
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < POINTS; i++)
            frames[f][i] = vec3((float)i, sinf(0.3f * (float)f) * cosf(0.02f * (float)i), 0);
        assert_int_equal(pelti_morph_frame(&m.def, f, frames[f], NULL, &err), PELT_OK);
    }
    assert_int_equal(pelti_morph_modes(&m.def, &m.pool, &modes, &err), PELT_OK);
    assert_true(modes.count >= 1);
    for (int f = 0; f < FRAMES; f++) { // the first mode follows the wave's height
        double want = sin(0.3 * f) / sin(0.3 * 5);
        CHECK_NEAR(modes.u[f * modes.count] / modes.u[5 * modes.count], want, 1e-5);
    }
    assert_true(modes.rms[0] > 0.1 && modes.rms[1] < 1e-6 * modes.rms[0]); // and leaves nothing to the others
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_target_a_frame_is_exact, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(principal_targets_are_few_and_near_enough, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(modes_come_from_the_frames, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
