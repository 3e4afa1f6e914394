/// The composed field at eight points at a time [Vaillant2013, Vaillant2014]: to the bit what compose.c gives for each alone.
/// Points that follow each other lie near each other, so that a few parts reach all eight: a part is a row of eight leaves, and
/// all that depends on parts alone (matrices, folds, operators) is the same for the row.
#include "field/compose_inner.h"
#include "field/operator_wide.h"

enum { LANES = 8, GROUPS = PELTI_FIELD_BATCH / LANES, MOST_WORDS = 16 };

/// One part at eight points.
typedef struct PartAtEight {
    int part;
    int node[LANES];      ///< first node of the lane's cell; 0 where the grid does not reach
    PeltiInt8 in;         ///< mask: lanes that the part's grid reaches
    PeltiFieldVec8 t;     ///< place within the cell
    PeltiInt8 live;       ///< mask: the field is more than nothing
    PeltiFieldLeaf8 leaf; ///< in those lanes
} PartAtEight;

/// A row that is more than nothing at some point.
typedef struct Live {
    int part;
    PeltiInt8 mask; ///< where
    PeltiFieldLeaf8 leaf;
} Live;

typedef struct EightPoints {
    const PeltiFieldFrame *frame;
    int count; ///< points, at most LANES
    int row_count, live_count;
    PeltiFieldVec8 x;
    PeltiInt8 skeleton, own, asked; ///< asked: mask of the lanes below count
    PeltiFloat8 tilt;
    PartAtEight row[PELTI_FIELD_REACH]; ///< in the order of composition
    Live live[PELTI_FIELD_REACH];       ///< in the order of composition
} EightPoints;

/// Points of six numbers as columns, by their first and their last four. Lanes from `count` on are the first point's again.
PELTI_WIDE void load_points(EightPoints *g, int count, const PeltiFieldPoint *points)
{
    _Static_assert(sizeof(PeltiFieldPoint) == 6 * sizeof(float), "a row of six");
    const PeltiInt8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    PeltiFloat4 first[LANES], last[LANES];
    PeltiFloat8 x[4], end[4];
    PELTI_UNROLL
    for (int k = 0; k < LANES; k++) {
        const char *six = (const char *)&points[k < count ? k : 0];
        memcpy(&first[k], six, sizeof first[k]);
        memcpy(&last[k], six + 2 * sizeof(float), sizeof last[k]);
    }
    columns8(first, x);
    columns8(last, end);
    g->count = count;
    g->asked = lane < count;
    g->x = (PeltiFieldVec8){x[0], x[1], x[2]};
    g->skeleton = (PeltiInt8)x[3];
    g->own = (PeltiInt8)end[2];
    g->tilt = end[3];
}

/// Parts that may reach one of the points, as bits; with the flesh of the muscles among them.
PELTI_WIDE void gather_parts(const EightPoints *g, uint64_t *parts)
{
    const PeltiFieldFrame *frame = g->frame;
    const PeltiFields *fields = frame->fields;
    const float low[3] = {frame->low.x, frame->low.y, frame->low.z};
    const PeltiFloat8 x[3] = {g->x.x, g->x.y, g->x.z};
    PeltiInt8 i[3], in = splat8i(-1);
    PELTI_UNROLL
    for (int k = 0; k < 3; k++) { // pelti_frame_cell
        PeltiFloat8 u = (x[k] - splat8(low[k])) * splat8(frame->per_cell);
        in &= (u >= 0) & (u < splat8((float)frame->dims[k]));
        i[k] = __builtin_convertvector(u, PeltiInt8) & in;
    }
    i[0] &= in, i[1] &= in, i[2] &= in;
    int none = PELTI_FIELD_CELLS, cell[LANES], words = frame->words; // a cell of no parts
    PeltiInt8 at = ((i[2] * frame->dims[1] + i[1]) * frame->dims[0] + i[0]);
    at = (at & in) | (splat8i(none) & ~in);
    memcpy(cell, &at, sizeof cell);
    for (int w = 0; w < words; w++) {
        uint64_t all = 0;
        PELTI_UNROLL
        for (int k = 0; k < LANES; k++)
            all |= frame->cell_mask[(size_t)cell[k] * (size_t)words + (size_t)w];
        parts[w] = all;
    }
    for (int p = fields->skin_part_count; p < fields->part_count; p++) // muscles
        if (parts[p >> 6] >> (p & 63) & 1 && fields->parts[p].target >= 0)
            parts[fields->parts[p].target >> 6] |= (uint64_t)1 << (fields->parts[p].target & 63);
}

