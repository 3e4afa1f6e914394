/// Depth within one part of a skin from winding numbers on a grid [Barill2018], by solid angles [VanOosterom1983].
#include "contact/part_field.h"

#include "math/elementary.h"
#include "contact/constants.def"

static Vec3 area_vector(const PeltiContactPartPiece *p, int t)
{
    const int *v = p->triangles[t];
    return vec3_scale(vec3_cross(vec3_sub(p->points[v[1]], p->points[v[0]]), vec3_sub(p->points[v[2]], p->points[v[0]])), 0.5f);
}

static void sum_dipole(const PeltiContactPartPiece *p, const PeltiBoxNode *node, PeltiMeshDipole *out)
{
    Vec3 centre = vec3(0, 0, 0), area = vec3(0, 0, 0);
    float total = 0, reach = 0;
    for (int s = node->first; s < node->first + node->count; s++) {
        int t = p->tree->items[s];
        const int *v = p->triangles[t];
        Vec3 a = area_vector(p, t);
        float size = vec3_length(a) + 1e-30f;
        area = vec3_add(area, a);
        total += size;
        for (int k = 0; k < 3; k++)
            centre = vec3_mad(centre, p->points[v[k]], size / 3);
    }
    centre = vec3_scale(centre, 1 / total);
    for (int s = node->first; s < node->first + node->count; s++)
        for (int k = 0; k < 3; k++)
            reach = fmaxf(reach, vec3_distance(centre, p->points[p->triangles[p->tree->items[s]][k]]));
    *out = (PeltiMeshDipole){centre, area, reach};
}

PeltStatus pelti_contact_part_piece_build(PeltiPool *pool, int triangle_count, const int (*triangles)[3], const Vec3 *points,
                                          PeltiContactPartPiece *out, PeltError *err)
{
    *out = (PeltiContactPartPiece){.triangle_count = triangle_count, .triangles = triangles, .points = points};
    PELT_TRY(pelti_box_tree_build_triangles(pool, triangle_count, triangles, points, &out->tree, err));
    out->dipoles = PELTI_NEW(pool, PeltiMeshDipole, out->tree->node_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)out->tree->node_count * sizeof(PeltiMeshDipole));
    for (int n = 0; n < out->tree->node_count; n++)
        sum_dipole(out, &out->tree->nodes[n], &out->dipoles[n]);
    return PELT_OK;
}

/// Solid angle of a triangle over 4 pi [VanOosterom1983].
static float triangle_winding(Vec3 a, Vec3 b, Vec3 c)
{
    float la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    float top = vec3_dot(a, vec3_cross(b, c));
    float below = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return top == 0 && below == 0 ? 0 : pelti_atan2f(top, below) * 0.15915494f; // 2 / (4 pi)
}

float pelti_contact_part_winding(const PeltiContactPartPiece *piece, Vec3 p)
{
    enum { DEEP = 64 };
    int stack[DEEP], top = 0;
    float sum = 0;
    if (piece->tree->node_count)
        stack[top++] = 0;
    while (top) {
        int n = stack[--top];
        const PeltiBoxNode *node = &piece->tree->nodes[n];
        const PeltiMeshDipole *dipole = &piece->dipoles[n];
        Vec3 d = vec3_sub(dipole->centre, p);
        float square = vec3_dot(d, d);
        if (square > WINDING_FAR * WINDING_FAR * dipole->radius * dipole->radius) {
            sum += vec3_dot(d, dipole->area) / (12.566371f * square * sqrtf(square));
        } else if (node->right >= 0 && top + 2 <= DEEP) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
        } else {
            for (int s = node->first; s < node->first + node->count; s++) {
                const int *v = piece->triangles[piece->tree->items[s]];
                sum += triangle_winding(vec3_sub(piece->points[v[0]], p), vec3_sub(piece->points[v[1]], p),
                                        vec3_sub(piece->points[v[2]], p));
            }
        }
    }
    return sum;
}

