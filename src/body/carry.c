/// The file's vertices carried by the body: x = sum of share_k M_k p, M_k the rigid motion of body vertex k with its ring.
#include "body/body_parts.h"

#include "body/constants.def"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

/// Weight that the body has on a bone where it carries a place.
static float weight_below(const PeltiBody *body, int place, int bone)
{
    const PeltiWeights *w = &body->weights;
    float sum = 0;
    for (int k = 0; k < PELTI_ATTACH_MOST; k++) {
        size_t at = (size_t)place * PELTI_ATTACH_MOST + (size_t)k;
        for (int i = 0; i < w->influences; i++) {
            size_t row = (size_t)body->attachment.vertex[at] * (size_t)w->influences + (size_t)i;
            sum += w->bone[row] == bone ? body->attachment.share[at] * w->weight[row] : 0;
        }
    }
    return sum;
}

/// Small rigid pieces on skin that bends ride on it; where the skin below moves with their own bone too, and for all other
/// rigid pieces, the bone is exact.
static void choose_rides(PeltiBody *body, float *below)
{
    const PeltiCharacter *file = body->file;
    for (int c = 0; c < body->pieces.count; c++)
        body->ride[c] = body->pieces.pieces[c].kind != PELTI_PIECE_RIGID ? PELTI_RIDE_BODY
                        : body->pieces.pieces[c].sewn                    ? PELTI_RIDE_SEWN
                                                                         : PELTI_RIDE_BONE;
    for (int p = 0; p < file->point_count; p++) {
        int c = file->mesh->component[file->mesh->weld[p]], place = body->attachment.place_of[p];
        if (body->ride[c] == PELTI_RIDE_SEWN && !body->pieces.pieces[c].thing &&
            body->attachment.away[place] > CARRY_ON_SKIN * file->mesh->diagonal)
            body->ride[c] = PELTI_RIDE_BONE;
        below[c] = fminf(below[c], weight_below(body, place, body->pieces.pieces[c].bone));
    }
    for (int c = 0; c < body->pieces.count; c++)
        if (body->ride[c] == PELTI_RIDE_SEWN && !body->pieces.pieces[c].thing && below[c] > CARRY_OWN_SKIN)
            body->ride[c] = PELTI_RIDE_BONE;
}

static bool boxes_meet(const PeltiPiece *a, const PeltiPiece *b, float margin)
{
    return a->low.x - margin < b->high.x && b->low.x - margin < a->high.x && a->low.y - margin < b->high.y &&
           b->low.y - margin < a->high.y && a->low.z - margin < b->high.z && b->low.z - margin < a->high.z;
}

/// Sewn pieces of one bone that touch (an eye and its lid) move as one: the group is the lowest of them.
static void group_pieces(PeltiBody *body)
{
    const PeltiPiece *pieces = body->pieces.pieces;
    float margin = CARRY_TOUCHING * body->file->mesh->diagonal;
    for (int c = 0; c < body->pieces.count; c++)
        body->group[c] = c;
    for (int round = 0, changed = 1; changed && round < body->pieces.count; round++) { // what touches an exact one is exact
        changed = 0;
        for (int a = 0; a < body->pieces.count; a++)
            for (int b = 0; b < body->pieces.count && body->ride[a] == PELTI_RIDE_SEWN; b++)
                if (body->ride[b] == PELTI_RIDE_BONE && pieces[a].bone == pieces[b].bone && !pieces[a].thing &&
                    boxes_meet(&pieces[a], &pieces[b], margin)) {
                    body->ride[a] = PELTI_RIDE_BONE;
                    changed = 1;
                }
    }
    for (int round = 0, changed = 1; changed && round < body->pieces.count; round++) {
        changed = 0;
        for (int a = 0; a < body->pieces.count; a++)
            for (int b = 0; b < a && body->ride[a] == PELTI_RIDE_SEWN; b++)
                if (body->ride[b] == PELTI_RIDE_SEWN && pieces[a].bone == pieces[b].bone && body->group[a] != body->group[b] &&
                    boxes_meet(&pieces[a], &pieces[b], margin)) {
                    body->group[a] = body->group[b] = body->group[a] < body->group[b] ? body->group[a] : body->group[b];
                    changed = 1;
                }
    }
}

