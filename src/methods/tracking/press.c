/// Skin pressed against skin. The fields keep every vertex on its own side, but two meshes of finite edges still cut through
/// each other where the contact surface is curved. Each contact vertex looks for the nearest triangle of the part it
/// touches and both give way along the triangle's normal until the gap is open.
#include "methods/tracking/tracking.h"

#include <string.h>

typedef struct Press {
    int nearest;  ///< triangle that faces the vertex; -1: none
    int triangle; ///< the same where it is too near; -1: none
    float weight[3];
    Vec3 normal;
    float depth; ///< how far the vertex lies below the gap
    float far;   ///< radius of the next search; 0: of the first
} Press;

size_t tracking_press_size(void)
{
    return sizeof(Press);
}

enum { PASSES = 12, AGAIN = 4, KEEP = 2 }; ///< AGAIN: of later calls in a frame; KEEP: passes that go by one search

typedef struct Search {
    const Tracking *t;
    int vertex;
    Vec3 normal;
} Search;

/// A triangle that can press on the vertex: skin of the part it touches which faces it and touches something itself.
static bool faces(void *context, int triangle)
{
    const Search *s = context;
    const Tracking *t = s->t;
    const int *i = t->mesh->triangles[triangle];
    int own = t->fields->vertex_part[s->vertex];
    bool theirs = false;
    for (int k = 0; k < 3; k++) {
        if (i[k] == s->vertex)
            return false;
        theirs = theirs || (t->fields->vertex_part[i[k]] == t->other[s->vertex] && (t->other[i[k]] == own || t->touch[i[k]] > 0));
    }
    return theirs && vec3_dot(t->face_normal[triangle], s->normal) < -0.1f;
}

static void search_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    const PeltiMesh *mesh = t->mesh;
    (void)worker;
    for (int v = begin; v < end; v++) {
        t->press[v].nearest = -1;
        if (!t->contact[v] || t->other[v] < 0)
            continue;
        Search s = {t, v, {0, 0, 0}};
        for (int e = mesh->fan_start[v]; e < mesh->fan_start[v + 1]; e++)
            s.normal = vec3_add(s.normal, t->face_normal[mesh->fan[e]]);
        s.normal = vec3_normalize_or(s.normal, t->normal[v]);
        bool apart = pelti_fields_apart(t->fields, t->fields->vertex_part[v], t->other[v]);
        float *far = &t->press[v].far;
        if (*far == 0)
            *far = apart ? fmaxf(t->edge[v], 0.2f * t->reach[v]) : t->edge[v]; // a fine tip in coarse skin lies deep
        PeltiNearest near;
        bool found = pelti_box_tree_nearest(t->tree, mesh->triangles, t->shown, t->shown[v], *far, faces, &s, &near);
        t->press[v].nearest = found ? near.triangle : -1;
        *far = fminf(*far, (found ? (float)near.distance : 0) + t->edge[v]); // what pressing moves is less than an edge
    }
}

/// How far each vertex lies below the gap over the triangle that its search found.
static void depth_range(void *context, int begin, int end, int worker)
{
    Tracking *t = context;
    (void)worker;
    for (int v = begin; v < end; v++) {
        Press *press = &t->press[v];
        press->triangle = -1;
        if (press->nearest < 0)
            continue;
        const int *i = t->mesh->triangles[press->nearest];
        PeltiClosest on = pelti_closest_on_triangle(t->shown[v], t->shown[i[0]], t->shown[i[1]], t->shown[i[2]]);
        press->normal = tracking_triangle_normal(t, press->nearest);
        press->depth = t->set.gap - vec3_dot(vec3_sub(t->shown[v], on.point), press->normal);
        if (!(press->depth > 0))
            continue;
        press->triangle = press->nearest;
        for (int k = 0; k < 3; k++)
            press->weight[k] = (float)on.weight[k];
    }
}

/// Moves are averaged per vertex: the order of vertices does not matter.
static int give_way(Tracking *t)
{
    int count = t->mesh->vertex_count, pressed = 0;
    memset(t->step, 0, sizeof(Vec3) * (size_t)count);
    memset(t->push_count, 0, sizeof(float) * (size_t)count);
    for (int v = 0; v < count; v++) {
        const Press *p = &t->press[v];
        if (p->triangle < 0)
            continue;
        const int *i = t->mesh->triangles[p->triangle];
        float square = 1;
        for (int k = 0; k < 3; k++)
            square += p->weight[k] * p->weight[k];
        float move = fminf(p->depth, 0.5f * t->edge[v]) / square;
        t->step[v] = vec3_mad(t->step[v], p->normal, move);
        t->push_count[v] += 1;
        for (int k = 0; k < 3; k++)
            if (p->weight[k] > 0.01f) {
                t->step[i[k]] = vec3_mad(t->step[i[k]], p->normal, -move * p->weight[k]);
                t->push_count[i[k]] += 1;
            }
        pressed++;
    }
    for (int v = 0; v < count; v++)
        if (t->push_count[v] > 0 && t->kind[v] != VERTEX_RIGID)
            t->shown[v] = vec3_mad(t->shown[v], t->step[v], 1.3f / fmaxf(1.3f, t->push_count[v]));
    return pressed;
}

void tracking_press_apart(Tracking *t, bool first)
{
    for (int v = 0; v < t->mesh->vertex_count && first; v++)
        t->press[v].far = 0;
    for (int pass = 0; pass < (first ? PASSES : AGAIN); pass++) {
        if (pass % KEEP == 0) {
            tracking_gather_boxes(t);
            pelti_parallel_for(t->jobs, t->mesh->vertex_count, GRAIN, search_range, t);
        }
        pelti_parallel_for(t->jobs, t->mesh->vertex_count, GRAIN, depth_range, t);
        if (!give_way(t))
            break;
    }
}
