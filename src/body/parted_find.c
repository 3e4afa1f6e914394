/// Where the shown skin passes through itself: pairs of triangles, and islands of pairs.
#include "body/constants.def"
#include "body/parted_parts.h"

static Vec3 outward(const PeltiParted *l, const Vec3 *x, int triangle)
{
    const int *t = l->mesh->triangles[triangle];
    Vec3 n = pelti_triangle_normal(x, t);
    float length = fmaxf(vec3_length(n), 1e-30f);
    return vec3_scale(n, (l->pieces->pieces[l->mesh->component[t[0]]].turned ? -1 : 1) / length);
}

/// Two outsides go apart along their normals; of two layers that face one way the outer one stays outside.
static Vec3 way_from(const PeltiParted *l, int s, int t)
{
    const Vec3 *rest = l->mesh->rest;
    Vec3 ns = outward(l, l->x, s), nt = outward(l, l->x, t), rs = outward(l, rest, s), rt = outward(l, rest, t);
    Vec3 between =
        vec3_sub(pelti_triangle_centre(rest, l->mesh->triangles[s]), pelti_triangle_centre(rest, l->mesh->triangles[t]));
    bool layers =
        vec3_dot(rs, rt) > PARTED_SAME_WAY && vec3_dot(ns, nt) > 0 && vec3_length(between) < PARTED_LAYERS * l->mesh->diagonal;
    if (layers)
        return vec3_scale(vec3_add(ns, nt), vec3_dot(between, vec3_add(rs, rt)) > 0 ? 1 : -1);
    return vec3_sub(nt, ns);
}

/// Adds the places where edges of s pass through t.
static int pierce(const Vec3 *x, const int *s, const int *t, Vec3 *sum)
{
    Vec3 n = pelti_triangle_normal(x, t);
    int found = 0;
    for (int k = 0; k < 3; k++) {
        Vec3 p = x[s[k]], q = x[s[(k + 1) % 3]];
        float hp = vec3_dot(vec3_sub(p, x[t[0]]), n), hq = vec3_dot(vec3_sub(q, x[t[0]]), n);
        if (!(hp * hq < 0))
            continue;
        Vec3 at = vec3_lerp(p, q, hp / (hp - hq));
        bool in = true;
        for (int i = 0; i < 3; i++)
            in &= vec3_dot(vec3_cross(vec3_sub(x[t[(i + 1) % 3]], x[t[i]]), vec3_sub(at, x[t[i]])), n) >= 0;
        if (in) {
            *sum = vec3_add(*sum, at);
            found++;
        }
    }
    return found;
}

int pelti_parted_find(PeltiParted *l, PeltiJobs *jobs)
{
    const int(*triangles)[3] = l->mesh->triangles;
    int count = 0;
    pelti_crossings_update(l->crossings, l->x, jobs);
    pelti_crossings_sort(l->crossings);
    for (int i = 0; i < l->crossings->deep_count; i++) {
        int s = l->crossings->deep[i].a, t = l->crossings->deep[i].b;
        if (l->crossings->deep[i].tag == PELTI_CROSSES_SUNK || // or two rigid pieces, which cannot be parted
            (pelti_parted_rigid(l, triangles[s][0]) && pelti_parted_rigid(l, triangles[t][0])))
            continue;
        Vec3 sum = {0, 0, 0};
        int places = pierce(l->x, triangles[s], triangles[t], &sum) + pierce(l->x, triangles[t], triangles[s], &sum);
        if (!places)
            continue;
        if (count == PARTED_MOST)
            return -1;
        l->pair[count++] = (PeltiPartedPair){{s, t}, vec3_scale(sum, 1 / (float)places), {0, 0, 0}, false};
    }
    return count;
}

/// Whether b goes on where a ends; turns b's sides so that they are a's.
static bool joins(const PeltiParted *l, const PeltiPartedPair *a, PeltiPartedPair *b)
{
    const int(*triangles)[3] = l->mesh->triangles, *s = triangles[a->triangle[0]], *t = triangles[a->triangle[1]];
    const int *p = triangles[b->triangle[0]], *q = triangles[b->triangle[1]];
    if (pelti_triangles_share(s, p) && pelti_triangles_share(t, q))
        return true;
    if (!pelti_triangles_share(s, q) || !pelti_triangles_share(t, p))
        return false;
    int first = b->triangle[0];
    b->triangle[0] = b->triangle[1];
    b->triangle[1] = first;
    return true;
}

void pelti_parted_gather(PeltiParted *l, int count, int first)
{
    int head = 0;
    l->island.count = 0;
    l->island.member[l->island.count++] = first;
    l->pair[first].taken = true;
    while (head < l->island.count) {
        const PeltiPartedPair *a = &l->pair[l->island.member[head++]];
        for (int i = first + 1; i < count; i++)
            if (!l->pair[i].taken && joins(l, a, &l->pair[i])) {
                l->pair[i].taken = true;
                l->island.member[l->island.count++] = i;
            }
    }
    for (int i = 0; i < l->island.count; i++) {
        PeltiPartedPair *p = &l->pair[l->island.member[i]];
        p->way = way_from(l, p->triangle[0], p->triangle[1]);
    }
}
