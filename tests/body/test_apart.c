/// Nothing grows together that moves apart: thighs that overlap, a chin on a chest, a tail along a leg, wings folded to the body.
#include "boxes.h"

#include "body/body.h"

#include <math.h>

typedef struct Limb { // a piece, and how it hangs on its bone
    int bone, parent; // of the bone; -1: none
    float from, to;   // along x: its share goes from .6 to 1 between these
} Limb;

typedef struct Apart {
    Boxes *boxes;
    int limb_count, bone_count;
    Limb limbs[4];  // one a piece
    int first[4];   // point of each
    Vec3 low, high; // where the two sides may hang together
} Apart;

typedef struct Side { // a box that lies well within one of the two
    Vec3 low, high;
    int bone;
} Side;

static Apart new_apart(void)
{
    return (Apart){.boxes = new_boxes()};
}

static void begin_limb(Apart *a, Limb limb)
{
    a->first[a->limb_count] = a->boxes->points;
    a->limbs[a->limb_count++] = limb;
    a->bone_count = limb.bone >= a->bone_count ? limb.bone + 1 : a->bone_count;
}

/// A limb with round ends from x = from to x = to.
static void add_round(Boxes *b, float from, float to, Vec3 centre, Vec3 radius)
{
    enum { ROUND_RINGS = 24, ROUND_SIDES = 24 };
    int first = b->points;
    for (int i = 1; i < ROUND_RINGS; i++) {
        float a = 3.14159265f * (float)i / ROUND_RINGS, thick = sqrtf(sinf(a)); // fuller than an ellipse
        for (int k = 0; k < ROUND_SIDES; k++) {
            float t = 6.2831853f * (float)k / ROUND_SIDES;
            b->point[b->points++] = vec3(0.5f * (from + to) - 0.5f * (to - from) * cosf(a), centre.y + thick * radius.y * cosf(t),
                                         centre.z + thick * radius.z * sinf(t));
        }
    }
    int pole = b->points;
    b->point[b->points++] = vec3(from, centre.y, centre.z);
    b->point[b->points++] = vec3(to, centre.y, centre.z);
    for (int k = 0; k < ROUND_SIDES; k++) {
        int next = (k + 1) % ROUND_SIDES, last = first + (ROUND_RINGS - 2) * ROUND_SIDES;
        memcpy(b->triangle[b->triangles++], (int[3]){pole, first + next, first + k}, sizeof(int[3]));
        memcpy(b->triangle[b->triangles++], (int[3]){pole + 1, last + k, last + next}, sizeof(int[3]));
        for (int i = 0; i + 2 < ROUND_RINGS; i++) {
            int p = first + i * ROUND_SIDES + k, q = first + i * ROUND_SIDES + next;
            memcpy(b->triangle[b->triangles++], (int[3]){p, q, p + ROUND_SIDES}, sizeof(int[3]));
            memcpy(b->triangle[b->triangles++], (int[3]){q, q + ROUND_SIDES, p + ROUND_SIDES}, sizeof(int[3]));
        }
    }
}

static bool in_box(Vec3 p, Vec3 low, Vec3 high)
{
    return p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y && p.z < high.z;
}

/// The character, its bones hung as the limbs say, and weights: those of a limb on its own bone but for the beginning.
static PeltiCharacter *finish(const Apart *a, PeltiWeights *w)
{
    PeltiCharacter *who = character_of(a->boxes, a->bone_count);
    PeltiWeightRows rows;
    PeltError err;
    assert_int_equal(pelti_weights_new(who, &who->pool, 4, &rows, w, &err), PELT_OK);
    for (int p = 0, l = 0; p < who->point_count; p++) {
        while (l + 1 < a->limb_count && p >= a->first[l + 1])
            l++;
        const Limb *limb = &a->limbs[l];
        int v = who->mesh->weld[p], other = limb->parent >= 0 ? limb->parent : limb->bone + 1;
        float t = fminf(fmaxf((who->mesh->rest[v].x - limb->from) / (limb->to - limb->from), 0), 1);
        who->bones[limb->bone].parent = limb->parent;
        memset(rows.weight + 4 * v, 0, 4 * sizeof(float));
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, limb->bone, 0.6f + 0.4f * t);
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, other, 0.4f - 0.4f * t);
    }
    return who;
}

