/// The last resort against objects: after the method, what is shown is moved out of what it must not be in.
#include "contact/corrector_parts.h"
#include "contact/constants.def"

#include <string.h>

/// Which of the pushes are made: all of them where some skin is outside, so that it is clear which way is out. Where all of it is
/// inside, and in soft objects, which give way, only those that are not deep.
static int choose_pushes(PeltiCorrector *c, int vertices, double deepest)
{
    int count = 0;
    for (int v = 0; v < vertices; v++) {
        PeltiCorrectorPush *push = &c->push_scratch.push[v];
        push->queued = push->by > 0 && (double)push->by < deepest;
        if (push->queued)
            c->push_scratch.queue[count++] = v;
        else
            *push = (PeltiCorrectorPush){0};
    }
    return count;
}

/// Pushes of the vertices that are inside an object; how many. `object` -1: the ground.
static int find_inside(PeltiCorrector *c, const PeltiSurface *skin, int object)
{
    PeltiSurfaceReach mine = pelti_surface_reach(skin, 0), reach = {0};
    double limit = PUSH_DEEPEST * mine.size, height = (double)c->scene->ground_height;
    int outside = 0;
    if (object >= 0) {
        reach = pelti_surface_reach(&c->things.surfaces[object], 0);
        limit = fmin(limit, PUSH_DEEPEST * reach.size);
    }
    bool apart = object < 0 ? (double)mine.box.low.y >= height : !pelti_box_overlap(&reach.box, &mine.box, 0);
    for (int v = 0; v < skin->mesh->vertex_count; v++) {
        Vec3 p = skin->x[v], way = vec3(0, 1, 0);
        double depth = height - (double)p.y;
        bool in =
            !apart && (object < 0 || pelti_surface_depth(&c->things.surfaces[object], &reach, p, &depth, &way)) && depth > 0;
        c->push_scratch.push[v] = in ? (PeltiCorrectorPush){way, (float)depth, true} : (PeltiCorrectorPush){0};
        outside += !in;
    }
    bool soft = object >= 0 && c->things.bodies[object - c->things.skin_count].kind == PELT_OBJECT_SOFT;
    return choose_pushes(c, skin->mesh->vertex_count, outside && !soft ? INFINITY : limit);
}

/// What goes out takes its neighbours along, inside or not: no push is less than a neighbour's by more than the slope.
static void spread(PeltiCorrector *c, const PeltiSurface *skin, int count)
{
    const PeltiMesh *mesh = skin->mesh;
    int room = 2 * mesh->vertex_count, first = 0;
    for (long visits = (long)PUSH_VISITS * mesh->vertex_count; count > 0 && visits > 0; visits--, count--) {
        int v = c->push_scratch.queue[first];
        PeltiCorrectorPush *push = &c->push_scratch.push[v];
        first = first + 1 == room ? 0 : first + 1;
        push->queued = false;
        for (int k = mesh->fan_start[v]; k < mesh->fan_start[v + 1]; k++)
            for (int e = 0; e < 3; e++) {
                int other = mesh->triangles[mesh->fan[k]][e];
                PeltiCorrectorPush *to = &c->push_scratch.push[other];
                float by = push->by - PUSH_SLOPE * vec3_distance(mesh->rest[v], mesh->rest[other]);
                if (other == v || !(by > to->by + PUSH_WORTH * (float)c->alarm))
                    continue;
                to->way = to->by > 0 ? to->way : push->way;
                to->by = by;
                if (to->queued)
                    continue;
                to->queued = true;
                c->push_scratch.queue[(first + count++ - 1 + room) % room] = other;
            }
    }
}

static double apply(const PeltiCorrector *c, PeltiSurface *skin)
{
    double most = 0;
    for (int v = 0; v < skin->mesh->vertex_count; v++)
        if (c->push_scratch.push[v].by > 0) {
            skin->x[v] = vec3_mad(skin->x[v], c->push_scratch.push[v].way, c->push_scratch.push[v].by);
            most = fmax(most, (double)c->push_scratch.push[v].by);
        }
    return most;
}

/// Out of everything; `smoothly`: with what lies around.
static double push_round(PeltiCorrector *c, PeltiSurface *skin, bool smoothly)
{
    double most = 0;
    for (int o = c->things.skin_count - 1; o < c->things.surface_count; o++) {
        bool ground = o < c->things.skin_count;
        if (ground && !c->scene->has_ground)
            continue;
        if (!ground && (c->things.bodies[o - c->things.skin_count].kind != PELT_OBJECT_FIXED ||
                        c->things.bodies[o - c->things.skin_count].hand.held))
            pelti_surface_refit(&c->things.surfaces[o], c->jobs); // it was last seen before its last small move
        int inside = find_inside(c, skin, ground ? -1 : o);
        if (!inside)
            continue;
        if (smoothly)
            spread(c, skin, inside);
        most = fmax(most, apply(c, skin));
        pelti_surface_refit(skin, c->jobs);
    }
    return most;
}

double pelti_corrector_push_out(PeltiCorrector *c, int character, Vec3 *vertices)
{
    PeltiSurface *skin = &c->things.surfaces[character];
    size_t bytes = (size_t)skin->mesh->vertex_count * sizeof *vertices;
    memcpy(skin->x, vertices, bytes);
    pelti_surface_refit(skin, c->jobs);
    double most = push_round(c, skin, true);
    if (most > 0)
        most = fmax(most, push_round(c, skin, false)); // what the first round moved into another object, or a round one's facets
    if (most > 0)
        memcpy(vertices, skin->x, bytes);
    return most;
}