/// The place of the points in a part's grid (pelti_grid_reaches for each); false: it reaches none of them.
PELTI_WIDE bool locate_row(const EightPoints *g, int part, PartAtEight *row)
{
    const PeltiPartPose *pose = &g->frame->pose[part];
    const PeltiGrid *grid = &g->frame->fields->parts[part].grid;
    PeltiFloat8 p[3], t[3];
    PeltiInt8 i[3], in = g->asked;
    PELTI_UNROLL
    for (int k = 0; k < 3; k++) {
        p[k] = splat8(pose->column[0][k]) * g->x.x + splat8(pose->column[1][k]) * g->x.y + splat8(pose->column[2][k]) * g->x.z +
               splat8(pose->column[3][k]);
        in &= (p[k] >= splat8(pose->least[k])) & (p[k] < splat8(pose->most[k])); // a part that is not live has no room inside
    }
    in &= (g->skeleton < 0) | (g->skeleton == g->frame->fields->parts[part].skeleton);
    if (!any8(in))
        return false;
    PELTI_UNROLL
    for (int k = 0; k < 3; k++) {
        i[k] = __builtin_convertvector((PeltiFloat8)((PeltiInt8)p[k] & in), PeltiInt8);
        t[k] = p[k] - __builtin_convertvector(i[k], PeltiFloat8);
    }
    PeltiInt8 block = ((i[2] >> 2) * grid->blocks[1] + (i[1] >> 2)) * grid->blocks[0] + (i[0] >> 2);
    PeltiInt8 node = (i[2] * grid->size[1] + i[1]) * grid->size[0] + i[0];
    PeltiInt8 eighth = (i[0] >> 1 & 1) | (i[1] & 2) | (i[2] & 2) << 1, reaches;
    int at[LANES], byte[LANES];
    memcpy(at, &block, sizeof at);
    PELTI_UNROLL
    for (int k = 0; k < LANES; k++)
        byte[k] = grid->reaches[at[k]];
    memcpy(&reaches, byte, sizeof reaches);
    in &= -(reaches >> eighth & 1);
    node &= in;
    memcpy(row->node, &node, sizeof row->node);
    row->t = (PeltiFieldVec8){t[0], t[1], t[2]};
    row->part = part;
    row->in = in;
    return any8(in);
}

/// Rows of the parts that reach the points; the memory they will read is asked for. False: there are too many.
PELTI_WIDE bool find_rows(EightPoints *g)
{
    uint64_t parts[MOST_WORDS];
    const PeltiFields *fields = g->frame->fields;
    bool muscles = fields->part_count > fields->skin_part_count;
    g->row_count = 0;
    if (!g->frame->indexed || g->frame->words > MOST_WORDS)
        return false;
    gather_parts(g, parts);
    for (int w = 0; w < g->frame->words; w++)
        for (uint64_t left = parts[w]; left; left &= left - 1) {
            if (g->row_count == PELTI_FIELD_REACH)
                return false;
            PartAtEight *row = &g->row[g->row_count];
            int part = 64 * w + __builtin_ctzll(left);
            if (locate_row(g, part, row)) {
                PELTI_UNROLL
                for (int k = 0; k < LANES; k++)
                    pelti_grid_ask(&fields->parts[part].grid, (size_t)row->node[k]);
            } else if (muscles)
                *row = (PartAtEight){.part = part};
            else
                continue;
            g->row_count++;
        }
    return true;
}

/// The field at the places of a row: pelti_grid_cell, eight at a time.
PELTI_WIDE void read_row(const EightPoints *g, PartAtEight *row)
{
    const PeltiGrid *grid = &g->frame->fields->parts[row->part].grid;
    const Mat34 *to_grid = &g->frame->pose[row->part].world_to_grid;
    PeltiFloat8 nodes[LANES], a[4], b[4], s[4];
    PeltiFloat4 slope[LANES];
    float ty[LANES], tz[LANES];
    memcpy(ty, &row->t.y, sizeof ty);
    memcpy(tz, &row->t.z, sizeof tz);
    PELTI_UNROLL
    for (int k = 0; k < LANES; k++) { // lanes that it does not reach read its first cell: cheaper than to leave them out
        PeltiGridEdge at = pelti_grid_edge(grid, (size_t)row->node[k], ty[k], tz[k]);
        nodes[k] = at.nodes;
        slope[k] = at.slope;
    }
    columns8_of_halves(nodes, a, b);
    columns8(slope, s);
    PeltiFloat8 x = row->t.x, y = row->t.y, z = row->t.z, gs = splat8(grid->gradient_scale);
    PELTI_UNROLL
    for (int k = 0; k < 4; k++)
        b[k] -= a[k];
    PeltiFloat8 dy = s[0] + (s[2] - s[0]) * x, dz = s[1] + (s[3] - s[1]) * x;
    PeltiFloat8 taylor = x * (1 - x) * b[1] + y * (1 - y) * dy + z * (1 - z) * dz;
    PeltiFloat8 f = (a[0] + b[0] * x) * grid->value_scale - 0.5f * gs * taylor;
    PeltiFloat8 gx = (a[1] + b[1] * x) * gs, gy = (a[2] + b[2] * x) * gs, gz = (a[3] + b[3] * x) * gs, gradient[3];
    PELTI_UNROLL
    for (int k = 0; k < 3; k++)
        gradient[k] = splat8(to_grid->m[0][k]) * gx + splat8(to_grid->m[1][k]) * gy + splat8(to_grid->m[2][k]) * gz;
    row->live = (f > NOTHING) & row->in;
    row->leaf = (PeltiFieldLeaf8){select8(f < 1, f, splat8(1)), {gradient[0], gradient[1], gradient[2]}};
}

