/// Looks at the triangles of the shown skin that cross: one list, for leaning and parting.
#include "body/constants.def"
#include "body/crossings.h"

#include <string.h>

enum { GRAIN = 2048, PASS = PELTI_CROSSINGS_PASS, ROW = PELTI_CROSSINGS_ROW, WORDS = PELTI_CROSSINGS_WORDS };

/// The depth is cheaper to see than a crossing.
bool pelti_crossings_deep(const PeltiCrossings *c, const Vec3 *x, int a, int b)
{
    const int *s = c->mesh->triangles[a], *t = c->mesh->triangles[b];
    return pelti_triangles_as_deep(x, s, t, CROSSINGS_TOUCHING * c->mesh->diagonal) && pelti_triangles_cross(x, s, t);
}

int pelti_crossings_tag(PeltiCrossings *c, int a, int b)
{
    uint64_t hash = ((uint64_t)a << 32 | (uint64_t)b) * 0x9e3779b97f4a7c15u;
    PeltiPair *known = &c->known[hash >> 49];
    if (known->tag == 0 || known->a != a || known->b != b)
        *known = (PeltiPair){a, b, pelti_sunk_explains(&c->sunk, a, b) ? PELTI_CROSSES_SUNK : PELTI_CROSSES_ANEW};
    return known->tag;
}

void pelti_crossings_sort(PeltiCrossings *c)
{
    for (int i = 0; i < c->deep_count; i++)
        if (c->deep[i].tag == PELTI_CROSSES_UNASKED)
            c->deep[i].tag = pelti_crossings_tag(c, c->deep[i].a, c->deep[i].b);
}

int pelti_crossings_judge(PeltiCrossings *c, float least, PeltiPair *out)
{
    for (int i = 0; i < c->deep_count; i++) {
        int a = c->deep[i].a, b = c->deep[i].b;
        bool deep = pelti_triangles_as_deep(c->look.last, c->mesh->triangles[a], c->mesh->triangles[b], least);
        out[i] = (PeltiPair){a, b, deep ? pelti_crossings_tag(c, a, b) : PELTI_CROSSES_SHALLOW};
    }
    return c->deep_count;
}

// ---- a step ----

static bool of_several_groups(void *context, int node_a, int node_b)
{
    const PeltiCrossings *c = context;
    return c->rest.node_group[node_a] == PELTI_CROSSINGS_MIXED || c->rest.node_group[node_a] != c->rest.node_group[node_b];
}

static int may_cross(void *context, int a, int b, int worker)
{
    (void)worker;
    return pelti_crossings_may(context, a, b);
}

static bool within(const PeltiBox *span, const PeltiBox *box) // false where a coordinate is no number
{
    return (span->low.x <= box->low.x) & (span->low.y <= box->low.y) & (span->low.z <= box->low.z) &
           (box->high.x <= span->high.x) & (box->high.y <= span->high.y) & (box->high.z <= span->high.z);
}

static void look_whether_escaped(PeltiCrossings *c, int triangle)
{
    c->look.escaped[triangle] = !c->spans.listed || !within(&c->spans.span[triangle], &c->look.box[triangle]);
}

static void span_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiCrossings *c = context;
    float wide = CROSSINGS_SPAN * c->mesh->diagonal;
    for (int slot = begin; slot < end; slot++) {
        int t = c->tree->items[slot];
        const PeltiBox *way = &c->tree->boxes[slot];
        c->spans.span[t] = (PeltiBox){vec3_sub(way->low, vec3(wide, wide, wide)), vec3_add(way->high, vec3(wide, wide, wide))};
        look_whether_escaped(c, t);
    }
}

static void add_patch(PeltiCrossingsPatches *to, int patch)
{
    to->bits[patch / 64] |= (uint64_t)1 << (patch % 64);
}

static void row_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiCrossings *c = context;
    for (int row = begin; row < end; row++) {
        PeltiCrossingsPatches of = {{0}};
        for (int i = row * ROW; i < (row + 1) * ROW && i < c->spans.near.count; i++) {
            add_patch(&of, c->spans.patch[c->spans.near.pairs[i].a]);
            add_patch(&of, c->spans.patch[c->spans.near.pairs[i].b]);
        }
        c->spans.row[row] = of;
    }
}

