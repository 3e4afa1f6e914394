/// A step of tracking: virtual frames of move, projection and relaxation [Vaillant2014].
#include "methods/tracking/tracking.h"

#include "core/clock.h"
#include "field/section.h"
#include "methods/tracking/constants.def"

#include <string.h>

static const PeltiOptionDef options[] = {
    {"solver", PELTI_OPTION_CHOICE, "fast", "fast|jacobi", 0, 0,
     "tangential relaxation: factor-once preconditioner, or Jacobi as published"},
    {"iterations", PELTI_OPTION_INT, "28", NULL, 0, 100000, "relaxation steps of a virtual frame, at most"},
    {"tolerance", PELTI_OPTION_FLOAT, "0.002", NULL, 0, 1,
     "relaxation ends where no vertex moves by more than this share of its edges"},
    {"virtual-frames", PELTI_OPTION_BOOL, "on", NULL, 0, 0,
     "cut large steps so that no joint turns by more than a third of its bend"},
    {"virtual-step", PELTI_OPTION_FLOAT, "10", NULL, 0.1, 180, "least turn of a virtual frame, degrees"},
    {"fold-depth", PELTI_OPTION_FLOAT, "1", NULL, 0, 2, "depth of contact in a fold: multiplies the controller d(angle)"},
    {"gap", PELTI_OPTION_FLOAT, "0.0003", NULL, 0, 0.05, "distance kept between touching skin, share of the size"},
    {"target", PELTI_OPTION_CHOICE, "blended", "blended|rigid|polar", 0, 0,
     "target rotations R of the relaxation: blended from the bones, the owner's, or ARAP's"},
    {"blend", PELTI_OPTION_CHOICE, "smooth", "rigid|smooth|smoother", 0, 0, "weights of the blended target rotations"},
    {"keep-volume", PELTI_OPTION_FLOAT, "0.9", NULL, 0, 1,
     "share of the volume squeezed away in contacts that swells the free skin of the part"},
    {"hold", PELTI_OPTION_FLOAT, "0.5", NULL, 0, 100,
     "how firmly skin that no field describes (eyes, mouth, ears) stays with its bone"},
    {"slide", PELTI_OPTION_FLOAT, "1", NULL, 0, 1, "how freely skin slides along the surface; 0: it stays with its bone"},
    {"smooth", PELTI_OPTION_INT, "6", NULL, 0, 100, "smoothing passes around contacts"},
    {"samples", PELTI_OPTION_INT, "50", NULL, 8, 90, "samples of the skin a field is fitted to, per part"},
    {"parts", PELTI_OPTION_CHOICE, "moving", "moving|all", 0, 0,
     "fields for joints that some clip moves, or for all that own skin"},
    {0},
};

static void set_fields(Tracking *t, const TrackingBones *bones)
{
    pelti_rig_matrices(&t->rig, t->fields, &(PeltiRigPose){bones->matrix, bones->joint}, t->bones.part_matrix);
    pelti_frame_set(&t->frame, t->bones.part_matrix);
}

/// One virtual frame: [Vaillant2014] sec. 5, stages 1 to 3.
static void virtual_frame(Tracking *t, const TrackingBones *to)
{
    double start = pelti_clock_ms();
    set_fields(t, to);
    pelti_tracking_find_moved(t, &t->bones.now, to);
    pelti_tracking_move(t, &t->bones.now, to);
    pelti_tracking_find_stale(t, &t->bones.now, to);
    pelti_tracking_predict(t, &t->bones.now, to);
    pelti_clock_lap(&start, &t->counters.ms[TRACKING_STAGE_FIELDS]);
    pelti_tracking_project(t, (TrackingLooks){.steps = FIRST_LOOKS, .enough = FIRST_ENOUGH, .rescue = true});
    pelti_tracking_swell(t, &t->surface, &t->swelling);
    pelti_clock_lap(&start, &t->counters.ms[TRACKING_STAGE_PROJECT]);
    pelti_tracking_target_rotations(t, to);
    pelti_tracking_right_hand_side(t, to);
    pelti_tracking_choose_awake(t, &t->solver, &t->awake);
    t->counters.relaxations += pelti_tracking_relax(t);
    pelti_clock_lap(&start, &t->counters.ms[TRACKING_STAGE_RELAX]);
    pelti_tracking_project(t, (TrackingLooks){.steps = LAST_LOOKS, .enough = LAST_ENOUGH, .rescue = true});
    pelti_clock_lap(&start, &t->counters.ms[TRACKING_STAGE_PROJECT]);
    pelti_tracking_put_to_rest(t, &t->awake);
    pelti_tracking_remember(t);
    pelti_clock_lap(&start, &t->counters.ms[TRACKING_STAGE_RELAX]);
    t->counters.virtual_frames++;
}

/// The n-th smallest of `count` values; reorders them.
static float nth(float *a, int count, int n)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float pivot = a[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                float swap = a[i];
                a[i++] = a[j];
                a[j--] = swap;
            }
        }
        if (n <= j)
            high = j;
        else if (n >= i)
            low = i;
        else
            break;
    }
    return a[n];
}