static void list_places(PeltiBody *body)
{
    const PeltiMesh *mesh = body->file->mesh;
    const PeltiBodyAttachment *a = &body->attachment;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int place = a->place_of[mesh->first_point[v]];
        bool attached = place >= 0 && a->share[(size_t)place * PELTI_ATTACH_MOST] > 0;
        body->place_at[v] = attached && body->ride[mesh->component[v]] != PELTI_RIDE_BONE ? place : -1;
    }
}

PeltStatus pelti_carry_prepare(PeltiBody *body, const PeltiWeights *weights, PeltError *err)
{
    body->bound = weights;
    if (!body->who)
        return PELT_OK;
    int vertices = body->who->mesh->vertex_count;
    body->block_count = (vertices + PELTI_POLAR_LANES - 1) / PELTI_POLAR_LANES;
    body->scratch.ring_spread = PELTI_NEW(&body->pool, Mat3, vertices);
    body->scratch.rotation = PELTI_NEW(&body->pool, PeltiMat3Block, body->block_count);
    body->turn = PELTI_NEW(&body->pool, PeltiQuatBlock, body->block_count);
    body->scratch.motion = PELTI_NEW(&body->pool, PeltiCarryMotion, vertices);
    body->scratch.places = PELTI_NEW(&body->pool, Vec3, body->attachment.place_count);
    body->place_at = PELTI_NEW(&body->pool, int, body->file->mesh->vertex_count);
    body->ride = PELTI_NEW(&body->pool, PeltiPieceRide, body->pieces.count);
    body->group = PELTI_NEW(&body->pool, int, body->pieces.count);
    body->scratch.fit = PELTI_NEW(&body->pool, PeltiPieceFit, body->pieces.count);
    if (body->pool.failed)
        return pelti_no_memory(err, body->pool.used_bytes);
    pelti_polar_reset(body->turn, body->block_count);
    float *below = PELTI_NEW(&body->pool, float, body->pieces.count);
    if (!below)
        return pelti_no_memory(err, (size_t)body->pieces.count * sizeof *below);
    for (int c = 0; c < body->pieces.count; c++)
        below[c] = 1;
    choose_rides(body, below);
    group_pieces(body);
    list_places(body);
    return PELT_OK;
}

// ---- motions of the body's vertices ----

typedef struct Carry {
    PeltiBody *body;
    const Vec3 *shape;
    const Mat34 *bones;
    Vec3 *vertices;
} Carry;

/// Covariance of the ring's edges, before and after; neighbours' edges twice over keep a fold from turning one vertex alone.
static Mat3 ring_spread(const PeltiMesh *mesh, const Vec3 *x, int v)
{
    Mat3 sum = {{{0}}};
    for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
        int n = mesh->ring[i];
        Vec3 from = vec3_sub(mesh->rest[n], mesh->rest[v]), to = vec3_sub(x[n], x[v]);
        const float *a = &to.x, *b = &from.x;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                sum.m[r][c] += a[r] * b[c];
    }
    return sum;
}

static void ring_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Carry *c = context;
    for (int v = begin; v < end; v++)
        c->body->scratch.ring_spread[v] = ring_spread(c->body->who->mesh, c->shape, v);
}