PELTI_WIDE int row_of(const EightPoints *g, int part)
{
    for (int r = 0; r < g->row_count; r++)
        if (g->row[r].part == part)
            return r;
    return -1;
}

/// As fold_primitives in compose.c.
PELTI_WIDE void fold_muscles(EightPoints *g)
{
    const PeltiFields *fields = g->frame->fields;
    while (g->row_count && fields->parts[g->row[g->row_count - 1].part].primitive >= 0) {
        PartAtEight *muscle = &g->row[--g->row_count];
        int at = fields->parts[muscle->part].target < 0 ? -1 : row_of(g, fields->parts[muscle->part].target);
        if (at < 0)
            continue;
        PartAtEight *flesh = &g->row[at];
        PeltiInt8 both = muscle->live & flesh->live, alone = muscle->live & ~flesh->live;
        operator8_compose(&fields->operators[0], both, &flesh->leaf, &muscle->leaf, splat8(0));
        flesh->leaf.value = select8(alone, muscle->leaf.value, flesh->leaf.value);
        flesh->leaf.gradient = vec8_select(alone, muscle->leaf.gradient, flesh->leaf.gradient);
        flesh->live |= muscle->live;
    }
}

PELTI_WIDE void tilt_row(const EightPoints *g, const PartAtEight *row, Live *out)
{
    PeltiFloat8 scale = 1 / (1 + (g->tilt - 1) * row->leaf.value), steep = g->tilt * scale * scale;
    PeltiInt8 tilts = g->tilt > 0;
    PeltiFieldVec8 n = row->leaf.gradient;
    out->part = row->part;
    out->mask = row->live;
    out->leaf.value = select8(tilts, row->leaf.value * (g->tilt * scale), row->leaf.value);
    out->leaf.gradient = vec8_select(tilts, (PeltiFieldVec8){n.x * steep, n.y * steep, n.z * steep}, n);
}

typedef struct Sides { ///< of PeltiFieldSample
    PeltiFieldLeaf8 own, other;
    PeltiFloat8 mine, mouth, depth;
    PeltiInt8 other_part;
} Sides;

/// pelti_frame_line
PELTI_WIDE void line8(const PeltiOperatorTables *op, PeltiFloat8 d, PeltiFloat8 *mouth, PeltiFloat8 *depth)
{
    const PeltiProfile *p = &op->profile;
    float open = p->open[p->control_count - 1].x;
    *mouth = open + d * PELTI_FIELD_SLICE * (p->closed[p->control_count - 1].x - open);
    *depth = *mouth + d * PELTI_FIELD_SLICE * p->reach * (PELTI_FIELD_DEEPEST - *mouth);
}

/// What row k is to the points that row `own` owns: a field in contact with theirs, or one on the same side.
PELTI_WIDE void weigh_side(const EightPoints *g, const Live *own, PeltiInt8 mask, const Live *k, Sides *s)
{
    PeltiFieldVec8 a = own->leaf.gradient, b = k->leaf.gradient;
    PeltiFloat8 dot = dot8(a, b), scale = dot8(a, a) * dot8(b, b), mouth, depth;
    const PeltiOperatorTables *op = pelti_frame_operator(g->frame, own->part, k->part);
    PeltiFold fold = pelti_frame_fold(g->frame, own->part, k->part);
    PeltiFold8 all = fold8_all(&fold);
    PeltiFloat8 d = operator8_depth(op, a, b, &all), square = dot * (PeltiFloat8)((PeltiInt8)dot & 0x7fffffff);
    PeltiInt8 valley = mask & (d > PELTI_FIELD_VALLEY);
    PeltiInt8 against = valley & (k->leaf.value > s->other.value);
    PeltiInt8 along = mask & ~valley & (square > ALONGSIDE * scale) & (k->leaf.value > s->own.value);
    if (any8(against)) {
        line8(op, d, &mouth, &depth);
        s->other.value = select8(against, k->leaf.value, s->other.value);
        s->other.gradient = vec8_select(against, b, s->other.gradient);
        s->other_part = (splat8i(k->part) & against) | (s->other_part & ~against);
        s->mouth = select8(against, mouth, s->mouth);
        s->depth = select8(against, depth, s->depth);
    }
    s->own.value = select8(along, k->leaf.value, s->own.value);
    s->own.gradient = vec8_select(along, b, s->own.gradient);
}

