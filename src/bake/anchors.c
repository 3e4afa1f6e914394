/// Anchors of a skin: gathered once, pulled in every step.
#include "bake/anchors.h"

#include <math.h>
#include <string.h>

typedef enum Hand { BY_KEYS, PULLED, HELD } Hand; ///< who says where to

typedef struct Anchor {
    bool used;
    PeltRigAnchor rig;
    int bone;     ///< frame of the keys' offsets; -1: world
    int count;    ///< points that go with it
    int *point;   ///< [count]
    float *share; ///< [count] 1 at the anchor, 0 at the end of its falloff
    Hand hand;
    Vec3 to; ///< PULLED: offset, HELD: place; world
    float strength;
} Anchor;

static Anchor *get(const PeltiAnchors *a, int anchor)
{
    return (Anchor *)(void *)a->list.data + anchor;
}

void pelti_anchors_init(PeltiAnchors *a, const PeltiCharacter *who, const PeltAllocator *allocator)
{
    a->who = who;
    pelti_array_init(&a->list, allocator, sizeof(Anchor));
}

static void drop(PeltiAnchors *a, Anchor *anchor)
{
    pelti_free(&a->list.allocator, anchor->point, (size_t)anchor->count * sizeof *anchor->point);
    pelti_free(&a->list.allocator, anchor->share, (size_t)anchor->count * sizeof *anchor->share);
    *anchor = (Anchor){0};
}

void pelti_anchors_release(PeltiAnchors *a)
{
    for (size_t k = 0; k < a->list.count; k++)
        drop(a, get(a, (int)k));
    pelti_array_release(&a->list);
}

/// Points within the falloff, along the surface, and their shares.
static PeltStatus gather(const PeltiAnchors *a, Anchor *anchor, PeltError *err)
{
    const PeltiMesh *mesh = a->who->mesh;
    float falloff = anchor->rig.falloff * mesh->diagonal;
    size_t bytes = (size_t)mesh->vertex_count * sizeof(float);
    float *distance = pelti_alloc(&a->list.allocator, bytes);
    if (!distance)
        return pelti_no_memory(err, bytes);
    for (int v = 0; v < mesh->vertex_count; v++)
        distance[v] = INFINITY;
    distance[mesh->weld[anchor->rig.point]] = 0;
    pelti_mesh_spread(mesh, falloff, distance);
    int count = 0;
    for (int p = 0; p < mesh->point_count; p++)
        count += isfinite(distance[mesh->weld[p]]);
    anchor->count = count;
    anchor->point = pelti_alloc(&a->list.allocator, (size_t)count * sizeof *anchor->point);
    anchor->share = pelti_alloc(&a->list.allocator, (size_t)count * sizeof *anchor->share);
    count = 0;
    for (int p = 0; p < mesh->point_count && anchor->point && anchor->share; p++) {
        float d = distance[mesh->weld[p]];
        if (!isfinite(d))
            continue;
        anchor->point[count] = p;
        anchor->share[count++] = falloff > 0 ? 1 - smooth_rise(d / falloff) : 1;
    }
    pelti_free(&a->list.allocator, distance, bytes);
    return anchor->point && anchor->share ? PELT_OK : pelti_no_memory(err, bytes);
}

PeltStatus pelti_anchors_add(PeltiAnchors *a, const PeltRigAnchor *rig, int *out, PeltError *err)
{
    const PeltiCharacter *who = a->who;
    int place = 0;
    while ((size_t)place < a->list.count && get(a, place)->used)
        place++;
    if ((size_t)place == a->list.count && !pelti_array_push(&a->list, NULL))
        return pelti_no_memory(err, sizeof(Anchor));
    Anchor *anchor = get(a, place);
    *anchor = (Anchor){.used = true, .rig = *rig, .bone = -1};
    for (int b = 0; rig->bone && b < who->bone_count && anchor->bone < 0; b++)
        anchor->bone = strcmp(who->nodes[who->bones[b].node].name, rig->bone) ? -1 : b;
    PeltStatus status = gather(a, anchor, err);
    if (status != PELT_OK)
        drop(a, anchor);
    *out = status == PELT_OK ? place : -1;
    return status;
}

