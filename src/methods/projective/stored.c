/// Handles contacts as [Komaritzan2018 sec. 5] has them, to compare with ours.
/// They are pairs of vertices stored from extreme poses, told apart by an angle in the plane of their bones, both projected to
/// a plane between them, with a second matrix that holds every vertex of a pair. Kept beside the planes of fold.c to compare
/// with (docs/projective.md has the numbers of both): `collisions=pairs`.
#include "methods/projective/variants.h"
#include "methods/projective/constants.def"

#include <stdlib.h>
#include <string.h>

typedef struct Sorted {
    float x;
    int unknown;
} Sorted;

typedef struct FoldSearch {
    Projective *p;
    const ProjFolds *folds;
    Mat34 *bones; // the pose that is tried, and its joints' turns
    Quat *turns;
    PeltiJoint *joints;  // of a clip's
    signed char *side;   // [unknown] of the fold: +1 below its joint, -1 the bones above it, 0 neither
    int *found, *inside; // unknowns near the fold; those that are inside a tetrahedron of the other side
    int found_count, inside_count;
    Sorted *sorted;    // the found ones along x
    bool *hit_scratch; // [unknown] inside a tetrahedron of the other side
    PeltiArray list;   // ProjStoredPair
} FoldSearch;

static Vec3 row_point(const float *row)
{
    return vec3(row[0], row[1], row[2]);
}

static bool descends(const PeltiCharacter *who, int bone, int from)
{
    for (int k = 0; bone >= 0 && k <= STORED_GENERATIONS; k++, bone = who->bones[bone].parent)
        if (bone == from)
            return true;
    return false;
}

/// Which vertices lie on which side of a joint: chains count, so that shoulders and hips are more than two bones.
static void mark_sides(FoldSearch *s, const ProjFold *fold)
{
    Projective *p = s->p;
    s->found_count = 0;
    for (int i = 0; i < p->count; i++) {
        int segment = pelti_proj_segment(&p->feet[p->system.order[i]]);
        Vec3 arm = vec3_sub(row_point(p->system.rest[i]), fold->rest_joint);
        s->side[i] = 0;
        if (segment < 0 || vec3_length(arm) > fold->reach)
            continue;
        int bone = p->skeleton.segments[segment].bone;
        s->side[i] = descends(p->who, bone, fold->child) ? 1 : descends(p->who, fold->parent, bone) ? -1 : 0;
        if (s->side[i])
            s->found[s->found_count++] = i;
    }
}

static bool in_tet(const Vec3 c[4], Vec3 x)
{
    Vec3 a = vec3_sub(c[1], c[0]), b = vec3_sub(c[2], c[0]), d = vec3_sub(c[3], c[0]), r = vec3_sub(x, c[0]);
    float det = vec3_dot(a, vec3_cross(b, d));
    if (!(fabsf(det) > 1e-30f))
        return false;
    float u = vec3_dot(r, vec3_cross(b, d)) / det, v = vec3_dot(a, vec3_cross(r, d)) / det,
          w = vec3_dot(a, vec3_cross(b, r)) / det;
    return u >= 0 && v >= 0 && w >= 0 && u + v + w <= 1;
}

static int compare_sorted(const void *a, const void *b)
{
    const Sorted *x = a, *y = b;
    return x->x != y->x ? (x->x > y->x) - (x->x < y->x) : (x->unknown > y->unknown) - (x->unknown < y->unknown);
}