PELTI_WIDE void take_sides(const EightPoints *g, Sides *s)
{
    *s = (Sides){.other_part = splat8i(-1)};
    for (int o = 0; o < g->live_count; o++) {
        const Live *own = &g->live[o];
        PeltiInt8 mask = own->mask & (g->own == own->part);
        if (!any8(mask))
            continue;
        s->mine = select8(mask, own->leaf.value, s->mine);
        s->own.value = select8(mask, own->leaf.value, s->own.value);
        s->own.gradient = vec8_select(mask, own->leaf.gradient, s->own.gradient);
        for (int k = 0; k < g->live_count; k++) {
            PeltiInt8 both = mask & g->live[k].mask;
            if (k != o && any8(both))
                weigh_side(g, own, both, &g->live[k], s);
        }
    }
}

PELTI_WIDE int live_of(const EightPoints *g, int part)
{
    for (int l = 0; l < g->live_count; l++)
        if (g->live[l].part == part)
            return l;
    return -1;
}

/// Row k joins what is composed so far, by the fold that asks for most of those with the rows before it.
PELTI_WIDE void join_row(const EightPoints *g, int k, PeltiInt8 mask, PeltiFieldLeaf8 *out)
{
    const Live *row = &g->live[k];
    PeltiFold8 most = fold8_none();
    for (int l = 0; l < k; l++) {
        PeltiInt8 both = mask & g->live[l].mask;
        PeltiFold fold = pelti_frame_fold(g->frame, g->live[l].part, row->part);
        if (fold.kind != PELTI_FOLD_NONE && any8(both))
            fold8_take(&most, both, &fold);
    }
    const PeltiOperatorTables *op = &g->frame->fields->operators[0];
    PeltiFloat8 d = operator8_depth(op, out->gradient, row->leaf.gradient, &most);
    operator8_compose(op, mask, out, &row->leaf, d);
}

/// Rows fold into one: chains first (a leaf waits for its target if that is among the leaves), then contact.
PELTI_WIDE void compose_rows(EightPoints *g, PeltiFieldLeaf8 *out)
{
    const PeltiFields *fields = g->frame->fields;
    PeltiInt8 started = splat8i(0);
    *out = (PeltiFieldLeaf8){0};
    for (int k = 0; k < g->live_count; k++) {
        Live *row = &g->live[k];
        const PeltiPart *part = &fields->parts[row->part];
        PeltiInt8 left = row->mask;
        int target = part->target < 0 ? -1 : live_of(g, part->target);
        if (target > k && any8(left & g->live[target].mask)) {
            Live *to = &g->live[target];
            PeltiInt8 both = left & to->mask;
            PeltiFold fold = pelti_frame_fold(g->frame, to->part, row->part);
            PeltiFold8 all = fold8_all(&fold);
            const PeltiOperatorTables *op = &fields->operators[part->op];
            PeltiFloat8 d = operator8_depth(op, to->leaf.gradient, row->leaf.gradient, &all);
            operator8_compose(op, both, &to->leaf, &row->leaf, d);
            left &= ~both;
        }
        PeltiInt8 first = left & ~started, joins = left & started;
        if (any8(joins))
            join_row(g, k, joins, out);
        out->value = select8(first, row->leaf.value, out->value);
        out->gradient = vec8_select(first, row->leaf.gradient, out->gradient);
        started |= left;
    }
}

/// Eight samples of the eight numbers each that begin `skip` floats into them.
PELTI_WIDE void store_numbers(const PeltiFloat8 numbers[LANES], int skip, int count, PeltiFieldSample *out)
{
    FloatW in[LANES], sample[LANES];
    memcpy(in, numbers, sizeof in);
    transpose_w(in, sample);
    for (int k = 0; k < count; k++)
        store_w((float *)&out[k] + skip, sample[k]);
}

