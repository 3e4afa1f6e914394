/// The parts of a character in one pose, and which of them may reach a place.
#include "field/compose_inner.h"
#include "math/elementary.h"

#include <string.h>

void pelti_frame_in(PeltiArena *arena, const PeltiFields *fields, PeltiFieldFrame *out)
{
    *out = (PeltiFieldFrame){.fields = fields, .words = (fields->part_count + 63) / 64};
    out->pose = PELTI_TAKE(arena, PeltiPartPose, fields->part_count);
    out->cell_mask = PELTI_TAKE(arena, uint64_t, ((size_t)PELTI_FIELD_CELLS + 1) * (size_t)out->words);
}

/// Bounds in world space of what is not 0 in a part's grid.
static bool part_bounds(const PeltiFieldFrame *frame, int part, Vec3 *low, Vec3 *high)
{
    const PeltiGrid *grid = &frame->fields->parts[part].grid;
    Mat34 back;
    if (!frame->pose[part].live || !mat34_inverse(frame->pose[part].world_to_grid, &back))
        return false;
    *low = vec3(INFINITY, INFINITY, INFINITY);
    *high = vec3_scale(*low, -1);
    for (int k = 0; k < 8; k++) {
        Vec3 corner = vec3((float)grid->live[k & 1][0], (float)grid->live[(k >> 1) & 1][1], (float)grid->live[k >> 2][2]);
        corner = mat34_apply(back, corner);
        *low = vec3_min(*low, corner);
        *high = vec3_max(*high, corner);
    }
    return vec3_finite(*low) && vec3_finite(*high);
}

/// Cells as cubes, few enough in all.
static void choose_cells(PeltiFieldFrame *frame, Vec3 low, Vec3 high)
{
    Vec3 size = vec3_sub(high, low);
    float cell = fmaxf(pelti_cbrtf(size.x * size.y * size.z / PELTI_FIELD_CELLS), 1e-6f * vec3_length(size) + 1e-20f);
    for (;; cell *= 1.02f) {
        const float extent[3] = {size.x, size.y, size.z};
        double count = 1;
        for (int i = 0; i < 3; i++) {
            double n = floor((double)(extent[i] / cell)) + 1;
            frame->dims[i] = n < PELTI_FIELD_CELLS ? (int)n : PELTI_FIELD_CELLS + 1;
            count *= frame->dims[i];
        }
        if (count <= PELTI_FIELD_CELLS)
            break;
    }
    frame->low = low;
    frame->per_cell = 1 / cell;
}

static int clamp_cell(float at, int count)
{
    return at < 0 ? 0 : at >= (float)count ? count - 1 : (int)at;
}

/// Marks the cells that a part reaches: those whose ball meets the box of what is not 0 in its grid.
static void mark_cells(PeltiFieldFrame *frame, int part, Vec3 low, Vec3 high)
{
    const PeltiGrid *grid = &frame->fields->parts[part].grid;
    Mat34 to_grid = frame->pose[part].world_to_grid;
    float cell = 1 / frame->per_cell, least[3], most[3];
    for (int i = 0; i < 3; i++) { // half diagonal of a cell, in nodes along each axis of the grid
        float ball =
            0.8660255f * cell *
            sqrtf(to_grid.m[i][0] * to_grid.m[i][0] + to_grid.m[i][1] * to_grid.m[i][1] + to_grid.m[i][2] * to_grid.m[i][2]);
        least[i] = (float)grid->live[0][i] - ball;
        most[i] = (float)grid->live[1][i] + ball;
    }
    int from[3] = {clamp_cell((low.x - frame->low.x) * frame->per_cell, frame->dims[0]),
                   clamp_cell((low.y - frame->low.y) * frame->per_cell, frame->dims[1]),
                   clamp_cell((low.z - frame->low.z) * frame->per_cell, frame->dims[2])};
    int to[3] = {clamp_cell((high.x - frame->low.x) * frame->per_cell, frame->dims[0]),
                 clamp_cell((high.y - frame->low.y) * frame->per_cell, frame->dims[1]),
                 clamp_cell((high.z - frame->low.z) * frame->per_cell, frame->dims[2])};
    Vec3 along = vec3(cell * to_grid.m[0][0], cell * to_grid.m[1][0], cell * to_grid.m[2][0]);
    uint64_t bit = (uint64_t)1 << (part & 63);
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++) {
            Vec3 middle = vec3(frame->low.x + cell * ((float)from[0] + 0.5f), frame->low.y + cell * ((float)y + 0.5f),
                               frame->low.z + cell * ((float)z + 0.5f));
            Vec3 p = mat34_apply(to_grid, middle);
            uint64_t *mask = frame->cell_mask +
                             (size_t)((z * frame->dims[1] + y) * frame->dims[0] + from[0]) * (size_t)frame->words + (part >> 6);
            for (int x = from[0]; x <= to[0]; x++, mask += frame->words, p = vec3_add(p, along)) {
                bool meets = (p.x >= least[0]) & (p.y >= least[1]) & (p.z >= least[2]) & (p.x <= most[0]) & (p.y <= most[1]) &
                             (p.z <= most[2]);
                *mask |= meets ? bit : 0;
            }
        }
}