static int first_from(const FoldSearch *s, float x)
{
    int low = 0, high = s->found_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->sorted[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Vertices of one side inside tetrahedra of the other, in the pose that x and q are in.
static void find_inside(FoldSearch *s)
{
    Projective *p = s->p;
    const ProjTissue *t = &p->tissue;
    memset(s->hit_scratch, 0, (size_t)p->count * sizeof *s->hit_scratch);
    for (int f = 0; f < s->found_count; f++)
        s->sorted[f] = (Sorted){p->state.x[s->found[f]][0], s->found[f]};
    qsort(s->sorted, (size_t)s->found_count, sizeof *s->sorted, compare_sorted);
    for (int k = 0; k < t->tet_count; k++) {
        Vec3 c[4], low, high;
        int owner = t->tets[k].corner[0] < 0 ? ~t->tets[k].corner[0] : t->tets[k].corner[0];
        if (!s->side[owner])
            continue;
        for (int j = 0; j < 4; j++)
            c[j] = row_point(t->tets[k].corner[j] < 0 ? p->state.q[~t->tets[k].corner[j]] : p->state.x[t->tets[k].corner[j]]);
        low = vec3_min(vec3_min(c[0], c[1]), vec3_min(c[2], c[3]));
        high = vec3_max(vec3_max(c[0], c[1]), vec3_max(c[2], c[3]));
        for (int f = first_from(s, low.x); f < s->found_count && s->sorted[f].x <= high.x; f++) {
            int i = s->sorted[f].unknown;
            const float *x = p->state.x[i];
            if (s->side[i] != s->side[owner] && x[1] >= low.y && x[1] <= high.y && x[2] >= low.z && x[2] <= high.z &&
                in_tet(c, row_point(x)))
                s->hit_scratch[i] = true;
        }
    }
    s->inside_count = 0;
    for (int f = 0; f < s->found_count; f++)
        if (s->hit_scratch[s->found[f]])
            s->inside[s->inside_count++] = s->found[f];
}

/// Sec. 5.1: the vertex nearest to the joint gives the plane that splits the rest pose, each vertex takes the nearest one of the
/// other patch in the colliding pose.
static void store_pairs(FoldSearch *s, const ProjFold *fold, int fold_index, Vec3 axis)
{
    Projective *p = s->p;
    int nearest = -1;
    float best = INFINITY;
    Vec3 joint = mat34_apply(s->bones[fold->child], fold->rest_joint);
    for (int k = 0; k < s->inside_count; k++) {
        float d = vec3_distance(row_point(p->state.x[s->inside[k]]), joint);
        if (d < best) {
            best = d;
            nearest = s->inside[k];
        }
    }
    if (nearest < 0)
        return;
    Vec3 n = vec3_cross(vec3_sub(row_point(p->system.rest[nearest]), fold->rest_joint), axis);
    for (int k = 0; k < s->inside_count; k++) {
        int i = s->inside[k], other = -1;
        float side = vec3_dot(n, vec3_sub(row_point(p->system.rest[i]), fold->rest_joint)), least = INFINITY;
        for (int m = 0; m < s->inside_count; m++) {
            int j = s->inside[m];
            float d = vec3_distance(row_point(p->state.x[i]), row_point(p->state.x[j]));
            if (side * vec3_dot(n, vec3_sub(row_point(p->system.rest[j]), fold->rest_joint)) < 0 && s->side[i] != s->side[j] &&
                d < least) {
                least = d;
                other = j;
            }
        }
        if (other < 0)
            continue;
        ProjStoredPair pair = {fold_index, s->side[i] > 0 ? other : i, s->side[i] > 0 ? i : other}; // parent's side first
        float above = vec3_dot(vec3_sub(row_point(p->system.rest[pair.i]), fold->rest_joint), fold->rest_normal),
              below = vec3_dot(vec3_sub(row_point(p->system.rest[pair.j]), fold->rest_joint), fold->rest_normal);
        if (above < 0 && below > 0) // at rest each is on its own side
            pelti_array_push(&s->list, &pair);
    }
}

/// The tissue at rest in a pose, without contacts, from where the bones carry it.
static void hold_pose(FoldSearch *s)
{
    Projective *p = s->p;
    const ProjPose pose = {s->bones, s->turns};
    pelti_proj_unwind_joints(&p->base);
    pelti_proj_pose_joints(&p->base, pose);
    for (int i = 0; i < p->count; i++) {
        Vec3 at = pelti_proj_carry(&p->base, s->bones, i, row_point(p->system.rest[i]));
        memcpy(p->state.x[i], (float[4]){at.x, at.y, at.z, 0}, sizeof p->state.x[i]);
    }
    pelti_polar_reset(p->state.warm, p->tissue.block_count);
    pelti_proj_begin(p, pose, PROJ_STILL);
    pelti_proj_run(p, &(ProjRounds){.pose = pose, .mode = PROJ_STILL, .most = STORED_ROUNDS});
}

static void bend_fold(FoldSearch *s, int fold_index, Vec3 axis, float angle)
{
    const ProjFold *fold = &s->folds->folds[fold_index];
    const PeltiCharacter *who = s->p->who;
    Quat turn = quat_axis_angle(axis, angle);
    Mat3 r = quat_to_mat3(turn);
    Mat34 turned = mat34_from(r, vec3_sub(fold->rest_joint, mat3_apply(r, fold->rest_joint)));
    for (int b = 0; b < who->bone_count; b++) {
        bool below = false;
        for (int up = b, k = 0; up >= 0 && k < who->bone_count && !below; up = who->bones[up].parent, k++)
            below = up == fold->child;
        s->bones[b] = below ? turned : mat34_identity();
        s->turns[b] = b == fold->child ? turn : quat_identity();
    }
    hold_pose(s);
    mark_sides(s, fold);
    find_inside(s);
    store_pairs(s, fold, fold_index, axis);
}

/// Each joint to 150 degrees about two axes, both ways; then the poses of a clip, if one was named.
static void try_poses(FoldSearch *s, const PeltiClip *clip, PeltiPose *pose, PeltiNodeMatrix *node_matrix)
{
    const PeltiCharacter *who = s->p->who;
    for (int f = 0; f < s->folds->count; f++) {
        const ProjFold *fold = &s->folds->folds[f];
        Vec3 hinge = vec3_cross(fold->rest_parent, fold->rest_child);
        hinge =
            vec3_normalize_or(vec3_length(hinge) > STORED_HINGE ? hinge : vec3_orthogonal(fold->rest_child), fold->rest_normal);
        Vec3 across = vec3_normalize_or(vec3_cross(hinge, fold->rest_child), hinge);
        for (int k = 0; k < 4; k++)
            bend_fold(s, f, k < 2 ? hinge : across, k & 1 ? -STORED_EXTREME : STORED_EXTREME);
    }
    for (int k = 0; clip && k < STORED_POSES; k++) {
        pelti_pose_clip(who, clip, (double)clip->duration_s * k / (STORED_POSES - 1), pose);
        pelti_pose_bones(who, pose, node_matrix, s->bones);
        pelti_joints_pose(who, pose, s->joints);
        for (int b = 0; b < who->bone_count; b++)
            s->turns[b] = s->joints[b].turn;
        hold_pose(s);
        for (int f = 0; f < s->folds->count; f++) {
            const ProjFold *fold = &s->folds->folds[f];
            Vec3 child = mat34_apply_vector(s->bones[fold->child], fold->rest_child),
                 parent = mat34_apply_vector(s->bones[fold->parent], fold->rest_parent);
            mark_sides(s, fold);
            find_inside(s);
            store_pairs(s, fold, f, vec3_normalize_or(vec3_cross(parent, child), vec3_orthogonal(fold->rest_child)));
        }
    }
}

static int compare_pairs(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(ProjStoredPair));
}

/// Both matrices again, with a spring at every vertex of a pair.
static PeltStatus factor_held(Projective *p, ProjStored *out, PeltError *err)
{
    PeltiSparseEntry *entries = p->tissue.entries;
    for (int k = 0; k < out->count; k++)
        for (int side = 0; side < 2; side++) {
            int i = side ? out->pairs[k].j : out->pairs[k].i;
            out->weight[i] = STORED_HOLD * ((float)entries[p->system.order[i]].value + p->system.inertia[i]);
        }
    PeltStatus status = PELT_OK;
    for (int mode = 0; mode < PROJ_MODE_COUNT && status == PELT_OK; mode++) {
        for (int v = 0; v < p->count; v++)
            entries[v].value += (double)out->weight[p->system.place[v]] +
                                (mode == PROJ_MOVING ? (double)p->system.inertia[p->system.place[v]] : 0);
        status = pelti_sparse_create_like(p->system.still, entries, &out->held[mode], err);
        for (int v = 0; v < p->count; v++)
            entries[v].value -= (double)out->weight[p->system.place[v]] +
                                (mode == PROJ_MOVING ? (double)p->system.inertia[p->system.place[v]] : 0);
    }
    return status;
}

static PeltStatus keep_pairs(Projective *p, FoldSearch *s, ProjStored *out, PeltError *err)
{
    ProjStoredPair *list = (ProjStoredPair *)(void *)s->list.data;
    int kept = 0;
    if (s->list.count)
        qsort(list, s->list.count, sizeof *list, compare_pairs);
    out->pairs = PELTI_NEW(&p->pool, ProjStoredPair, s->list.count + 1);
    out->weight = PELTI_NEW(&p->pool, float, (size_t)p->count + 1);
    out->goal = pelti_pool_take(&p->pool, (size_t)p->count + 1, sizeof *out->goal);
    out->goals = PELTI_NEW(&p->pool, int, (size_t)p->count + 1);
    if (p->pool.failed || s->list.failed)
        return pelti_no_memory(err, s->list.count * sizeof *list);
    for (size_t k = 0; k < s->list.count; k++)
        if (!k || compare_pairs(&list[k], &list[k - 1]))
            out->pairs[kept++] = list[k];
    out->count = kept;
    return factor_held(p, out, err);
}

static Vec3 normal_at(const Projective *p, int i)
{
    const PeltiMesh *mesh = p->mesh;
    Vec3 sum = {0, 0, 0};
    int v = p->system.order[i];
    for (int e = mesh->fan_start[v]; e < mesh->fan_start[v + 1]; e++) {
        const int *t = mesh->triangles[mesh->fan[e]];
        Vec3 a = row_point(p->state.x[p->system.place[t[0]]]), b = row_point(p->state.x[p->system.place[t[1]]]),
             c = row_point(p->state.x[p->system.place[t[2]]]);
        sum = vec3_add(sum, vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    }
    return vec3_normalize_or(sum, vec3(0, 0, 0));
}

static void add_goal(ProjStored *stored, int i, Vec3 at)
{
    stored->goal[i][0] += at.x;
    stored->goal[i][1] += at.y;
    stored->goal[i][2] += at.z;
    stored->goals[i]++;
}

/// Sec. 5.2, in the plane of the two bones: the vertices have passed each other when the one on the parent's side makes a larger
/// angle with the parent's bone than its partner does. Sec. 5.3: then both go to the plane half-way, with the mean of their
/// normals.
static bool test_pair(Projective *p, const ProjStoredPair *pair)
{
    const ProjFold *fold = &p->stored->folds.folds[pair->fold];
    Vec3 axis = vec3_cross(fold->parent_way, fold->child_way);
    if (!(fold->share > 0)) // hardly more bent than at rest
        return false;
    axis = vec3_normalize_or(axis, axis);
    Vec3 x = row_point(p->state.x[pair->i]), y = row_point(p->state.x[pair->j]);
    Vec3 a = vec3_sub(x, fold->joint), b = vec3_sub(y, fold->joint);
    if (vec3_dot(a, fold->inner) < 0 || vec3_dot(b, fold->inner) < 0) // not in this fold: angles beyond 180 degrees look smaller
        return false;
    a = vec3_normalize_or(vec3_mad(a, axis, -vec3_dot(a, axis)), fold->parent_way);
    b = vec3_normalize_or(vec3_mad(b, axis, -vec3_dot(b, axis)), fold->child_way);
    if (!(vec3_dot(fold->parent_way, a) < vec3_dot(fold->parent_way, b)))
        return false;
    Vec3 middle = vec3_lerp(x, y, 0.5f),
         n = vec3_normalize_or(vec3_sub(normal_at(p, pair->i), normal_at(p, pair->j)), vec3(0, 0, 0));
    float beyond = vec3_dot(vec3_sub(x, middle), n);
    if (!(beyond > 0))
        return false;
    add_goal(p->stored, pair->i, vec3_mad(x, n, -beyond));
    add_goal(p->stored, pair->j, vec3_mad(y, n, beyond));
    return true;
}

/// Adds the springs of the second matrix to the right-hand side; says how many pairs collide.
static int pull_stored(Projective *p)
{
    ProjStored *stored = p->stored;
    int colliding = 0;
    memset(stored->goal, 0, (size_t)p->count * sizeof *stored->goal);
    memset(stored->goals, 0, (size_t)p->count * sizeof *stored->goals);
    for (int k = 0; k < stored->count; k++)
        colliding += test_pair(p, &stored->pairs[k]);
    for (int i = 0; i < p->count; i++) {
        if (!(stored->weight[i] > 0))
            continue;
        for (int k = 0; k < 3; k++) { // one that does not collide stays where the iteration before left it
            float goal = stored->goals[i] ? stored->goal[i][k] / (float)stored->goals[i] : p->state.x[i][k];
            p->scratch.solved[i][k] += stored->weight[i] * (goal - p->scratch.origin[i][k]);
        }
    }
    return colliding;
}

/// Half of the rounds without the springs, so that vertices of pairs that do not collide are left where the tissue wants them;
/// half with them.
static void run_stored(Projective *p, const ProjRounds *rounds)
{
    ProjRounds plain = *rounds;
    plain.most = (rounds->most + 1) / 2;
    plain.enough = 0;
    p->stored->colliding = 0;
    pelti_proj_pose_folds(&p->stored->folds, rounds->pose.bones);
    pelti_proj_run(p, &plain);
    for (int k = plain.most; k < rounds->most; k++) {
        pelti_proj_pull(p, rounds->mode, rounds->touching);
        p->stored->colliding = pull_stored(p);
        pelti_proj_solve(p, p->stored->held[rounds->mode]);
        if (p->figures.residual < rounds->enough)
            break;
    }
}

static void tell_stored(const Projective *p, PeltiStepReport *report)
{
    pelti_step_stat(report, "contacts", p->stored->colliding, PELTI_MOST);
    pelti_step_stat(report, "stored_pairs", p->stored->count, PELTI_LAST);
}

static void destroy_stored(Projective *p)
{
    for (int mode = 0; mode < PROJ_MODE_COUNT; mode++)
        pelti_sparse_destroy(p->stored->held[mode]);
}

static const ProjRoad without_pairs = {pelti_proj_run, tell_stored, destroy_stored},
                      with_pairs = {run_stored, tell_stored, destroy_stored};

PeltStatus pelti_proj_store(Projective *p, const char *clip_name, PeltError *err)
{
    ProjStored *out = p->stored = PELTI_NEW(&p->pool, ProjStored, 1);
    PeltiPool temp;
    PeltStatus status = PELT_OK;
    int clip = clip_name && *clip_name ? pelti_clip_find(p->who, clip_name) : -1;
    if (clip_name && *clip_name && clip < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "poses: there is no clip '%s'", clip_name);
    if (!out)
        return pelti_no_memory(err, sizeof *out);
    const ProjSource source = {.who = p->who, .pool = &p->pool};
    p->road = &without_pairs;
    out->folds.gap = CONTACT_GAP * p->mesh->diagonal;
    PELT_TRY(pelti_proj_folds(&source, &p->skeleton, p->feet, p->system.order, &out->folds, err));
    pelti_pool_init(&temp, &p->allocator);
    FoldSearch s = {.p = p, .folds = &out->folds};
    pelti_array_init(&s.list, &p->allocator, sizeof(ProjStoredPair));
    s.bones = PELTI_NEW(&temp, Mat34, (size_t)p->who->bone_count + 1);
    s.turns = PELTI_NEW(&temp, Quat, (size_t)p->who->bone_count + 1);
    s.joints = PELTI_NEW(&temp, PeltiJoint, (size_t)p->who->bone_count + 1);
    s.side = PELTI_NEW(&temp, signed char, (size_t)p->count + 1);
    s.found = PELTI_NEW(&temp, int, (size_t)p->count + 1);
    s.sorted = PELTI_NEW(&temp, Sorted, (size_t)p->count + 1);
    s.inside = PELTI_NEW(&temp, int, (size_t)p->count + 1);
    s.hit_scratch = PELTI_NEW(&temp, bool, (size_t)p->count + 1);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&temp, PeltiNodeMatrix, (size_t)p->who->node_count + 1);
    PeltiPose pose = pelti_pose_new(&temp, p->who);
    if (temp.failed)
        status = pelti_no_memory(err, (size_t)p->count * sizeof(int));
    else {
        try_poses(&s, clip >= 0 ? &p->who->clips[clip] : NULL, &pose, node_matrix);
        status = keep_pairs(p, &s, out, err);
        if (out->count)
            p->road = &with_pairs;
    }
    pelti_array_release(&s.list);
    pelti_pool_release(&temp);
    return status;
}
