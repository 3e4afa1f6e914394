/// Keeps the volume of each sub-volume [Deul2013 sec. 4.6, Diziol2011].
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

static inline Dvec about(Vec3 a, Vec3 origin)
{
    return (Dvec){(double)a.x - (double)origin.x, (double)a.y - (double)origin.y, (double)a.z - (double)origin.z};
}
static inline Dvec cross(Dvec a, Dvec b)
{
    return (Dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline void add_sixth(Vec3 *g, Dvec a)
{
    const double sixth = 1.0 / 6;
    g->x += (float)(a.x * sixth);
    g->y += (float)(a.y * sixth);
    g->z += (float)(a.z * sixth);
}

/// Six times the volume of the tetrahedron on (a, b, c); gradients go to the corners' slots, -1: nowhere.
static inline double add_triangle(Dvec a, Dvec b, Dvec c, Vec3 *ga, Vec3 *gb, Vec3 *gc)
{
    Dvec bc = cross(b, c);
    if (ga)
        add_sixth(ga, bc);
    if (gb)
        add_sixth(gb, cross(c, a));
    if (gc)
        add_sixth(gc, cross(a, b));
    return a.x * bc.x + a.y * bc.y + a.z * bc.z;
}

/// Where a fan closes: the mean of the bone layer around it.
static Vec3 fan_centre(const PeltiLayeredVolume *volume, const PeltiLayeredVolumeLoop *loop, float *const x[3])
{
    Vec3 centre = {0, 0, 0};
    for (int i = loop->first; i < loop->first + loop->count; i++)
        centre = vec3_mad(centre, pelti_flesh_lane(x, volume->loop_slots[i], PELTI_LAYER_BONE), 1 / (float)loop->count);
    return centre;
}

/// Volume of a part whose skin is in `x`; `rest`: fans close in x as well, else at their centres of now.
static double volume_in(const PeltiLayeredVolume *volume, const PeltiLayeredVolumePart *part, float *const x[3], bool rest,
                        Vec3 *gradient, double *centre_rate)
{
    Vec3 origin = pelti_flesh_lane(x, volume->slots[part->slot_first], PELTI_LAYER_SKIN);
    double sum = 0, rate = 0;
    for (int i = part->triangle_first; i < part->triangle_first + part->triangle_count; i++) {
        const int *t = volume->triangles[i];
        Dvec p[3];
        for (int k = 0; k < 3; k++)
            p[k] = about(pelti_flesh_lane(x, t[k], PELTI_LAYER_SKIN), origin);
        sum += add_triangle(p[0], p[1], p[2], gradient ? &gradient[t[0]] : NULL, gradient ? &gradient[t[1]] : NULL,
                            gradient ? &gradient[t[2]] : NULL);
    }
    for (int l = part->loop_first; l < part->loop_first + part->loop_count; l++) {
        const PeltiLayeredVolumeLoop *loop = &volume->loops[l];
        Dvec centre = about(rest ? fan_centre(volume, loop, x) : loop->centre, origin);
        Vec3 g = {0, 0, 0};
        for (int i = 0; i < loop->count; i++) {
            int a = volume->loop_slots[loop->first + i], b = volume->loop_slots[loop->first + (i + 1) % loop->count];
            sum += add_triangle(centre, about(pelti_flesh_lane(x, a, PELTI_LAYER_SKIN), origin),
                                about(pelti_flesh_lane(x, b, PELTI_LAYER_SKIN), origin), &g, gradient ? &gradient[a] : NULL,
                                gradient ? &gradient[b] : NULL);
        }
        rate += (double)vec3_dot(g, loop->centre_velocity);
    }
    if (centre_rate)
        *centre_rate = rate;
    return sum / 6;
}

double pelti_layered_volume_of(const PeltiLayeredVolume *volume, float *const x[3], const PeltiLayeredVolumePart *part,
                               Vec3 *gradient, double *centre_rate)
{
    return volume_in(volume, part, x, false, gradient, centre_rate);
}

void pelti_layered_volume_rest(PeltiLayeredVolume *volume, float *const rest[3])
{
    for (int p = 0; p < volume->part_count; p++)
        volume->parts[p].rest_volume = volume_in(volume, &volume->parts[p], rest, true, NULL, NULL);
}

/// Centres of the fans go with the bones; particles in contact are held, so that a bulge does not undo a contact.
void pelti_layered_volume_start(PeltiFlesh *flesh, float dt_s)
{
    PeltiLayeredVolume *volume = &flesh->volume;
    for (int p = 0; p < volume->part_count; p++)
        for (int l = volume->parts[p].loop_first; l < volume->parts[p].loop_first + volume->parts[p].loop_count; l++) {
            PeltiLayeredVolumeLoop *loop = &volume->loops[l];
            Vec3 last = fan_centre(volume, loop, flesh->moving.goal_before);
            loop->centre = fan_centre(volume, loop, flesh->moving.goal);
            loop->centre_velocity = vec3_scale(vec3_sub(loop->centre, last), dt_s > 0 ? 1 / dt_s : 0);
        }
    for (int s = 0; s < flesh->n; s++)
        volume->freedom[s] = flesh->rest.inverse_mass[(size_t)s * PELTI_LAYERS + PELTI_LAYER_SKIN];
    for (int i = 0; i < flesh->collide.contacts.count; i++)
        for (int k = 0; flesh->collide.contacts.list[i].push > 0 && k < 4; k++)
            volume->freedom[flesh->collide.contacts.list[i].slot[k]] = 0;
}

/// sum of w |grad|^2, and the part's slots with their gradients; the caller clears them.
static double weigh(const PeltiFlesh *flesh, const PeltiLayeredVolumePart *part)
{
    double sum = 0;
    for (int i = part->slot_first; i < part->slot_first + part->slot_count; i++) {
        int s = flesh->volume.slots[i];
        sum +=
            (double)(flesh->volume.freedom[s] * vec3_dot(flesh->volume.gradient_scratch[s], flesh->volume.gradient_scratch[s]));
    }
    return sum;
}

static void clear(PeltiFlesh *flesh, const PeltiLayeredVolumePart *part)
{
    for (int i = part->slot_first; i < part->slot_first + part->slot_count; i++)
        flesh->volume.gradient_scratch[flesh->volume.slots[i]] = vec3(0, 0, 0);
}

// ---- parts side by side ----

/// A part has a later colour than those before it that share a particle with it, so that colours, one by one, give the bytes of
/// parts one after the other.
bool pelti_layered_volume_colour(PeltiLayeredVolume *volume, PeltiPool *pool, int slots_of_all)
{
    int n = volume->part_count, *colour = PELTI_NEW(pool, int, n), *next = PELTI_NEW(pool, int, slots_of_all);
    volume->order = PELTI_NEW(pool, int, n);
    volume->colour_start = PELTI_NEW(pool, int, (size_t)n + 1);
    if (pool->failed)
        return false;
    volume->colour_count = 0;
    for (int p = 0; p < n; p++) {
        const int *slots = volume->slots + volume->parts[p].slot_first, count = volume->parts[p].slot_count;
        for (int i = 0; i < count; i++)
            colour[p] = next[slots[i]] > colour[p] ? next[slots[i]] : colour[p];
        for (int i = 0; i < count; i++)
            next[slots[i]] = colour[p] + 1;
        volume->colour_count = colour[p] + 1 > volume->colour_count ? colour[p] + 1 : volume->colour_count;
    }
    for (int c = 0, filled = 0; c < volume->colour_count; c++) {
        for (int p = 0; p < n; p++)
            if (colour[p] == c)
                volume->order[filled++] = p;
        volume->colour_start[c + 1] = filled;
    }
    return true;
}

typedef struct ColourRun {
    PeltiFlesh *flesh;
    void (*solve)(PeltiFlesh *flesh, const PeltiLayeredVolumePart *part);
    const int *parts;
} ColourRun;

static void run_parts(void *context, int begin, int end, int worker)
{
    const ColourRun *run = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const PeltiLayeredVolumePart *part = &run->flesh->volume.parts[run->parts[i]];
        if (part->rest_volume > 0)
            run->solve(run->flesh, part);
    }
}

static void run_colours(PeltiFlesh *flesh, void (*solve)(PeltiFlesh *flesh, const PeltiLayeredVolumePart *part))
{
    const PeltiLayeredVolume *volume = &flesh->volume;
    for (int c = 0; c < volume->colour_count; c++) {
        ColourRun run = {flesh, solve, volume->order + volume->colour_start[c]};
        pelti_parallel_for(flesh->jobs, volume->colour_start[c + 1] - volume->colour_start[c], 1, run_parts, &run);
    }
}

static void project_part(PeltiFlesh *flesh, const PeltiLayeredVolumePart *part)
{
    PeltiLayeredVolume *volume = &flesh->volume;
    float most = VOLUME_MOST_MOVE * flesh->rest.size;
    double v = pelti_layered_volume_of(volume, flesh->match.x, part, volume->gradient_scratch, NULL), weight = weigh(flesh, part);
    float lambda = weight > 0 ? (float)((part->rest_volume - v) / weight) : 0;
    for (int i = part->slot_first; isfinite(lambda) && i < part->slot_first + part->slot_count; i++) {
        int s = volume->slots[i];
        Vec3 d = vec3_scale(volume->gradient_scratch[s], lambda * volume->freedom[s]);
        float length = vec3_length(d);
        if (length > most)
            d = vec3_scale(d, most / length);
        pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN,
                             vec3_add(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), d));
    }
    clear(flesh, part);
}