PELTI_WIDE void store_samples(const PeltiFieldLeaf8 *all, const Sides *s, int count, PeltiFieldSample *out)
{
    _Static_assert(sizeof(PeltiFieldSample) == 16 * sizeof(float), "two rows of eight");
    const PeltiFloat8 low[LANES] = {all->value,   all->gradient.x,   all->gradient.y,   all->gradient.z,
                                    s->own.value, s->own.gradient.x, s->own.gradient.y, s->own.gradient.z};
    const PeltiFloat8 high[LANES] = {
        s->mine,  s->other.value, s->other.gradient.x, s->other.gradient.y, s->other.gradient.z, (PeltiFloat8)s->other_part,
        s->mouth, s->depth};
    store_numbers(low, 0, count, out);
    store_numbers(high, LANES, count, out);
}

PELTI_WIDE void eval_group(EightPoints *g, PeltiFieldSample *out)
{
    Sides sides;
    PeltiFieldLeaf8 all;
    for (int r = 0; r < g->row_count; r++)
        if (any8(g->row[r].in))
            read_row(g, &g->row[r]);
    fold_muscles(g);
    g->live_count = 0;
    for (int r = 0; r < g->row_count; r++)
        if (any8(g->row[r].live))
            tilt_row(g, &g->row[r], &g->live[g->live_count++]);
    take_sides(g, &sides);
    compose_rows(g, &all);
    store_samples(&all, &sides, g->count, out);
}

PELTI_WIDE bool find_points(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, EightPoints group[GROUPS])
{
    for (int k = 0; k < count; k += LANES) {
        EightPoints *g = &group[k / LANES];
        g->frame = frame;
        load_points(g, count - k < LANES ? count - k : LANES, points + k);
        if (!find_rows(g))
            return false;
    }
    return true;
}

/// In two passes: the first asks for the memory that the second reads. False: parts without end, see find_rows.
PELTI_CLONES static bool eval_points(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points,
                                     PeltiFieldSample *out)
{
    EightPoints group[GROUPS];
    if (!find_points(frame, count, points, group))
        return false;
    for (int k = 0; k < count; k += LANES)
        eval_group(&group[k / LANES], out + k);
    return true;
}

void pelti_frame_eval_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, PeltiFieldSample *out)
{
    for (int k = 0; k < count; k += PELTI_FIELD_BATCH) {
        int some = count - k < PELTI_FIELD_BATCH ? count - k : PELTI_FIELD_BATCH;
        if (!eval_points(frame, some, points + k, out + k))
            for (int i = k; i < k + some; i++)
                pelti_frame_eval_one(frame, &points[i], &out[i]);
    }
}

PELTI_WIDE void max_group(EightPoints *g, float *value, Vec3 *gradient)
{
    PeltiFieldLeaf8 most = {0};
    float lane[4][LANES];
    for (int r = 0; r < g->row_count; r++) {
        PartAtEight *row = &g->row[r];
        if (!any8(row->in))
            continue;
        read_row(g, row);
        PeltiInt8 stronger = row->live & (row->leaf.value > most.value);
        most.value = select8(stronger, row->leaf.value, most.value);
        most.gradient = vec8_select(stronger, row->leaf.gradient, most.gradient);
    }
    memcpy(lane[0], &most.value, sizeof lane[0]);
    memcpy(lane[1], &most.gradient.x, sizeof lane[0]);
    memcpy(lane[2], &most.gradient.y, sizeof lane[0]);
    memcpy(lane[3], &most.gradient.z, sizeof lane[0]);
    for (int k = 0; k < g->count; k++) {
        value[k] = lane[0][k];
        gradient[k] = vec3(lane[1][k], lane[2][k], lane[3][k]);
    }
}

PELTI_CLONES static bool max_points(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, float *value,
                                    Vec3 *gradient)
{
    EightPoints group[GROUPS];
    if (!find_points(frame, count, points, group))
        return false;
    for (int k = 0; k < count; k += LANES)
        max_group(&group[k / LANES], value + k, gradient + k);
    return true;
}

void pelti_frame_max_many(const PeltiFieldFrame *frame, int count, const PeltiFieldPoint *points, float *value, Vec3 *gradient)
{
    for (int k = 0; k < count; k += PELTI_FIELD_BATCH) {
        int some = count - k < PELTI_FIELD_BATCH ? count - k : PELTI_FIELD_BATCH;
        if (!max_points(frame, some, points + k, value + k, gradient + k))
            for (int i = k; i < k + some; i++)
                pelti_frame_max(frame, points[i].skeleton, points[i].x, &value[i], &gradient[i]);
    }
}