static PeltiBody *body_of(PeltiCharacter *who, const PeltiWeights *w)
{
    PeltError err;
    PeltiLog log;
    PeltiBody *body;
    pelti_log_init(&log, NULL);
    PeltiBodyDef def = {.who = who, .weights = w, .mode = PELTI_BODY_PROXY, .vertices = 2000, .log = &log};
    if (pelti_body_create(&def, &body, &err) != PELT_OK)
        fail_msg("%s", err.text);
    pelti_log_release(&log);
    return body;
}

/// Vertices of side 1 that a walk along the body reaches from side 0 outside of where they may hang together.
static int reached(const PeltiMesh *mesh, const Apart *a, const Side *sides)
{
    int *queue = calloc((size_t)mesh->vertex_count, sizeof *queue), head = 0, tail = 0, count = 0, own = 0;
    bool *seen = calloc((size_t)mesh->vertex_count, sizeof *seen);
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (in_box(mesh->rest[v], sides[0].low, sides[0].high)) {
            seen[v] = true;
            queue[tail++] = v;
        }
        own += in_box(mesh->rest[v], sides[1].low, sides[1].high);
    }
    assert_true(tail > 5 && own > 5);
    while (head < tail) {
        int v = queue[head++];
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
            int n = mesh->ring[i];
            if (!seen[n] && !in_box(mesh->rest[n], a->low, a->high)) {
                seen[n] = true;
                queue[tail++] = n;
                count += in_box(mesh->rest[n], sides[1].low, sides[1].high);
            }
        }
    }
    free(queue);
    free(seen);
    return count;
}

/// One bone moves off, the body blends, and carries the file's points: how far the worst point of either side that is wholly its
/// bone's is from where its bone takes it, as a share of the way.
static float left_behind(PeltiBody *body, const PeltiCharacter *who, const PeltiWeights *w, const Apart *a, const Side *sides)
{
    const PeltiCharacter *made = pelti_body_character(body);
    Mat34 bones[8];
    for (int b = 0; b < a->bone_count; b++)
        bones[b] = mat34_identity();
    bones[sides[0].bone].m[2][3] = 1; // across both
    Vec3 *shape = calloc((size_t)made->point_count, sizeof *shape), *x = calloc((size_t)who->mesh->vertex_count, sizeof *x);
    for (int v = 0; v < made->point_count; v++)
        shape[v] = pelti_weights_blend(&made->file_weights, v, bones, made->rest_points[v]);
    pelti_body_carry(body, shape, bones, NULL, x);
    float worst = 0;
    for (int v = 0; v < who->mesh->vertex_count; v++)
        for (int s = 0; s < 2; s++)
            if (weight_of(w, v, sides[s].bone) > 0.999f && in_box(who->mesh->rest[v], sides[s].low, sides[s].high))
                worst = fmaxf(worst, vec3_distance(x[v], mat34_apply(bones[sides[s].bone], who->mesh->rest[v])));
    free(shape);
    free(x);
    return worst;
}