static void rotation_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Carry *c = context;
    const PeltiMesh *mesh = c->body->who->mesh;
    for (int block = begin; block < end; block++) {
        PeltiMat3Block spread;
        for (int lane = 0; lane < PELTI_POLAR_LANES; lane++) {
            int v = block * PELTI_POLAR_LANES + lane;
            Mat3 sum = {{{0}}};
            if (v < mesh->vertex_count) {
                sum = c->body->scratch.ring_spread[v];
                for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
                    sum = mat3_add(sum, mat3_scale(c->body->scratch.ring_spread[mesh->ring[i]], 0.5f));
            }
            for (int r = 0; r < 3; r++)
                for (int k = 0; k < 3; k++)
                    spread.m[r][k][lane] = sum.m[r][k];
        }
        pelti_polar_batch(&spread, &c->body->turn[block], &c->body->scratch.rotation[block], 1);
    }
}

/// Uniform scale of a bone: a character that is blown up takes its buttons along.
static float bone_scale(Mat34 m)
{
    float(*a)[4] = m.m;
    float det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    return pelti_cbrtf(fabsf(det));
}

static void motion_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Carry *c = context;
    PeltiBody *body = c->body;
    const PeltiMesh *mesh = body->who->mesh;
    for (int v = begin; v < end; v++) {
        const PeltiWeights *w = &body->weights;
        float scale = 0;
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
            scale += w->weight[i] > 0 ? w->weight[i] * bone_scale(c->bones[w->bone[i]]) : 0;
        }
        Mat3 turn;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++)
                turn.m[r][k] = body->scratch.rotation[v / PELTI_POLAR_LANES].m[r][k][v % PELTI_POLAR_LANES] * scale;
        Vec3 to = vec3_sub(c->shape[v], mat3_apply(turn, mesh->rest[v]));
        for (int k = 0; k < 3; k++)
            body->scratch.motion[v].column[k] = (PeltiCarryFour){turn.m[0][k], turn.m[1][k], turn.m[2][k]};
        body->scratch.motion[v].column[3] = (PeltiCarryFour){to.x, to.y, to.z};
    }
}

// ---- vertices of the file ----

/// Three coordinates at once, each rounded as by mat34_apply and vec3_mad.
static void place_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Carry *c = context;
    const PeltiBodyAttachment *a = &c->body->attachment;
    for (int p = begin; p < end; p++) {
        const int *vertex = a->vertex + (size_t)p * PELTI_ATTACH_MOST;
        const float *share = a->share + (size_t)p * PELTI_ATTACH_MOST;
        Vec3 at = a->place[p];
        PeltiCarryFour sum = {0};
        for (int k = 0; k < PELTI_ATTACH_MOST && share[k] > 0; k++) {
            const PeltiCarryFour *m = c->body->scratch.motion[vertex[k]].column;
            sum += (m[0] * at.x + m[1] * at.y + m[2] * at.z + m[3]) * share[k];
        }
        c->body->scratch.places[p] = vec3(sum[0], sum[1], sum[2]);
    }
}

static void vertex_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Carry *c = context;
    const PeltiBody *body = c->body;
    const PeltiMesh *mesh = body->file->mesh;
    for (int v = begin; v < end; v++) {
        int piece = mesh->component[v];
        if (body->who && body->place_at[v] >= 0)
            c->vertices[v] = body->scratch.places[body->place_at[v]];
        else if (body->who && body->ride[piece] == PELTI_RIDE_BONE)
            c->vertices[v] = mat34_apply(c->bones[body->pieces.pieces[piece].bone], mesh->rest[v]);
        else
            c->vertices[v] = pelti_weights_blend(body->bound, v, c->bones, mesh->rest[v]);
    }
}

/// Sewn pieces: the rigid motion nearest to where the body carries their vertices. Sums in double: a piece may be far away.
static void sum_pieces(const Carry *c, void (*add)(PeltiPieceFit *fit, const float *from, const float *to))
{
    const PeltiMesh *mesh = c->body->file->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int piece = mesh->component[v];
        if (c->body->ride[piece] == PELTI_RIDE_SEWN)
            add(&c->body->scratch.fit[c->body->group[piece]], &mesh->rest[v].x, &c->vertices[v].x);
    }
}

