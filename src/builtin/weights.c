/// Weighs the skin of built-in characters by limb, faded across joints.
#include "builtin/weights.h"
#include "character/skeleton.h"

#include <string.h>

PeltiInfluences pelti_influences_largest(int count, const int *bone, const float *weight)
{
    PeltiInfluences out = {{0}, {0}};
    float sum = 0;
    for (int i = 0; i < count; i++) {
        int k = PELTI_BUILTIN_INFLUENCES - 1; // insertion; equal weights keep the order of bones
        if (weight[i] <= out.weight[k])
            continue;
        for (; k > 0 && weight[i] > out.weight[k - 1]; k--) {
            out.weight[k] = out.weight[k - 1];
            out.bone[k] = out.bone[k - 1];
        }
        out.weight[k] = weight[i];
        out.bone[k] = bone[i];
    }
    for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++)
        sum += out.weight[k];
    for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++)
        out.weight[k] /= sum;
    return out;
}

PeltiInfluences pelti_influences_between(const PeltiInfluences *a, const PeltiInfluences *b)
{
    int bone[2 * PELTI_BUILTIN_INFLUENCES], count = 0;
    float weight[2 * PELTI_BUILTIN_INFLUENCES];
    for (int side = 0; side < 2; side++) {
        const PeltiInfluences *from = side ? b : a;
        for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++) {
            int at = 0;
            if (from->weight[k] <= 0)
                continue;
            while (at < count && bone[at] != from->bone[k])
                at++;
            if (at == count) {
                bone[count] = from->bone[k];
                weight[count++] = 0;
            }
            weight[at] += 0.5f * from->weight[k];
        }
    }
    return pelti_influences_largest(count, bone, weight);
}

typedef struct Fade {
    const PeltiFigure *body;
    const PeltiRemeshSurface *surface;
    int rounds;
    float *rate;       // [vertex] share that flows in from the ring in a round
    uint64_t *used[2]; // [vertex] bones with weight
    float *weight[2];  // [vertex x bone_count]
    PeltiInfluences *out;
} Fade;

/// The bone of the nearest limb, and how far weights are to fade there, in mesh steps: diffusion over n rounds at rate r
/// with edges of length h spreads by sqrt(n r / 2) h.
static void own(void *context, int begin, int end, int worker)
{
    (void)worker;
    Fade *f = context;
    const PeltiFigure *body = f->body;
    for (int v = begin; v < end; v++) {
        uint64_t bones = 0;
        Vec3 p = f->surface->position[v];
        pelti_solid_detail(body->shape, p, &bones);
        int owner = 0;
        float nearest = INFINITY, joint = INFINITY, blend = 0;
        for (int b = 0; b < body->bone_count; b++) {
            if (!(bones & pelti_figure_bit(b)))
                continue;
            float d = pelti_skeleton_segment_distance2(p, body->bones[b].head, body->bones[b].tail, NULL);
            if (d < nearest) {
                nearest = d;
                owner = b;
            }
        }
        for (int b = 0; b < body->bone_count; b++) {
            if (b != owner && body->bones[b].parent != owner)
                continue;
            float d = vec3_distance(p, body->bones[b].head);
            if (d < joint) {
                joint = d;
                blend = body->bones[b].blend;
            }
        }
        f->used[0][v] = pelti_figure_bit(owner);
        f->weight[0][(size_t)v * (size_t)body->bone_count + (size_t)owner] = 1;
        float steps = blend / f->surface->size[v];
        f->rate[v] = 2 * steps * steps;
    }
}

static void fade_round(void *context, int begin, int end, int worker)
{
    (void)worker;
    Fade *f = context;
    const PeltiRemeshSurface *s = f->surface;
    int bones = f->body->bone_count;
    for (int v = begin; v < end; v++) {
        int ring[64], count = 0, h = s->out[v];
        uint64_t used = f->used[0][v];
        do {
            ring[count] = s->corner[pelti_remesh_next(h)];
            used |= f->used[0][ring[count++]];
            h = s->opposite[pelti_remesh_previous(h)];
        } while (h != s->out[v] && count < 64);
        float keep = 1 - f->rate[v], take = f->rate[v] / (float)count;
        uint64_t kept = 0;
        for (int b = 0; b < bones; b++) {
            size_t i = (size_t)v * (size_t)bones + (size_t)b;
            if (!(used >> b & 1)) {
                f->weight[1][i] = 0;
                continue;
            }
            float sum = 0;
            for (int k = 0; k < count; k++)
                sum += f->weight[0][(size_t)ring[k] * (size_t)bones + (size_t)b];
            float w = f->weight[0][i] * keep + sum * take;
            f->weight[1][i] = w > 1e-5f ? w : 0;
            kept |= w > 1e-5f ? pelti_figure_bit(b) : 0;
        }
        f->used[1][v] = kept;
    }
}

/// Traces of bones that do not matter only cost influences: weights below a hundredth go.
static void gather(void *context, int begin, int end, int worker)
{
    (void)worker;
    Fade *f = context;
    for (int v = begin; v < end; v++) {
        int bone[PELTI_FIGURE_BONES], count = 0;
        float weight[PELTI_FIGURE_BONES];
        for (int b = 0; b < f->body->bone_count; b++) {
            float w = f->weight[0][(size_t)v * (size_t)f->body->bone_count + (size_t)b] - 0.01f;
            if (w > 0) {
                bone[count] = b;
                weight[count++] = w;
            }
        }
        f->out[v] = pelti_influences_largest(count, bone, weight);
    }
}

PeltStatus pelti_builtin_weights(const PeltiFigure *body, const PeltiRemeshSurface *surface, PeltiJobs *jobs,
                                 PeltiInfluences *out, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &surface->allocator);
    int n = surface->vertex_count;
    Fade f = {.body = body, .surface = surface, .out = out, .rate = PELTI_NEW(&pool, float, n)};
    for (int i = 0; i < 2; i++) {
        f.used[i] = PELTI_NEW(&pool, uint64_t, n);
        f.weight[i] = PELTI_NEW(&pool, float, (size_t)n *(size_t)body->bone_count);
    }
    if (pool.failed) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, (size_t)n * (size_t)body->bone_count * 2 * sizeof(float));
    }
    pelti_parallel_for(jobs, n, 512, own, &f);
    float most = 0;
    for (int v = 0; v < n; v++)
        most = fmaxf(most, f.rate[v]);
    f.rounds = (int)(most / 0.75f) + 2;
    for (int v = 0; v < n; v++)
        f.rate[v] = fminf(f.rate[v] / (float)f.rounds, 0.8f);
    for (int round = 0; round < f.rounds; round++) {
        pelti_parallel_for(jobs, n, 512, fade_round, &f);
        float *weight = f.weight[0];
        uint64_t *used = f.used[0];
        f.weight[0] = f.weight[1];
        f.weight[1] = weight;
        f.used[0] = f.used[1];
        f.used[1] = used;
    }
    pelti_parallel_for(jobs, n, 512, gather, &f);
    pelti_pool_release(&pool);
    return PELT_OK;
}