PeltStatus pelti_contact_part_field_layout(PeltiPool *pool, const PeltiContactPartPiece *piece, int nodes,
                                           PeltiContactPartField *out, PeltError *err)
{
    *out = (PeltiContactPartField){0};
    if (!piece->tree->node_count)
        return PELT_OK;
    PeltiBox box = piece->tree->nodes[0].box;
    Vec3 extent = vec3_sub(box.high, box.low);
    float longest = fmaxf(extent.x, fmaxf(extent.y, extent.z)), shortest = fminf(extent.x, fminf(extent.y, extent.z));
    if (!(longest > 0) || !isfinite(longest))
        return PELT_OK;
    float margin = fmaxf(FIELD_MARGIN * shortest, FIELD_MARGIN_LONG * longest);
    Vec3 m = vec3(margin, margin, margin), wide = vec3_add(extent, vec3_scale(m, 2));
    out->low = vec3_sub(box.low, m);
    out->cell = pelti_cbrtf(wide.x * wide.y * wide.z / (float)nodes);
    const float along[3] = {wide.x, wide.y, wide.z};
    for (int k = 0; k < 3; k++)
        out->size[k] = 2 + (int)(along[k] / out->cell);
    size_t count = (size_t)out->size[0] * (size_t)out->size[1] * (size_t)out->size[2];
    out->value = PELTI_NEW(pool, float, count);
    return pool->failed ? pelti_no_memory(err, count * sizeof(float)) : PELT_OK;
}

void pelti_contact_part_field_fill(const PeltiContactPartPiece *piece, PeltiContactPartField *field)
{
    float *value = field->value;
    for (int z = 0; z < field->size[2]; z++)
        for (int y = 0; y < field->size[1]; y++) {
            float within = INFINITY; // the last node's distance and one cell: the search need look no farther
            for (int x = 0; x < field->size[0]; x++, value++) {
                Vec3 p = vec3_mad(field->low, vec3((float)x, (float)y, (float)z), field->cell);
                PeltiNearest near = {0};
                PeltiNearestQuery query = {
                    .triangles = piece->triangles, .points = piece->points, .point = p, .max_distance = within};
                pelti_box_tree_nearest(piece->tree, &query, &near);
                float w = pelti_contact_part_winding(piece, p), d = (float)near.distance;
                w = w < 0 ? 0 : w > 1 ? 1 : w;
                *value = d * (1 - 2 * w);
                field->radius = fmaxf(field->radius, -*value);
                within = (d + field->cell) * 1.001f;
            }
        }
}

bool pelti_contact_part_field_at(const PeltiContactPartField *field, Vec3 p, float *phi, Vec3 *gradient)
{
    if (!field->value)
        return false;
    float at[3] = {(p.x - field->low.x) / field->cell, (p.y - field->low.y) / field->cell, (p.z - field->low.z) / field->cell};
    int cell[3];
    for (int k = 0; k < 3; k++) {
        if (!(at[k] >= 0 && at[k] < (float)(field->size[k] - 1)))
            return false;
        cell[k] = (int)at[k];
        at[k] -= (float)cell[k];
    }
    size_t row = (size_t)field->size[0], slice = row * (size_t)field->size[1];
    const float *v = field->value + (size_t)cell[0] + row * (size_t)cell[1] + slice * (size_t)cell[2];
    float x0y0 = v[0] + (v[1] - v[0]) * at[0], x0y1 = v[row] + (v[row + 1] - v[row]) * at[0];
    const float *u = v + slice;
    float x1y0 = u[0] + (u[1] - u[0]) * at[0], x1y1 = u[row] + (u[row + 1] - u[row]) * at[0];
    float low = x0y0 + (x0y1 - x0y0) * at[1], high = x1y0 + (x1y1 - x1y0) * at[1];
    *phi = low + (high - low) * at[2];
    if (!gradient)
        return true;
    float dx0 = (v[1] - v[0]) + ((v[row + 1] - v[row]) - (v[1] - v[0])) * at[1];
    float dx1 = (u[1] - u[0]) + ((u[row + 1] - u[row]) - (u[1] - u[0])) * at[1];
    float dy = (x0y1 - x0y0) + ((x1y1 - x1y0) - (x0y1 - x0y0)) * at[2];
    *gradient = vec3_scale(vec3(dx0 + (dx1 - dx0) * at[2], dy, high - low), 1 / field->cell);
    return true;
}