void pelti_crossings_begin(PeltiCrossings *c, const Vec3 *from, const Vec3 *to, PeltiJobs *jobs)
{
    PeltiPairSearch search = {2 * CROSSINGS_SPAN * c->mesh->diagonal, of_several_groups, may_cross, c};
    pelti_box_tree_refit_triangles(c->tree, jobs, c->mesh->triangles, from, to);
    pelti_box_tree_self_pairs_among(c->tree, &search, jobs, &c->spans.near);
    c->spans.listed = c->spans.near.found == c->spans.near.count; // else there are too many for a list, and the tree is asked
    pelti_parallel_for(jobs, c->spans.listed ? (c->spans.near.count + ROW - 1) / ROW : 0, PASS / ROW, row_range, c);
    pelti_parallel_for(jobs, c->tree->item_count, GRAIN, span_range, c);
}

// ---- what moved ----

typedef struct MovedLook {
    PeltiCrossings *c;
    const Vec3 *x;
} MovedLook;

static void vertex_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    MovedLook *look = context;
    for (int v = begin; v < end; v++) { // bits: a coordinate that is no number has not moved
        look->c->look.moved[v] = memcmp(&look->x[v], &look->c->look.last[v], sizeof *look->x) != 0;
        look->c->look.last[v] = look->x[v];
    }
}

static void triangle_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiCrossings *c = context;
    for (int i = begin; i < end; i++) {
        const int *t = c->mesh->triangles[i];
        c->look.active[i] = c->look.moved[t[0]] | c->look.moved[t[1]] | c->look.moved[t[2]];
        if (!c->look.active[i])
            continue;
        c->look.box[i] = (PeltiBox){c->look.last[t[0]], c->look.last[t[0]]};
        pelti_box_take(&c->look.box[i], c->look.last[t[1]]);
        pelti_box_take(&c->look.box[i], c->look.last[t[2]]);
        look_whether_escaped(c, i);
    }
}

/// Pairs of triangles that stayed where they were stay in the list.
static void forget_moved(PeltiCrossings *c)
{
    int kept = 0;
    for (int i = 0; i < c->deep_count; i++)
        if (!c->look.active[c->deep[i].a] && !c->look.active[c->deep[i].b])
            c->deep[kept++] = c->deep[i];
    c->deep_count = kept;
}

// ---- pairs of the list ----

typedef struct NearPass {
    PeltiCrossings *c;
    PeltiCrossingsPatches active; // patches of the active triangles
} NearPass;

static PeltiCrossingsPatches active_patches(const PeltiCrossings *c)
{
    PeltiCrossingsPatches of = {{0}};
    for (const bool *at = c->look.active, *end = at + c->mesh->triangle_count; at && at < end; at++) {
        at = memchr(at, 1, (size_t)(end - at));
        if (!at)
            break;
        add_patch(&of, c->spans.patch[at - c->look.active]);
    }
    return of;
}

static bool row_concerned(const PeltiCrossingsPatches *row, const PeltiCrossingsPatches *active)
{
    uint64_t any = 0;
    for (int k = 0; k < WORDS; k++)
        any |= row->bits[k] & active->bits[k];
    return any != 0;
}

/// Those of a row of the list that cross now and that may not have before, a bit each.
static uint64_t pass_row(const PeltiCrossings *c, int row)
{
    uint64_t passed = 0;
    for (int i = row * ROW; i < (row + 1) * ROW && i < c->spans.near.count; i++) {
        PeltiPair p = c->spans.near.pairs[i];
        if (!(c->look.active[p.a] | c->look.active[p.b]) || (c->look.escaped[p.a] | c->look.escaped[p.b]) ||
            !pelti_box_overlap(&c->look.box[p.a], &c->look.box[p.b], 0) || !pelti_crossings_deep(c, c->look.last, p.a, p.b))
            continue;
        passed |= (uint64_t)1 << (i % ROW);
    }
    return passed;
}

