/// Draws what there is to see inside the flesh [Deul2013].
/// The layers (the paper's Fig. 1), a region with the paths its sum runs along (Fig. 2), or the sub-volumes (Fig. 3).
#include "methods/layered/flesh.h"
#include "math/elementary.h"

#include <string.h>

// lengths and colours are of pictures alone: no measure of a skin sees them, and no sweep

static const Vec3 LAYER_COLOURS[PELTI_LAYERS] = {
    {0.9f, 0.75f, 0.65f}, {0.25f, 0.4f, 0.9f}, {0.2f, 0.75f, 0.3f}, {0.9f, 0.2f, 0.2f}};

static Vec3 colour_of(int index)
{
    float h = (float)((unsigned)index * 2654435761u >> 8) / 16777216.0f;
    return vec3(0.5f + 0.5f * pelti_cosf(6.2831853f * h), 0.5f + 0.5f * pelti_cosf(6.2831853f * (h + 0.33f)),
                0.5f + 0.5f * pelti_cosf(6.2831853f * (h + 0.67f)));
}

static Vec3 place(const PeltiFlesh *flesh, int slot, int layer)
{
    return vec3_add(pelti_flesh_lane(flesh->match.x, slot, layer), flesh->moving.origin);
}

static void draw_layers(const PeltiFlesh *flesh, PeltiMethodDraw *draw)
{
    for (int l = 1; draw->triangle && l < PELTI_LAYERS; l++)
        for (int t = 0; t < flesh->mesh->triangle_count; t++) {
            const int *v = flesh->rest.triangles[t];
            draw->triangle(draw->user, place(flesh, v[0], l), place(flesh, v[1], l), place(flesh, v[2], l), LAYER_COLOURS[l]);
        }
}

/// Sub-volumes with their fans, moved apart so that the cuts show.
static void draw_volumes(const PeltiFlesh *flesh, PeltiMethodDraw *draw)
{
    const PeltiLayeredVolume *volume = &flesh->volume;
    const float apart = 0.15f;
    for (int i = 0; draw->triangle && i < volume->part_count; i++) {
        const PeltiLayeredVolumePart *part = &volume->parts[i];
        Vec3 middle = {0, 0, 0};
        for (int k = part->slot_first; k < part->slot_first + part->slot_count; k++)
            middle = vec3_mad(middle, place(flesh, volume->slots[k], PELTI_LAYER_SKIN), 1 / (float)part->slot_count);
        Vec3 shift = vec3_scale(vec3_sub(middle, flesh->moving.origin), apart);
        for (int t = part->triangle_first; t < part->triangle_first + part->triangle_count; t++) {
            Vec3 p[3];
            for (int k = 0; k < 3; k++)
                p[k] = vec3_add(place(flesh, volume->triangles[t][k], PELTI_LAYER_SKIN), shift);
            draw->triangle(draw->user, p[0], p[1], p[2], colour_of(i));
        }
        for (int l = part->loop_first; l < part->loop_first + part->loop_count; l++) {
            const PeltiLayeredVolumeLoop *loop = &volume->loops[l];
            Vec3 centre = vec3_add(vec3_add(loop->centre, flesh->moving.origin), shift);
            for (int k = 0; k < loop->count; k++) {
                int a = volume->loop_slots[loop->first + k], b = volume->loop_slots[loop->first + (k + 1) % loop->count];
                draw->triangle(draw->user, centre, vec3_add(place(flesh, a, PELTI_LAYER_SKIN), shift),
                               vec3_add(place(flesh, b, PELTI_LAYER_SKIN), shift), vec3_scale(colour_of(i), 0.6f));
            }
        }
    }
}

static bool are_joined(const PeltiFlesh *flesh, int a, int b)
{
    const PeltiMesh *mesh = flesh->mesh;
    int u = flesh->paths.vertex[a], v = flesh->paths.vertex[b];
    for (int r = mesh->ring_start[u]; r < mesh->ring_start[u + 1]; r++)
        if (mesh->ring[r] == v)
            return true;
    return false;
}

/// A slot with a full region on top of the middle of the body.
static int central_slot(const PeltiFlesh *flesh)
{
    int best = 0;
    float nearest = INFINITY;
    for (int s = 0; s < flesh->n; s++) {
        Vec3 d = vec3_sub(flesh->mesh->rest[flesh->paths.vertex[s]], vec3_add(flesh->rest.centre, vec3(0, flesh->rest.size, 0)));
        if (vec3_dot(d, d) < nearest) {
            nearest = vec3_dot(d, d);
            best = s;
        }
    }
    return best;
}

/// One region: each run of the order in a colour of its own, with a little of its path before and after; the centre's siblings on
/// the other layers as spheres.
static void draw_region(const PeltiFlesh *flesh, PeltiMethodDraw *draw)
{
    const PeltiLayeredPaths *paths = &flesh->paths;
    if (!draw->point || !draw->line || flesh->n == 0)
        return;
    int centre = central_slot(flesh);
    const PeltiLayeredTile *tile = &paths->tiles[paths->tile[centre]];
    float radius = 0.06f * flesh->rest.edge[centre];
    for (int r = paths->run_start[centre]; r < paths->run_start[centre + 1]; r++) {
        enum { BEYOND = 6 };
        int first = paths->runs[r][0], last = first + paths->runs[r][1];
        Vec3 colour = colour_of(1 + r - paths->run_start[centre]);
        for (int i = first > BEYOND ? first - BEYOND : 0; i < last + BEYOND && i + 1 < tile->places; i++) {
            int s = pelti_layered_path_slot(paths, tile, i), next = pelti_layered_path_slot(paths, tile, i + 1);
            if (s >= flesh->n || next >= flesh->n)
                continue;
            if (are_joined(flesh, s, next))
                draw->line(draw->user, place(flesh, s, PELTI_LAYER_SKIN), place(flesh, next, PELTI_LAYER_SKIN), radius, colour);
            draw->point(draw->user, place(flesh, s, PELTI_LAYER_SKIN), i >= first && i < last ? 3 * radius : 1.5f * radius,
                        colour);
        }
    }
    for (int l = 0; l < PELTI_LAYERS; l++) {
        draw->point(draw->user, place(flesh, centre, l), 4 * radius, l < 2 ? vec3(0.95f, 0.85f, 0.1f) : LAYER_COLOURS[l]);
        if (l)
            draw->line(draw->user, place(flesh, centre, l - 1), place(flesh, centre, l), radius, vec3(0.3f, 0.3f, 0.3f));
    }
}

static void draw_contacts(const PeltiFlesh *flesh, PeltiMethodDraw *draw)
{
    for (int i = 0; draw->point && i < flesh->collide.contacts.count; i++)
        if (flesh->collide.contacts.list[i].push > 0)
            draw->point(draw->user, place(flesh, flesh->collide.contacts.list[i].slot[0], PELTI_LAYER_SKIN),
                        1e-3f * flesh->rest.size, vec3(1, 0.3f, 0.1f));
}

void pelti_layered_draw(const void *state, const char *what, PeltiMethodDraw *draw)
{
    static void (*const inside[])(const PeltiFlesh *, PeltiMethodDraw *) = {draw_layers, draw_region, draw_volumes};
    const PeltiFlesh *flesh = state;
    if (!strcmp(what, "inside"))
        inside[flesh->set.inside](flesh, draw);
    if (!strcmp(what, "contacts"))
        draw_contacts(flesh, draw);
}
