/// Evaluates the composed field of one pose, eight points at a time [Vaillant2013, Vaillant2014].
#include "field/compose.h"

#include "field/operator_fetch.h"
#include "math/elementary.h"
#include "math/wide.h"

#include <string.h>

enum { MOST_CELLS = 12000, LIST_SHARE = 12, MOST_REACH = 24 };

void pelti_frame_in(PeltiArena *arena, const PeltiFields *fields, PeltiFieldFrame *out)
{
    *out = (PeltiFieldFrame){.fields = fields, .capacity = MOST_CELLS * LIST_SHARE, .words = (fields->part_count + 63) / 64};
    out->pose = PELTI_TAKE(arena, PeltiPartPose, fields->part_count);
    out->cell_start = PELTI_TAKE(arena, int, MOST_CELLS + 1);
    out->cell_parts = PELTI_TAKE(arena, uint16_t, out->capacity);
    out->cell_mask = PELTI_TAKE(arena, uint64_t, (size_t)MOST_CELLS * (size_t)out->words);
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
    float cell = fmaxf(pelti_cbrtf(size.x * size.y * size.z / MOST_CELLS), 1e-6f * vec3_length(size) + 1e-20f);
    for (;; cell *= 1.02f) {
        const float extent[3] = {size.x, size.y, size.z};
        double count = 1;
        for (int i = 0; i < 3; i++) {
            double n = floor((double)(extent[i] / cell)) + 1;
            frame->dims[i] = n < MOST_CELLS ? (int)n : MOST_CELLS + 1;
            count *= frame->dims[i];
        }
        if (count <= MOST_CELLS)
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

/// Lists of the marked parts, in the order of composition.
static bool list_parts(PeltiFieldFrame *frame, int cells)
{
    const uint64_t *mask = frame->cell_mask;
    int total = 0;
    for (int c = 0; c < cells; c++) {
        frame->cell_start[c] = total;
        for (int w = 0; w < frame->words; w++)
            for (uint64_t left = *mask++; left; left &= left - 1) {
                if (total == frame->capacity)
                    return false;
                frame->cell_parts[total++] = (uint16_t)(64 * w + __builtin_ctzll(left));
            }
    }
    frame->cell_start[cells] = total;
    return true;
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
    if (parts > UINT16_MAX || !(low.x <= high.x))
        return;
    choose_cells(frame, low, high);
    int cells = frame->dims[0] * frame->dims[1] * frame->dims[2];
    memset(frame->cell_mask, 0, sizeof(uint64_t) * (size_t)cells * (size_t)frame->words);
    for (int p = 0; p < parts; p++)
        if (part_bounds(frame, p, &a, &b))
            mark_cells(frame, p, a, b);
    frame->indexed = list_parts(frame, cells);
}

/// Cell of x in the index; -1: outside.
static inline int cell_of(const PeltiFieldFrame *frame, Vec3 x)
{
    Vec3 u = vec3_scale(vec3_sub(x, frame->low), frame->per_cell);
    if (!((u.x >= 0) & (u.y >= 0) & (u.z >= 0) & (u.x < (float)frame->dims[0]) & (u.y < (float)frame->dims[1]) &
          (u.z < (float)frame->dims[2])))
        return -1;
    return ((int)u.z * frame->dims[1] + (int)u.y) * frame->dims[0] + (int)u.x;
}

const uint64_t *pelti_frame_around(const PeltiFieldFrame *frame, Vec3 x)
{
    int cell = frame->indexed ? cell_of(frame, x) : -1;
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
        pose->most[i] = pose->live ? (float)(grid->size[i] - 1) : 0;
    }
    for (int k = 0; k < 4; k++)
        pose->column[k][3] = 0;
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

/// A field weaker than this composes to less than rounding: g(f, e) - f is of the order of e squared.
static const float NOTHING = 1e-3f;

PELTI_WIDE PeltiFloat4 load_four(const float *p)
{
    PeltiFloat4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

/// Where a point lies in a part's grid.
typedef struct Place {
    PeltiFloat4 t; ///< within the cell
    int cell[3];
    int part;
} Place;

/// Finds the place of x in a part's grid; false: the part does not reach it. Without branches, as there is no guessing who does.
PELTI_WIDE bool locate(const PeltiFieldFrame *frame, int part, Vec3 x, Place *out)
{
    const PeltiPartPose *pose = &frame->pose[part];
    const PeltiGrid *grid = &frame->fields->parts[part].grid;
    PeltiFloat4 p = load_four(pose->column[0]) * x.x + load_four(pose->column[1]) * x.y + load_four(pose->column[2]) * x.z +
                    load_four(pose->column[3]);
    PeltiInt4 in = (p >= 0) & (p < load_four(pose->most)); // a part that is not live has no room inside
    PeltiInt4 i = __builtin_convertvector((PeltiFloat4)((PeltiInt4)p & in), PeltiInt4);
    int64_t both[2];
    memcpy(both, &in, sizeof both);
    out->t = p - __builtin_convertvector(i, PeltiFloat4);
    out->part = part;
    for (int k = 0; k < 3; k++)
        out->cell[k] = i[k];
    return ((both[0] & both[1]) == -1) & pelti_grid_reaches(grid, i[0], i[1], i[2]);
}

/// The field at a place; false: it is nothing.
PELTI_WIDE bool fetch(const PeltiFieldFrame *frame, const Place *at, float *value, Vec3 *gradient)
{
    const PeltiGrid *grid = &frame->fields->parts[at->part].grid;
    PeltiFloat4 g = pelti_grid_cell(grid, at->cell[0], at->cell[1], at->cell[2], at->t);
    const Mat34 *to_grid = &frame->pose[at->part].world_to_grid;
    float f = g[3];
    g = load_four(to_grid->m[0]) * g[0] + load_four(to_grid->m[1]) * g[1] + load_four(to_grid->m[2]) * g[2];
    *value = f < 1 ? f : 1;
    *gradient = vec3(g[0], g[1], g[2]);
    return f > NOTHING;
}

bool pelti_frame_part(const PeltiFieldFrame *frame, int part, Vec3 x, float *value, Vec3 *gradient)
{
    Place place;
    if (locate(frame, part, x, &place) && fetch(frame, &place, value, gradient))
        return true;
    *value = 0;
    *gradient = vec3(0, 0, 0);
    return false;
}

typedef struct Leaf {
    int part;
    float value;
    Vec3 gradient;
} Leaf;

/// Places of x in the grids that reach it, in the order of composition; what they hold there is asked for.
PELTI_WIDE int find_places(const PeltiFieldFrame *frame, int skeleton, Vec3 x, Place *places)
{
    const PeltiPart *parts = frame->fields->parts;
    int count = 0, begin = 0, end = frame->fields->part_count;
    const uint16_t *list = NULL;
    if (frame->indexed) {
        int cell = cell_of(frame, x);
        if (cell < 0)
            return 0;
        list = frame->cell_parts;
        begin = frame->cell_start[cell];
        end = frame->cell_start[cell + 1];
    }
    for (int k = begin; k < end && count < MOST_REACH; k++) {
        int part = list ? list[k] : k;
        count += locate(frame, part, x, &places[count]) & (skeleton < 0 || parts[part].skeleton == skeleton);
    }
    for (int k = 0; k < count; k++)
        pelti_grid_ask(&parts[places[k].part].grid, places[k].cell);
    return count;
}

PELTI_WIDE int read_places(const PeltiFieldFrame *frame, int place_count, const Place *places, Leaf *leaves)
{
    int count = 0;
    for (int k = 0; k < place_count; k++) {
        leaves[count].part = places[k].part;
        count += fetch(frame, &places[k], &leaves[count].value, &leaves[count].gradient);
    }
    return count;
}

/// What two parts ask of their composition: the bend of the joint between neighbours, full contact for parts that share no skin.
static inline PeltiFold joint_fold(const PeltiFieldFrame *frame, int a, int b)
{
    static const float FLAT = 0.3f; // by support radius
    const PeltiFields *fields = frame->fields;
    PeltiFold fold = {.kind = PELTI_FOLD_NONE};
    if (fields->apart[a * fields->part_count + b])
        fold = (PeltiFold){.kind = PELTI_FOLD_APART, .bend = PELTI_OPERATOR_SLICES - 1};
    else if (fields->parts[b].parent == a)
        fold = (PeltiFold){PELTI_FOLD_JOINT, frame->pose[b].bend, frame->pose[b].across, frame->pose[b].out,
                           FLAT / fields->parts[b].radius};
    else if (fields->parts[a].parent == b)
        fold = (PeltiFold){PELTI_FOLD_JOINT, frame->pose[a].bend, vec3_scale(frame->pose[a].across, -1), frame->pose[a].out,
                           FLAT / fields->parts[a].radius};
    return fold;
}

/// The operator at the joint of two parts; contact where they share none.
static inline const PeltiOperator *joint_operator(const PeltiFieldFrame *frame, int a, int b)
{
    const PeltiPart *parts = frame->fields->parts;
    return &frame->fields->operators[parts[a].target == b ? parts[a].op : parts[b].target == a ? parts[b].op : 0];
}

/// Ends of the contact line at d (in slices): its mouth and where it stops, a cell and a half before the border.
static inline void contact_line(const PeltiOperator *op, float d, float *mouth, float *depth)
{
    static const float SLICE = 1.0f / (PELTI_OPERATOR_SLICES - 1), MOST = 1 - 1.5f / (PELTI_OPERATOR_NODES - 1);
    const PeltiProfile *p = &op->profile;
    float open = p->open[p->control_count - 1].x;
    *mouth = open + d * SLICE * (p->closed[p->control_count - 1].x - open);
    *depth = *mouth + d * SLICE * p->reach * (MOST - *mouth);
}

/// A muscle is part of the flesh it lies in: its field joins its target's by the clean union before all else, so that it
/// swells under the skin and touches what the flesh touches. Primitives come last among the leaves.
static inline int fold_primitives(const PeltiFieldFrame *frame, int count, Leaf *leaves)
{
    const PeltiFields *fields = frame->fields;
    while (count && fields->parts[leaves[count - 1].part].primitive >= 0) {
        Leaf muscle = leaves[--count];
        int target = fields->parts[muscle.part].target, at = 0;
        if (target < 0)
            continue; // in no flesh: it has nothing to lift
        while (at < count && leaves[at].part < target)
            at++;
        if (at < count && leaves[at].part == target) {
            PeltiFloat4 g = pelti_operator_fetch(&fields->operators[0], leaves[at].value, muscle.value, 0);
            leaves[at].value = g[0] < 0 ? 0 : g[0] > 1 ? 1 : g[0];
            leaves[at].gradient = vec3_mad(vec3_scale(leaves[at].gradient, g[1]), muscle.gradient, g[2]);
            continue;
        }
        memmove(leaves + at + 1, leaves + at, sizeof(Leaf) * (size_t)(count - at)); // where its target's own field ends
        muscle.part = target;
        leaves[at] = muscle;
        count++;
        if (fields->parts[leaves[count - 1].part].primitive < 0)
            break;
    }
    return count;
}

/// Leaves fold into one value: chains first (a leaf waits for its target if that is among the leaves), then contact.
PELTI_WIDE void compose(const PeltiFieldFrame *frame, int count, Leaf *leaves, PeltiFieldSample *out)
{
    const PeltiFields *fields = frame->fields;
    out->value = leaves[0].value;
    out->gradient = leaves[0].gradient;
    bool started = false;
    for (int k = 0; k < count; k++) {
        const PeltiPart *part = &fields->parts[leaves[k].part];
        int target = -1;
        for (int l = k + 1; l < count && part->target >= 0 && target < 0; l++)
            target = leaves[l].part == part->target ? l : -1;
        if (target >= 0) {
            PeltiFold fold = joint_fold(frame, leaves[target].part, leaves[k].part);
            pelti_operator_compose(&fields->operators[part->op], &leaves[target].value, &leaves[target].gradient, leaves[k].value,
                                   leaves[k].gradient, &fold);
        } else if (!started) {
            out->value = leaves[k].value;
            out->gradient = leaves[k].gradient;
            started = true;
        } else {
            PeltiFold fold = joint_fold(frame, leaves[0].part, leaves[k].part);
            for (int l = 1; l < k; l++) { // whatever asks for most
                PeltiFold next = joint_fold(frame, leaves[l].part, leaves[k].part);
                fold = next.kind > fold.kind || (next.kind == fold.kind && next.bend > fold.bend) ? next : fold;
            }
            pelti_operator_compose(&fields->operators[0], &out->value, &out->gradient, leaves[k].value, leaves[k].gradient,
                                   &fold);
        }
    }
}

/// The owner's side and the strongest field against it.
PELTI_WIDE void take_sides(const PeltiFieldFrame *frame, int count, const Leaf *leaves, int own, PeltiFieldSample *out)
{
    static const float VALLEY = 0.06f * (PELTI_OPERATOR_SLICES - 1); // d from which a contact line is more than a node long
    int mine = -1;
    for (int k = 0; k < count; k++)
        if (leaves[k].part == own)
            mine = k;
    if (mine < 0)
        return;
    Vec3 g = leaves[mine].gradient;
    float g2 = vec3_dot(g, g);
    out->own = out->mine = leaves[mine].value;
    out->own_gradient = g;
    for (int k = 0; k < count; k++) {
        if (k == mine)
            continue;
        Vec3 h = leaves[k].gradient;
        float dot = vec3_dot(g, h), square = dot * fabsf(dot), scale = g2 * vec3_dot(h, h);
        const PeltiOperator *op = joint_operator(frame, own, leaves[k].part);
        PeltiFold fold = joint_fold(frame, own, leaves[k].part);
        float d = pelti_operator_depth(op, g, h, &fold);
        if (d > VALLEY) {
            if (leaves[k].value > out->other) {
                out->other = leaves[k].value;
                out->other_gradient = h;
                out->other_part = leaves[k].part;
                contact_line(op, d, &out->mouth, &out->depth);
            }
        } else if (square > 0.25f * scale && leaves[k].value > out->own) {
            out->own = leaves[k].value;
            out->own_gradient = h;
        }
    }
}

/// f -> k f / (1 + (k - 1) f): keeps 0, 1 and the order of the fields, hence the contact surface f1 = f2, and multiplies the
/// odds f / (1 - f) by k.
PELTI_WIDE void tilt_leaves(float tilt, int count, Leaf *leaves)
{
    for (int k = 0; k < count; k++) {
        float scale = 1 / (1 + (tilt - 1) * leaves[k].value);
        leaves[k].value *= tilt * scale;
        leaves[k].gradient = vec3_scale(leaves[k].gradient, tilt * scale * scale);
    }
}

PELTI_WIDE void eval_places(const PeltiFieldFrame *frame, const PeltiFieldPoint *at, int place_count, const Place *places,
                            PeltiFieldSample *out)
{
    Leaf leaves[MOST_REACH];
    memset(out, 0, sizeof *out);
    out->other_part = -1;
    int count = fold_primitives(frame, read_places(frame, place_count, places, leaves), leaves);
    if (at->tilt > 0)
        tilt_leaves(at->tilt, count, leaves);
    int own = at->own;
    if (count > 1 && own >= 0)
        take_sides(frame, count, leaves, own, out);
    else if (count == 1 && leaves[0].part == own) {
        out->own = out->mine = leaves[0].value;
        out->own_gradient = leaves[0].gradient;
    }
    if (count)
        compose(frame, count, leaves, out);
}

/// In two passes: the first asks for the memory that the second reads.
PELTI_CLONES static void eval_points(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points,
                                     PeltiFieldSample *out)
{
    Place places[PELTI_FIELD_BATCH][MOST_REACH];
    int found[PELTI_FIELD_BATCH];
    for (int k = 0; k < count; k++)
        found[k] = find_places(frame, points[k].skeleton, points[k].x, places[k]);
    for (int k = 0; k < count; k++)
        eval_places(frame, &points[k], found[k], places[k], &out[k]);
}

void pelti_frame_eval_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, PeltiFieldSample *out)
{
    for (int k = 0; k < count; k += PELTI_FIELD_BATCH)
        eval_points(frame, count - k < PELTI_FIELD_BATCH ? count - k : PELTI_FIELD_BATCH, points + k, out + k);
}

void pelti_frame_eval(const PeltiFieldFrame *frame, int skeleton, int own, Vec3 x, PeltiFieldSample *out)
{
    PeltiFieldPoint point = {x, skeleton, own, 0};
    eval_points(frame, 1, &point, out); // clones stay static: gcc exports the symbol of a cloned function
}

PELTI_CLONES static void max_points(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, float *value,
                                    Vec3 *gradient)
{
    Place places[PELTI_FIELD_BATCH][MOST_REACH];
    int found[PELTI_FIELD_BATCH];
    for (int k = 0; k < count; k++)
        found[k] = find_places(frame, points[k].skeleton, points[k].x, places[k]);
    for (int k = 0; k < count; k++) {
        Leaf leaves[MOST_REACH];
        int leaf_count = read_places(frame, found[k], places[k], leaves);
        value[k] = 0;
        gradient[k] = vec3(0, 0, 0);
        for (int l = 0; l < leaf_count; l++)
            if (leaves[l].value > value[k]) {
                value[k] = leaves[l].value;
                gradient[k] = leaves[l].gradient;
            }
    }
}

void pelti_frame_max_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, float *value, Vec3 *gradient)
{
    for (int k = 0; k < count; k += PELTI_FIELD_BATCH)
        max_points(frame, count - k < PELTI_FIELD_BATCH ? count - k : PELTI_FIELD_BATCH, points + k, value + k, gradient + k);
}

void pelti_frame_max(const PeltiFieldFrame *frame, int skeleton, Vec3 x, float *value, Vec3 *gradient)
{
    PeltiFieldPoint point = {x, skeleton, -1, 0};
    max_points(frame, 1, &point, value, gradient);
}