static void pass_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    NearPass *pass = context;
    PeltiCrossings *c = pass->c;
    for (int row = begin / ROW; row * ROW < end; row++)
        c->spans.passed_scratch[row] = row_concerned(&c->spans.row[row], &pass->active) ? pass_row(c, row) : 0;
}

static void keep(PeltiCrossings *c, const PeltiPair *pairs, int count)
{
    int room = c->deep_capacity - c->deep_count, taken = count < room ? count : room;
    memcpy(c->deep + c->deep_count, pairs, (size_t)taken * sizeof *pairs);
    c->deep_count += taken;
}

static void keep_passed(PeltiCrossings *c, int row)
{
    uint64_t passed = c->spans.passed_scratch[row];
    for (int i = 0; passed && i < ROW; i++, passed >>= 1) {
        PeltiPair p = c->spans.near.pairs[row * ROW + i];
        p.tag = PELTI_CROSSES_UNASKED;
        keep(c, &p, passed & 1);
    }
}

// ---- pairs of the tree ----

static bool may_hold_pairs(void *context, int node_a, int node_b)
{
    const PeltiCrossings *c = context;
    return (c->look.node_active[node_a] || c->look.node_active[node_b]) &&
           (c->look.node_escaped[node_a] || c->look.node_escaped[node_b]) && of_several_groups(context, node_a, node_b);
}

static int test_pair(void *context, int a, int b, int worker)
{
    const PeltiCrossings *c = context;
    (void)worker;
    bool asked = (c->look.active[a] || c->look.active[b]) && (c->look.escaped[a] || c->look.escaped[b]);
    return asked && pelti_crossings_may(c, a, b) && pelti_crossings_deep(c, c->look.last, a, b) ? PELTI_CROSSES_UNASKED : 0;
}

/// False: nothing has escaped, and the tree need not be asked.
static bool mark_nodes(PeltiCrossings *c)
{
    if (!memchr(c->look.escaped, 1, (size_t)c->mesh->triangle_count))
        return false;
    for (int n = c->tree->node_count - 1; n >= 0; n--) {
        const PeltiBoxNode *node = &c->tree->nodes[n];
        c->look.node_active[n] = node->right >= 0 && (c->look.node_active[n + 1] || c->look.node_active[node->right]);
        c->look.node_escaped[n] = node->right >= 0 && (c->look.node_escaped[n + 1] || c->look.node_escaped[node->right]);
        for (int s = node->first; s < node->first + node->count && node->right < 0; s++) {
            c->look.node_active[n] |= c->look.active[c->tree->items[s]];
            c->look.node_escaped[n] |= c->look.escaped[c->tree->items[s]];
        }
    }
    return c->tree->node_count > 0 && c->look.node_escaped[0];
}

void pelti_crossings_refit(PeltiCrossings *c, const Vec3 *x, PeltiJobs *jobs)
{
    pelti_box_tree_refit_triangles(c->tree, jobs, c->mesh->triangles, x, NULL);
}

void pelti_crossings_update(PeltiCrossings *c, const Vec3 *x, PeltiJobs *jobs)
{
    PeltiPairSearch search = {.nodes = may_hold_pairs, .test = test_pair, .context = c};
    int listed = c->spans.listed ? c->spans.near.count : 0;
    pelti_parallel_for(jobs, c->mesh->vertex_count, GRAIN, vertex_range, &(MovedLook){c, x});
    pelti_parallel_for(jobs, c->mesh->triangle_count, GRAIN, triangle_range, c);
    forget_moved(c);
    pelti_parallel_for(jobs, listed, PASS, pass_range, &(NearPass){c, active_patches(c)});
    for (int row = 0; row * ROW < listed; row++)
        keep_passed(c, row);
    if (!mark_nodes(c))
        return;
    pelti_crossings_refit(c, c->look.last, jobs);
    pelti_box_tree_self_pairs_among(c->tree, &search, jobs, &c->look.found);
    keep(c, c->look.found.pairs, c->look.found.count);
}
