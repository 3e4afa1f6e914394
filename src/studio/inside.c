/// What a method has inside, for the page: the lines it hands to the renderer, and its field on a plane.
#include "studio/session_parts.h"

#include "bake/objects.h"

#include <math.h>
#include <string.h>

enum { MOST_LINES = 60000, PER_LINE = 9 };

typedef struct InsideLook {
    PeltiStudioInside *inside;
    const PeltiCharacter *who;
    const PeltiMsgWant *want;
} InsideLook;

static void line(void *user, Vec3 a, Vec3 b, float radius, Vec3 rgb)
{
    (void)radius;
    PeltiArray *lines = &((InsideLook *)user)->inside->lines;
    const float numbers[PER_LINE] = {a.x, a.y, a.z, b.x, b.y, b.z, rgb.x, rgb.y, rgb.z};
    if (lines->count < (size_t)MOST_LINES * PER_LINE && vec3_finite(a) && vec3_finite(b))
        pelti_array_append(lines, numbers, PER_LINE);
}

/// A point is a small cross.
static void point(void *user, Vec3 at, float radius, Vec3 rgb)
{
    const Vec3 arms[3] = {vec3(radius, 0, 0), vec3(0, radius, 0), vec3(0, 0, radius)};
    for (int k = 0; k < 3; k++)
        line(user, vec3_sub(at, arms[k]), vec3_add(at, arms[k]), 0, rgb);
}

static void triangle(void *user, Vec3 a, Vec3 b, Vec3 c, Vec3 rgb)
{
    line(user, a, b, 0, rgb);
    line(user, b, c, 0, rgb);
    line(user, c, a, 0, rgb);
}

static void values(void *user, const char *name, int vertex_count, const float *of)
{
    (void)user, (void)name, (void)vertex_count, (void)of;
}

static void contact(void *user, float (*side)(const void *state, Vec3 x))
{
    (void)user, (void)side;
}

/// A square as wide as the rest shape is long, around its middle, moved along its own normal.
static void place_plane(const InsideLook *look, float plane[9])
{
    const PeltiMesh *mesh = look->who->mesh;
    int across = (int)look->want->section - 1, u = (across + 1) % 3, v = (across + 2) % 3;
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float p[3] = {mesh->rest[i].x, mesh->rest[i].y, mesh->rest[i].z};
        for (int k = 0; k < 3; k++)
            low[k] = fminf(low[k], p[k]), high[k] = fmaxf(high[k], p[k]);
    }
    float wide = 1.1f * mesh->diagonal;
    memset(plane, 0, 9 * sizeof *plane);
    for (int k = 0; k < 3; k++)
        plane[k] = 0.5f * (low[k] + high[k]) - (k == across ? -look->want->cut * mesh->diagonal : 0.5f * wide);
    plane[3 + u] = plane[6 + v] = wide;
}

static void field(void *user, const char *name, float (*value)(const void *state, Vec3 x), const void *state, float iso)
{
    (void)name;
    InsideLook *look = user;
    PeltiStudioInside *in = look->inside;
    const float *p = in->plane;
    if (in->cut)
        return; // the first one
    in->cut = true;
    in->iso = iso;
    place_plane(look, in->plane);
    for (int i = 0; i < PELTI_STUDIO_SECTION * PELTI_STUDIO_SECTION; i++) {
        int column = i % PELTI_STUDIO_SECTION, row = i / PELTI_STUDIO_SECTION;
        float s = ((float)column + 0.5f) / PELTI_STUDIO_SECTION, t = ((float)row + 0.5f) / PELTI_STUDIO_SECTION;
        float at = value(state, vec3(p[0] + s * p[3] + t * p[6], p[1] + s * p[4] + t * p[7], p[2] + s * p[5] + t * p[8]));
        in->section[i] = isfinite(at) ? at : 0;
    }
}

void pelti_studio_inside(PeltiStudioInside *inside, const PeltSkin *skin, const PeltiMsgWant *want)
{
    InsideLook look = {inside, skin->solved.who ? skin->solved.who : skin->character->who, want};
    PeltiMethodDraw draw = {&look, line, point, triangle, values, field, contact};
    inside->lines.count = 0;
    inside->cut = false;
    if (!skin->method->draw || !skin->state)
        return;
    if (want->inside)
        skin->method->draw(skin->state, "inside", &draw);
    if (want->section)
        skin->method->draw(skin->state, "section", &draw);
}