void pelti_layered_volume_project(PeltiFlesh *flesh)
{
    run_colours(flesh, project_part);
}

static void calm_part(PeltiFlesh *flesh, const PeltiLayeredVolumePart *part)
{
    PeltiLayeredVolume *volume = &flesh->volume;
    double rate = 0;
    pelti_layered_volume_of(volume, flesh->match.x, part, volume->gradient_scratch, &rate);
    double weight = weigh(flesh, part);
    for (int i = part->slot_first; i < part->slot_first + part->slot_count; i++)
        rate += (double)vec3_dot(volume->gradient_scratch[volume->slots[i]],
                                 pelti_flesh_lane(flesh->moving.velocity, volume->slots[i], PELTI_LAYER_SKIN));
    float lambda = weight > 0 ? (float)(-rate / weight) : 0;
    for (int i = part->slot_first; isfinite(lambda) && i < part->slot_first + part->slot_count; i++) {
        int s = volume->slots[i];
        Vec3 v = vec3_mad(pelti_flesh_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN), volume->gradient_scratch[s],
                          lambda * volume->freedom[s]);
        pelti_flesh_set_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN, v);
    }
    clear(flesh, part);
}

void pelti_layered_volume_velocities(PeltiFlesh *flesh)
{
    run_colours(flesh, calm_part);
}

double pelti_layered_volume_worst(const PeltiLayeredVolume *volume, float *const x[3])
{
    double worst = 0;
    for (int p = 0; p < volume->part_count; p++) {
        const PeltiLayeredVolumePart *part = &volume->parts[p];
        if (part->rest_volume > 0)
            worst = fmax(worst, fabs(pelti_layered_volume_of(volume, x, part, NULL, NULL) / part->rest_volume - 1));
    }
    return worst;
}