static void add_place(PeltiPieceFit *fit, const float *from, const float *to)
{
    fit->count++;
    for (int r = 0; r < 3; r++) {
        fit->from_sum[r] += (double)from[r];
        fit->to_sum[r] += (double)to[r];
    }
}

static void add_spread(PeltiPieceFit *fit, const float *from, const float *to)
{
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            fit->spread[r][k] += ((double)to[r] - fit->to_mean[r]) * ((double)from[k] - fit->from_mean[k]);
}

static void fit_pieces(Carry *c)
{
    PeltiBody *body = c->body;
    PeltiPieceFit *fits = body->scratch.fit;
    memset(fits, 0, (size_t)body->pieces.count * sizeof *fits);
    sum_pieces(c, add_place);
    for (int i = 0; i < body->pieces.count; i++)
        for (int r = 0; r < 3 && fits[i].count; r++) {
            fits[i].from_mean[r] = fits[i].from_sum[r] / fits[i].count;
            fits[i].to_mean[r] = fits[i].to_sum[r] / fits[i].count;
        }
    sum_pieces(c, add_spread);
    for (int i = 0; i < body->pieces.count; i++) {
        PeltiPieceFit *fit = &fits[i];
        if (body->ride[i] != PELTI_RIDE_SEWN || !fit->count)
            continue;
        Mat34 bone = c->bones[body->pieces.pieces[i].bone];
        Mat3 spread, hint = mat3_scale(mat34_linear(bone), 1e-6f); // decides where the vertices leave the turn open
        float largest = 0;
        for (int r = 0; r < 9; r++)
            largest = fmaxf(largest, fabsf((float)fit->spread[r / 3][r % 3]));
        for (int r = 0; r < 9; r++)
            spread.m[r / 3][r % 3] = (largest > 0 ? (float)fit->spread[r / 3][r % 3] / largest : 0) + hint.m[r / 3][r % 3];
        Mat3 turn = mat3_scale(mat3_polar(spread, NULL), bone_scale(bone));
        Vec3 from = vec3((float)fit->from_mean[0], (float)fit->from_mean[1], (float)fit->from_mean[2]);
        Vec3 to = vec3((float)fit->to_mean[0], (float)fit->to_mean[1], (float)fit->to_mean[2]);
        fit->motion = mat34_from(turn, vec3_sub(to, mat3_apply(turn, from)));
    }
    const PeltiMesh *mesh = body->file->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (body->ride[mesh->component[v]] == PELTI_RIDE_SEWN)
            c->vertices[v] = mat34_apply(fits[body->group[mesh->component[v]]].motion, mesh->rest[v]);
}

void pelti_body_carry(PeltiBody *body, const Vec3 *shape, const Mat34 *bones, PeltiJobs *jobs, Vec3 *vertices)
{
    Carry c = {body, shape, bones, vertices};
    if (!body->who) { // nothing bends
        pelti_parallel_for(jobs, body->file->mesh->vertex_count, 1024, vertex_range, &c);
        return;
    }
    pelti_parallel_for(jobs, body->who->mesh->vertex_count, 512, ring_range, &c);
    pelti_parallel_for(jobs, body->block_count, 16, rotation_range, &c);
    pelti_parallel_for(jobs, body->who->mesh->vertex_count, 512, motion_range, &c);
    pelti_parallel_for(jobs, body->attachment.place_count, 512, place_range, &c);
    pelti_parallel_for(jobs, body->file->mesh->vertex_count, 1024, vertex_range, &c);
    fit_pieces(&c);
}

void pelti_body_keep(PeltiBody *body, PeltiSnapshot *s)
{
    PELTI_KEEP(s, body->turn, body->who ? body->block_count : 0);
}

void pelti_body_restart(PeltiBody *body)
{
    if (body->who)
        pelti_polar_reset(body->turn, body->block_count);
}