static void measure_residual(Tracking *t)
{
    int count = 0;
    float most = 0;
    for (int v = 0; v < t->mesh->vertex_count; v++)
        if (t->skin.kind[v] == TRACKING_VERTEX_TRACKED && t->surface.other[v] < 0 && isfinite(t->surface.residual[v])) {
            t->show.sorted_scratch[count++] = fabsf(t->surface.residual[v]);
            most = fmaxf(most, fabsf(t->surface.residual[v]));
        }
    t->counters.residual_p99 = count ? (double)nth(t->show.sorted_scratch, count, (int)(0.99 * (count - 1))) : 0;
    t->counters.residual_max = (double)most;
}

static void start(Tracking *t)
{
    pelti_tracking_to_rest(t->mesh, &t->skin, &t->surface);
    pelti_tracking_forget_swelling(t->mesh, &t->swelling);
    pelti_tracking_forget_around(t, &t->stale);
    pelti_tracking_forget_awake(t->mesh, &t->awake);
    pelti_tracking_forget(t, &t->predict);
    pelti_tracking_bones_rest(t->who, t->bones.order, &t->bones.now);
    t->started = true;
}

static void report(const Tracking *t, PeltiStepReport *out)
{
    if (!out)
        return;
    out->told.substeps = t->counters.virtual_frames;
    pelti_step_stat(out, "virtual_frames", t->counters.virtual_frames, PELTI_MEAN);
    pelti_step_stat(out, "relaxations", t->counters.relaxations, PELTI_MEAN);
    pelti_step_stat(out, "evaluations", t->counters.evaluations, PELTI_MEAN);
    pelti_step_stat(out, "fields_ms", t->counters.ms[TRACKING_STAGE_FIELDS], PELTI_MEAN);
    pelti_step_stat(out, "project_ms", t->counters.ms[TRACKING_STAGE_PROJECT], PELTI_MEAN);
    pelti_step_stat(out, "relax_ms", t->counters.ms[TRACKING_STAGE_RELAX], PELTI_MEAN);
    pelti_step_stat(out, "smooth_ms", t->counters.ms[TRACKING_STAGE_SMOOTH], PELTI_MEAN);
    pelti_step_stat(out, "contact_vertices", t->counters.contacts, PELTI_MOST);
    pelti_step_stat(out, "iso_residual_p99", t->counters.residual_p99, PELTI_MOST);
    pelti_step_stat(out, "iso_residual_max", t->counters.residual_max, PELTI_MOST);
    pelti_step_stat(out, "parts", t->fields->part_count, PELTI_LAST);
    pelti_step_stat(out, "field_mb", (double)t->fields->bytes / 1048576, PELTI_LAST);
}

static void step(void *state, const PeltiStepInput *in, Vec3 *vertices, PeltiStepReport *out)
{
    Tracking *t = state;
    t->counters = (TrackingCounters){0};
    bool restart = in->restart || !t->started;
    if (restart)
        start(t);
    pelti_tracking_bones_from(t->who, t->bones.order, in, restart ? NULL : &t->bones.now, &t->bones.goal);
    float share;
    do {
        share =
            t->counters.virtual_frames < MOST_FRAMES ? pelti_tracking_share(t->who, &t->set, &t->bones.now, &t->bones.goal) : 1;
        pelti_tracking_bones_blend(t->who, t->bones.order, &t->bones.now, &t->bones.goal, share, &t->bones.next);
        virtual_frame(t, &t->bones.next);
        pelti_tracking_bones_copy(t->who->bone_count, &t->bones.next, &t->bones.now);
    } while (share < 1);
    double start_ms = pelti_clock_ms();
    measure_residual(t);
    t->counters.contacts = pelti_tracking_smooth_contacts(t, &t->show);
    pelti_clock_lap(&start_ms, &t->counters.ms[TRACKING_STAGE_SMOOTH]);
    memcpy(vertices, t->show.shown, sizeof(Vec3) * (size_t)t->mesh->vertex_count);
    report(t, out);
}

static float section_value(const void *state, Vec3 x)
{
    return pelti_section_value(&((const Tracking *)state)->frame, x);
}

static float section_contact(const void *state, Vec3 x)
{
    return pelti_section_contact(&((const Tracking *)state)->frame, x);
}

static void draw(const void *state, const char *what, PeltiMethodDraw *to)
{
    if (strcmp(what, "section") || !to->field)
        return;
    to->field(to->user, "field", section_value, state, 0.5f);
    if (to->contact)
        to->contact(to->user, section_contact);
}

const PeltiMethod pelti_method_tracking = {
    .name = "tracking",
    .rig_parts = PELTI_METHOD_RIG_JOINTS | PELTI_METHOD_RIG_MUSCLES | PELTI_METHOD_RIG_REGIONS,
    .summary = "skin tracks an implicit surface that folds, touches and slides; needs no weights",
    .reference =
        "Vaillant, Guennebaud, Barthe, Wyvill, Cani: Robust iso-surface tracking for interactive character skinning, 2014",
    .flags = PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_FLESH,
    .options = options,
    .prepare = pelti_tracking_prepare,
    .step = step,
    .destroy = pelti_tracking_destroy,
    .retune = pelti_tracking_retune,
    .keep = pelti_tracking_keep,
    .live = "solver|iterations|tolerance|virtual-frames|virtual-step|gap|target|blend|keep-volume|smooth",
    .draw = draw,
};