bool pelti_anchors_has(const PeltiAnchors *a, int anchor)
{
    return anchor >= 0 && (size_t)anchor < a->list.count && get(a, anchor)->used;
}

int pelti_anchors_find(const PeltiAnchors *a, const char *name)
{
    for (size_t k = 0; k < a->list.count; k++) {
        const Anchor *anchor = get(a, (int)k);
        if (anchor->used && anchor->rig.name && !strcmp(anchor->rig.name, name))
            return (int)k;
    }
    return -1;
}

void pelti_anchors_pull(PeltiAnchors *a, int anchor, Vec3 offset, float strength)
{
    Anchor *it = get(a, anchor);
    it->hand = PULLED, it->to = offset, it->strength = strength;
}

void pelti_anchors_hold(PeltiAnchors *a, int anchor, Vec3 at, float strength)
{
    Anchor *it = get(a, anchor);
    it->hand = HELD, it->to = at, it->strength = strength;
}

void pelti_anchors_let_go(PeltiAnchors *a, int anchor)
{
    Anchor *it = get(a, anchor);
    it->hand = BY_KEYS;
    if (!it->rig.name)
        drop(a, it);
}

/// Offset times strength at a time, shares of the size: linear between keys, constant before the first and after the last.
static Vec3 pull_by_keys(const PeltRigAnchor *a, double time_s)
{
    const PeltRigAnchorKey *from = a->keys, *to = from;
    if (!a->key_count)
        return vec3(0, 0, 0);
    for (int k = 0; k < a->key_count; k++) {
        to = &a->keys[k];
        if ((double)to->time_s >= time_s)
            break;
        from = to;
    }
    float span = to->time_s - from->time_s, s = span > 0 ? (float)((time_s - (double)from->time_s) / (double)span) : 1;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    Vec3 a0 = vec3(from->offset[0], from->offset[1], from->offset[2]), a1 = vec3(to->offset[0], to->offset[1], to->offset[2]);
    return vec3_scale(vec3_lerp(a0, a1, s), from->strength + s * (to->strength - from->strength));
}

static Vec3 pull_of(const PeltiAnchors *a, const Anchor *anchor, const Mat34 *bones, double time_s, Vec3 now)
{
    if (anchor->hand == PULLED)
        return vec3_scale(anchor->to, anchor->strength);
    if (anchor->hand == HELD)
        return vec3_scale(vec3_sub(anchor->to, now), anchor->strength);
    Vec3 pull = vec3_scale(pull_by_keys(&anchor->rig, time_s), a->who->mesh->diagonal);
    return anchor->bone < 0 ? pull : mat3_apply(mat3_polar(mat34_linear(bones[anchor->bone]), NULL), pull);
}

void pelti_anchors_apply(const PeltiAnchors *a, const Mat34 *bones, double time_s, bool by_vertex, Vec3 *positions)
{
    const PeltiMesh *mesh = a->who->mesh;
    for (size_t k = 0; k < a->list.count; k++) {
        const Anchor *anchor = get(a, (int)k);
        if (!anchor->used)
            continue;
        int held = by_vertex ? mesh->weld[anchor->rig.point] : anchor->rig.point;
        Vec3 pull = pull_of(a, anchor, bones, time_s, positions[held]);
        for (int i = 0; i < anchor->count; i++) {
            int p = anchor->point[i], v = mesh->weld[p];
            if (by_vertex && mesh->first_point[v] != p)
                continue; // its vertex has been pulled
            Vec3 *x = &positions[by_vertex ? v : p];
            *x = vec3_mad(*x, pull, anchor->share[i]);
        }
    }
}
