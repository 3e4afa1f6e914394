/// The composed field at one point [Vaillant2013, Vaillant2014]: what compose_wide.c does for eight must agree with this.
#include "field/compose_inner.h"
#include "math/wide.h"

#include <string.h>

PELTI_WIDE PeltiFloat4 load_four(const float *p)
{
    PeltiFloat4 a;
    memcpy(&a, p, sizeof a);
    return a;
}

/// Where a point lies in a part's grid.
typedef struct CellPlace {
    PeltiFloat4 t; ///< within the cell
    int cell[3];
    int part;
} CellPlace;

/// Finds the place of x in a part's grid; false: the part does not reach it. Without branches, as there is no guessing who does.
PELTI_WIDE bool locate(const PeltiFieldFrame *frame, int part, Vec3 x, CellPlace *out)
{
    const PeltiPartPose *pose = &frame->pose[part];
    const PeltiGrid *grid = &frame->fields->parts[part].grid;
    PeltiFloat4 p = load_four(pose->column[0]) * x.x + load_four(pose->column[1]) * x.y + load_four(pose->column[2]) * x.z +
                    load_four(pose->column[3]);
    PeltiInt4 in = (p >= load_four(pose->least)) & (p < load_four(pose->most)); // a part that is not live has no room inside
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
PELTI_WIDE bool fetch(const PeltiFieldFrame *frame, const CellPlace *at, float *value, Vec3 *gradient)
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
    CellPlace place;
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
PELTI_WIDE int find_places(const PeltiFieldFrame *frame, int skeleton, Vec3 x, CellPlace *places)
{
    const PeltiPart *parts = frame->fields->parts;
    int count = 0, cell = frame->indexed ? pelti_frame_cell(frame, x) : 0;
    if (cell < 0)
        return 0;
    for (int w = 0; w < frame->words; w++) {
        uint64_t left = frame->indexed ? frame->cell_mask[(size_t)cell * (size_t)frame->words + (size_t)w] : ~(uint64_t)0;
        for (; left && count < PELTI_FIELD_REACH; left &= left - 1) {
            int part = 64 * w + __builtin_ctzll(left);
            if (part < frame->fields->part_count)
                count += locate(frame, part, x, &places[count]) & (skeleton < 0 || parts[part].skeleton == skeleton);
        }
    }
    for (int k = 0; k < count; k++) {
        const PeltiGrid *grid = &parts[places[k].part].grid;
        pelti_grid_ask(grid, pelti_grid_node(grid, places[k].cell[0], places[k].cell[1], places[k].cell[2]));
    }
    return count;
}

PELTI_WIDE int read_places(const PeltiFieldFrame *frame, int place_count, const CellPlace *places, Leaf *leaves)
{
    int count = 0;
    for (int k = 0; k < place_count; k++) {
        leaves[count].part = places[k].part;
        count += fetch(frame, &places[k], &leaves[count].value, &leaves[count].gradient);
    }
    return count;
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
            PeltiFold fold = pelti_frame_fold(frame, leaves[target].part, leaves[k].part);
            pelti_operator_compose(&fields->operators[part->op], &leaves[target].value, &leaves[target].gradient, leaves[k].value,
                                   leaves[k].gradient, &fold);
        } else if (!started) {
            out->value = leaves[k].value;
            out->gradient = leaves[k].gradient;
            started = true;
        } else {
            PeltiFold fold = pelti_frame_fold(frame, leaves[0].part, leaves[k].part);
            for (int l = 1; l < k; l++) { // whatever asks for most
                PeltiFold next = pelti_frame_fold(frame, leaves[l].part, leaves[k].part);
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
        const PeltiOperatorTables *op = pelti_frame_operator(frame, own, leaves[k].part);
        PeltiFold fold = pelti_frame_fold(frame, own, leaves[k].part);
        float d = pelti_operator_depth(op, g, h, &fold);
        if (d > PELTI_FIELD_VALLEY) {
            if (leaves[k].value > out->other) {
                out->other = leaves[k].value;
                out->other_gradient = h;
                out->other_part = leaves[k].part;
                pelti_frame_line(op, d, &out->mouth, &out->depth);
            }
        } else if (square > ALONGSIDE * scale && leaves[k].value > out->own) {
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

PELTI_WIDE void eval_places(const PeltiFieldFrame *frame, const PeltiFieldPoint *at, int place_count, const CellPlace *places,
                            PeltiFieldSample *out)
{
    Leaf leaves[PELTI_FIELD_REACH];
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

PELTI_CLONES static void eval_point(const PeltiFieldFrame *frame, const PeltiFieldPoint *at, PeltiFieldSample *out)
{
    CellPlace places[PELTI_FIELD_REACH];
    int found = find_places(frame, at->skeleton, at->x, places);
    eval_places(frame, at, found, places, out);
}

void pelti_frame_eval_one(const PeltiFieldFrame *frame, const PeltiFieldPoint *at, PeltiFieldSample *out)
{
    eval_point(frame, at, out); // clones stay static: gcc exports the symbol of a cloned function
}

void pelti_frame_eval(const PeltiFieldFrame *frame, int skeleton, int own, Vec3 x, PeltiFieldSample *out)
{
    PeltiFieldPoint point = {x, skeleton, own, 0};
    eval_point(frame, &point, out);
}

PELTI_CLONES static void max_point(const PeltiFieldFrame *frame, int skeleton, Vec3 x, float *value, Vec3 *gradient)
{
    CellPlace places[PELTI_FIELD_REACH];
    Leaf leaves[PELTI_FIELD_REACH];
    int count = read_places(frame, find_places(frame, skeleton, x, places), places, leaves);
    *value = 0;
    *gradient = vec3(0, 0, 0);
    for (int l = 0; l < count; l++)
        if (leaves[l].value > *value) {
            *value = leaves[l].value;
            *gradient = leaves[l].gradient;
        }
}

void pelti_frame_max(const PeltiFieldFrame *frame, int skeleton, Vec3 x, float *value, Vec3 *gradient)
{
    max_point(frame, skeleton, x, value, gradient);
}