static void build_index(PeltiFieldFrame *frame)
{
    int parts = frame->fields->part_count;
    Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_scale(low, -1), a, b;
    for (int p = 0; p < parts; p++) {
        frame->pose[p].live = part_bounds(frame, p, &a, &b);
        if (frame->pose[p].live) {
            low = vec3_min(low, a);
            high = vec3_max(high, b);
        }
    }
    frame->indexed = false;
    if (!(low.x <= high.x))
        return;
    choose_cells(frame, low, high);
    int cells = frame->dims[0] * frame->dims[1] * frame->dims[2];
    memset(frame->cell_mask, 0, sizeof(uint64_t) * (size_t)cells * (size_t)frame->words);
    memset(frame->cell_mask + (size_t)PELTI_FIELD_CELLS * (size_t)frame->words, 0, sizeof(uint64_t) * (size_t)frame->words);
    for (int p = 0; p < parts; p++)
        if (part_bounds(frame, p, &a, &b))
            mark_cells(frame, p, a, b);
    frame->indexed = true;
}

const uint64_t *pelti_frame_around(const PeltiFieldFrame *frame, Vec3 x)
{
    int cell = frame->indexed ? pelti_frame_cell(frame, x) : -1;
    return cell < 0 ? NULL : frame->cell_mask + (size_t)cell * (size_t)frame->words;
}

/// Bend of a part's bone against its parent part since rest: the swing, not the twist; and the direction across the fold, half
/// way between where the bone points and where it would if the joint were straight.
static void bend_part(const PeltiFieldFrame *frame, const Mat34 *matrices, int part)
{
    const PeltiPart *p = &frame->fields->parts[part];
    PeltiPartPose *pose = &frame->pose[part];
    pose->bend = 0;
    pose->across = p->axis;
    pose->out = vec3(0, 0, 0);
    if (p->parent < 0)
        return;
    Vec3 now = vec3_normalize_or(mat34_apply_vector(matrices[part], p->axis), p->axis),
         straight = vec3_normalize_or(mat34_apply_vector(matrices[p->parent], p->axis), p->axis);
    PeltiFold none = {.kind = PELTI_FOLD_NONE};
    pose->bend = pelti_operator_depth(&frame->fields->operators[p->op], now, straight, &none);
    pose->across = vec3_normalize_or(vec3_add(now, straight), now);
    pose->out = vec3_normalize_or(vec3_sub(now, straight), vec3(0, 0, 0));
}

static void spread_pose(const PeltiGrid *grid, PeltiPartPose *pose)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++)
            pose->column[k][i] = pose->world_to_grid.m[i][k];
        pose->least[i] = (float)grid->live[0][i];
        pose->most[i] = pose->live ? (float)grid->live[1][i] : 0;
    }
    for (int k = 0; k < 4; k++)
        pose->column[k][3] = 0;
    pose->least[3] = 0;
    pose->most[3] = 1;
}

void pelti_frame_set(PeltiFieldFrame *frame, const Mat34 *matrices)
{
    for (int p = 0; p < frame->fields->part_count; p++)
        bend_part(frame, matrices, p);
    for (int p = 0; p < frame->fields->part_count; p++) {
        Mat34 back;
        frame->pose[p].live = mat34_inverse(matrices[p], &back);
        if (frame->pose[p].live)
            frame->pose[p].world_to_grid = mat34_mul(frame->fields->parts[p].grid.rest_to_grid, back);
    }
    build_index(frame);
    for (int p = 0; p < frame->fields->part_count; p++)
        spread_pose(&frame->fields->parts[p].grid, &frame->pose[p]);
}