static void check_apart(const Apart *a, const Side *sides)
{
    PeltiWeights w;
    PeltiCharacter *who = finish(a, &w);
    PeltiBody *body = body_of(who, &w);
    const PeltiMesh *mesh = pelti_body_character(body)->mesh;
    assert_true(mesh->closed);
    assert_int_equal(mesh->component_count, 1);
    assert_int_equal(mesh->vertex_count - mesh->edge_count + mesh->triangle_count, 2); // no handles
    assert_int_equal(reached(mesh, a, sides), 0);
    assert_true(left_behind(body, who, &w, a, sides) < 0.02f);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

/// Two thighs of one pelvis that lie in each other along their whole length, by a fifth of their width, touch, or nearly do.
static void thighs_that_overlap_stay_apart(void **state)
{
    (void)state;
    const float from_middle[3] = {0.2f, 0.25f, 0.254f};
    for (int i = 0; i < TEST_WORK(3, 1); i++) {
        Apart a = new_apart();
        begin_limb(&a, (Limb){0, -1, 0, 1});
        add_round(a.boxes, 0, 1.2f, vec3(0, 0, 0), vec3(0, 0.6f, 0.4f));
        begin_limb(&a, (Limb){1, 0, 0.8f, 1.6f});
        add_round(a.boxes, 0.6f, 3, vec3(0, from_middle[i], 0), vec3(0, 0.25f, 0.25f));
        begin_limb(&a, (Limb){2, 0, 0.8f, 1.6f});
        add_round(a.boxes, 0.6f, 3, vec3(0, -from_middle[i], 0), vec3(0, 0.25f, 0.25f));
        a.low = vec3(-1, -1, -1), a.high = vec3(1.5f, 1, 1);
        check_apart(&a, (const Side[2]){{vec3(1.6f, 0.2f, -1), vec3(4, 1, 1), 1}, {vec3(1.6f, -1, -1), vec3(4, -0.2f, 1), 2}});
    }
}

/// A head on a neck at the back of the chest, its chin in the chest, on it, or a hair above it.
static void a_chin_on_a_chest_stays_apart(void **state)
{
    (void)state;
    const float chin[3] = {1.4f, 1.5f, 1.504f};
    for (int i = 0; i < TEST_WORK(3, 1); i++) {
        Apart a = new_apart();
        begin_limb(&a, (Limb){0, -1, -1, 0.5f});
        add_round(a.boxes, 0, 1.5f, vec3(0, 0.25f, 0), vec3(0, 0.6f, 0.5f));
        begin_limb(&a, (Limb){1, 0, 1.0f, 1.4f});
        add_round(a.boxes, 0.8f, 2.2f, vec3(0, -0.25f, 0), vec3(0, 0.12f, 0.15f));
        begin_limb(&a, (Limb){2, 1, 1.0f, 1.3f});
        add_round(a.boxes, chin[i], 2.6f, vec3(0, 0.3f, 0), vec3(0, 0.5f, 0.4f));
        a.low = vec3(-1, -1, -1), a.high = vec3(4, 0, 1);
        check_apart(&a, (const Side[2]){{vec3(1.8f, 0.2f, -1), vec3(4, 1, 1), 2}, {vec3(0.3f, 0.2f, -1), vec3(1.2f, 1, 1), 0}});
    }
}

/// A tail that hangs down from the hips along a leg.
static void a_tail_along_a_leg_stays_apart(void **state)
{
    (void)state;
    const float away[3] = {0.24f, 0.28f, 0.284f};
    for (int i = 0; i < TEST_WORK(3, 1); i++) {
        Apart a = new_apart();
        begin_limb(&a, (Limb){0, -1, 0, 1});
        add_round(a.boxes, 0, 1.2f, vec3(0, 0, 0), vec3(0, 0.6f, 0.4f));
        begin_limb(&a, (Limb){1, 0, 0.8f, 1.6f});
        add_round(a.boxes, 0.6f, 3, vec3(0, 0.2f, 0), vec3(0, 0.2f, 0.2f));
        begin_limb(&a, (Limb){2, 0, 0.8f, 1.6f});
        add_round(a.boxes, 0.6f, 2.6f, vec3(0, 0.2f - away[i], 0), vec3(0, 0.08f, 0.08f));
        a.low = vec3(-1, -1, -1), a.high = vec3(1.5f, 1, 1);
        check_apart(
            &a, (const Side[2]){{vec3(1.6f, 0.2f, -1), vec3(4, 1, 1), 1}, {vec3(1.6f, -1, -1), vec3(4, 0.2f - away[i], 1), 2}});
    }
}

/// Wings along the flanks: their root hangs on the chest, the flank below it is the belly's.
static void wings_folded_to_the_body_stay_apart(void **state)
{
    (void)state;
    const float away[3] = {0.52f, 0.56f, 0.564f};
    for (int i = 0; i < TEST_WORK(3, 1); i++) {
        Apart a = new_apart();
        begin_limb(&a, (Limb){0, -1, 0, 1});
        add_round(a.boxes, 0, 1.4f, vec3(0, 0, 0), vec3(0, 0.5f, 0.5f));
        begin_limb(&a, (Limb){1, 0, 0.8f, 1.6f});
        add_round(a.boxes, 0.6f, 3, vec3(0, 0, 0), vec3(0, 0.5f, 0.5f));
        begin_limb(&a, (Limb){2, 0, 0.4f, 1.6f});
        add_round(a.boxes, 0.3f, 2.6f, vec3(0, away[i], 0), vec3(0, 0.06f, 0.35f));
        a.low = vec3(-1, -1, -1), a.high = vec3(1.6f, 1, 1);
        check_apart(&a, (const Side[2]){{vec3(1.7f, away[i], -1), vec3(4, 1, 1), 2}, {vec3(1.7f, -1, -1), vec3(4, 0.1f, 1), 1}});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thighs_that_overlap_stay_apart),
        cmocka_unit_test(a_chin_on_a_chest_stays_apart),
        cmocka_unit_test(a_tail_along_a_leg_stays_apart),
        cmocka_unit_test(wings_folded_to_the_body_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
