/// include/pelt/skin.h: a method prepared for a character.
#include "bake/constants.def"
#include "bake/objects.h"
#include "core/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// LEAST_BODY_VERTICES: what the option body-vertices may say, no tuning; a body of fewer cannot fold
enum { SKIN_GUARD = 0x5e17a11, LEAST_BODY_VERTICES = 200 };
static const char BLENDING[] = "lbs";
static const char *const DEFAULT_METHODS[] = {"tracking", BLENDING}; // the first that exists

PeltSkinDef pelt_skin_def_default(void)
{
    return (PeltSkinDef){.method = pelt_method_default(), .guard = SKIN_GUARD};
}

// ---- methods for user interfaces ----

_Static_assert((int)PELT_OPTION_FLOAT == (int)PELTI_OPTION_FLOAT && (int)PELT_OPTION_INT == (int)PELTI_OPTION_INT &&
                   (int)PELT_OPTION_BOOL == (int)PELTI_OPTION_BOOL && (int)PELT_OPTION_CHOICE == (int)PELTI_OPTION_CHOICE &&
                   (int)PELT_OPTION_TEXT == (int)PELTI_OPTION_TEXT,
               "kinds of options are cast");

int pelt_method_count(void)
{
    int count = 0;
    while (pelti_methods[count])
        count++;
    return count;
}

const char *pelt_method_name(int method)
{
    return method >= 0 && method < pelt_method_count() ? pelti_methods[method]->name : NULL;
}

const char *pelt_method_summary(int method)
{
    return method >= 0 && method < pelt_method_count() ? pelti_methods[method]->summary : NULL;
}

int pelt_method_find(const char *name)
{
    for (int m = 0; pelti_methods[m]; m++)
        if (!strcmp(pelti_methods[m]->name, name))
            return m;
    return -1;
}

bool pelt_method_is_dynamic(int method)
{
    return method >= 0 && method < pelt_method_count() && (pelti_methods[method]->flags & PELTI_METHOD_DYNAMIC) != 0;
}

bool pelt_method_remembers(int method)
{
    const unsigned remembers =
        PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_DYNAMIC | PELTI_METHOD_FLESH; // flesh on a body leans on blending over time
    return method >= 0 && method < pelt_method_count() && (pelti_methods[method]->flags & remembers) != 0;
}

const char *pelt_method_default(void)
{
    return pelti_method_find(DEFAULT_METHODS[0]) ? DEFAULT_METHODS[0] : DEFAULT_METHODS[1];
}

int pelt_method_option_count(int method)
{
    PeltiOptions options;
    if (!pelt_method_name(method))
        return 0;
    pelti_options_init(&options, pelti_methods[method]->options);
    return options.count;
}

PeltOptionInfo pelt_method_option(int method, int option)
{
    PeltiOptions options;
    PELT_ASSERT(option >= 0 && option < pelt_method_option_count(method));
    pelti_options_init(&options, pelti_methods[method]->options);
    const PeltiOptionDef *info = options.values[option].info;
    bool common = false;
    for (const PeltiOptionDef *c = pelti_options_common; c->name; c++)
        common = common || c == info;
    return (PeltOptionInfo){.name = info->name,
                            .value = info->value,
                            .choices = info->choices,
                            .help = info->help,
                            .least = info->least,
                            .most = info->most,
                            .common = common,
                            .kind = (PeltOptionKind)info->kind,
                            .live = pelti_option_among(pelti_methods[method]->live, info->name)};
}

// ---- create ----

static PeltStatus find_method(PeltSkin *skin, const char *name, PeltError *err)
{
    skin->method = pelti_method_find(name ? name : pelt_method_default());
    if (skin->method)
        return PELT_OK;
    char known[160] = "";
    for (int m = 0; pelti_methods[m]; m++) {
        strncat(known, m ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, pelti_methods[m]->name, sizeof known - strlen(known) - 1);
    }
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no method '%s': there are %s", name, known);
}

static PeltStatus apply_settings(PeltSkin *skin, const PeltSkinDef *def, PeltError *err)
{
    pelti_options_init(&skin->options, skin->method->options);
    for (int i = 0; i < def->setting_count; i++) {
        if (pelti_io_rig_is_setting(def->settings[i]))
            continue; // pelti_skin_rig
        const char *equals = strchr(def->settings[i], '=');
        char key[80];
        size_t length = equals ? (size_t)(equals - def->settings[i]) : 0;
        if (!equals || length == 0 || length >= sizeof key)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "setting '%s' is not key=value", def->settings[i]);
        memcpy(key, def->settings[i], length);
        key[length] = 0;
        PELT_TRY(pelti_options_set(&skin->options, key, equals + 1, err));
    }
    return PELT_OK;
}

/// methods: whose weights? The file's where they pass the trial, automatic ones where they do not; or as asked.
static PeltStatus choose_weights(PeltSkin *skin, PeltError *err)
{
    const PeltiCharacter *who = skin->character->who;
    const char *wanted = pelti_option_text(&skin->options, "weights");
    if (!strcmp(wanted, "best")) {
        PeltiTrial trial;
        PELT_TRY(pelti_trial_best(who, &skin->pool, skin->jobs, &skin->log, &trial, err));
        skin->weights.vertices = trial.weights;
        skin->weights.source = trial.source;
        if (!strcmp(trial.source, "file"))
            skin->weights.points = who->file_weights;
        return PELT_OK;
    }
    if (!strcmp(wanted, "file") && who->file_weights.influences == 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "weights=file: the file has no weights; use weights=auto");
    skin->weights.source = !strcmp(wanted, "file") ? "file" : !strcmp(wanted, "auto") ? "auto" : "rigid";
    if (!strcmp(wanted, "file")) {
        skin->weights.points = who->file_weights;
        return pelti_weights_from_file(who, &skin->pool, &skin->weights.vertices, err);
    }
    if (!strcmp(wanted, "rigid"))
        return pelti_weights_rigid(who, &skin->pool, &skin->weights.vertices, err);
    return pelti_body_automatic(who, &skin->pool, skin->jobs, &skin->log, &skin->weights.vertices, err);
}

/// Pieces that the rig calls rigid move with one bone by every method.
static PeltStatus bind_pieces(PeltSkin *skin, PeltError *err)
{
    bool changed;
    PELT_TRY(
        pelti_pieces_bind(skin->character->who, skin->added.artist.rig, &skin->pool, &skin->weights.vertices, &changed, err));
    if (changed)
        skin->weights.points = (PeltiWeights){0};
    return PELT_OK;
}

/// Flesh is solved on the body: the file's own mesh where that is a closed, even skin, else one made from it.
static PeltStatus choose_body(PeltSkin *skin, PeltError *err)
{
    skin->solved.who = skin->character->who;
    skin->solved.weights = skin->weights.vertices;
    if (!(skin->method->flags & PELTI_METHOD_FLESH))
        return PELT_OK;
    const PeltiOptions *options = &skin->options;
    PeltiBodyDef def = {.who = skin->solved.who,
                        .weights = &skin->weights.vertices,
                        .allocator = &skin->pool.allocator,
                        .jobs = skin->jobs,
                        .log = &skin->log,
                        .vertices = pelti_option_int(options, "body-vertices"),
                        .dear = skin->method->dear_vertices && !pelti_option_is(options, "quality", "final"),
                        .coarse = skin->method->coarse_preview && pelti_option_is(options, "quality", "preview"),
                        .rig = skin->added.artist.rig,
                        .mode = pelti_option_is(options, "body", "file")    ? PELTI_BODY_FILE
                                : pelti_option_is(options, "body", "proxy") ? PELTI_BODY_PROXY
                                                                            : PELTI_BODY_AUTO};
    if (def.vertices > 0 && def.vertices < LEAST_BODY_VERTICES)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "option body-vertices: %d is outside %d to 200000", def.vertices,
                         LEAST_BODY_VERTICES);
    PELT_TRY(pelti_body_create(&def, &skin->solved.body, err));
    if (!skin->solved.body)
        return PELT_OK;
    skin->solved.who = pelti_body_character(skin->solved.body);
    if (!skin->solved.who)
        return PELT_OK;
    skin->weights.points = (PeltiWeights){0};
    if (!strcmp(skin->weights.source, "auto"))
        return pelti_weights_automatic(skin->solved.who, &skin->pool, skin->jobs, &skin->log, &skin->solved.weights, err);
    skin->solved.weights = skin->solved.who->file_weights;
    return PELT_OK;
}

/// Vertices are what stages hand on; points are what is shown. A method that follows the file's weights writes points at once,
/// and so is blended what has nothing that bends: to the last bit as by lbs, since parts that touch cross by a bit.
static PeltStatus take_shape(PeltSkin *skin, PeltError *err)
{
    skin->shown.by_point =
        ((skin->method->flags & PELTI_METHOD_BY_POINT) || !skin->solved.who) && skin->weights.points.influences > 0;
    int vertices = skin->character->who->mesh->vertex_count;
    if (skin->solved.who)
        skin->shown.shape =
            skin->shown.by_point ? skin->shown.points : PELTI_NEW(&skin->pool, Vec3, skin->solved.who->mesh->vertex_count);
    skin->shown.vertices = skin->solved.body || skin->shown.by_point ? PELTI_NEW(&skin->pool, Vec3, vertices) : skin->shown.shape;
    return skin->pool.failed ? pelti_no_memory(err, (size_t)vertices * sizeof(Vec3)) : PELT_OK;
}

/// Solved on a body made of pieces, which may lie in each other at rest: not on one closed skin, the file's own or a coarser one.
static bool has_pieces(const PeltSkin *skin)
{
    return skin->solved.body && !pelti_body_of_one_skin(skin->solved.body);
}

/// The last word on the skin that the method makes: what is shown, or the body that carries it.
static PeltStatus prepare_touch_of_method(PeltSkin *skin, PeltError *err)
{
    PeltiTouchDef def = {.who = skin->solved.who,
                         .weights = &skin->solved.weights,
                         .allocator = &skin->pool.allocator,
                         .jobs = skin->jobs,
                         .log = &skin->log};
    if (skin->method->held && !(skin->mends.held_scratch = PELTI_NEW(&skin->pool, Vec3, skin->solved.who->mesh->vertex_count)))
        return pelti_no_memory(err, (size_t)skin->solved.who->mesh->vertex_count * sizeof(Vec3));
    return pelti_touch_create(&def, skin->solved.body ? &skin->mends.body_touch : &skin->mends.touch, err);
}

/// Methods whose flesh touches show no skin that passes through skin, where the file's own crosses nothing at rest. A body of
/// one fine skin does not either; one of pieces does, unless it is asked for.
static PeltStatus prepare_touch(PeltSkin *skin, PeltError *err)
{
    unsigned flesh = PELTI_METHOD_FLESH | PELTI_METHOD_KEEPS_STATE;
    if ((skin->method->flags & flesh) != flesh || pelti_option_is(&skin->options, "touch", "off"))
        return PELT_OK;
    if (!has_pieces(skin) || pelti_option_is(&skin->options, "touch", "on"))
        PELT_TRY(prepare_touch_of_method(skin, err));
    if (!skin->solved.body || !skin->character->who->mesh->closed)
        return PELT_OK;
    PeltiTouchDef def = {.who = skin->character->who,
                         .weights = &skin->weights.vertices,
                         .allocator = &skin->pool.allocator,
                         .jobs = skin->jobs,
                         .only_clean = true};
    return pelti_touch_create(&def, &skin->mends.touch, err);
}

/// Flesh that swings takes its time; what follows a pose without inertia has arrived within half a second.
static PeltStatus prepare_calm(PeltSkin *skin, PeltError *err)
{
    bool dynamic = skin->method->flags & PELTI_METHOD_DYNAMIC;
    if (!(skin->method->flags & PELTI_METHOD_KEEPS_STATE) || skin->shown.by_point)
        return PELT_OK;
    return pelti_calm_create(skin->character->who, &skin->weights.vertices, dynamic ? HELD_SWINGING_S : HELD_S, &skin->pool,
                             &skin->mends.calm, err);
}

/// Parts of the file's own skin, which is what is shown and compared, whatever the method sees.
static PeltStatus prepare_give_way(PeltSkin *skin, PeltError *err)
{
    bool on = pelti_option_is(&skin->options, "give-way", "on");
    bool presses = (skin->method->flags & (PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_DYNAMIC)) != 0; // its flesh dents
    // lbs and dqs are the plain blends that others are compared with, and a frame of implicit depends on no other
    if (pelti_option_is(&skin->options, "give-way", "off") || (!on && !presses))
        return PELT_OK;
    PeltiGiveWaySettings settings = {.crush =
                                         on || has_pieces(skin) ? 0 : FLESH_DENTS, // clothes and armour on a body do not dent
                                     .friction = SKIN_FRICTION,
                                     .most_moved = has_pieces(skin) ? PIECES_MOVED : 0,
                                     .weigh = has_pieces(skin),
                                     .rig = skin->added.artist.rig};
    PeltiGiveWayDef def = {
        .who = skin->character->who, .weights = &skin->weights.vertices, .settings = settings, .jobs = skin->jobs};
    return pelti_give_way_create(&def, &skin->pool.allocator, &skin->mends.give_way, err);
}

/// What is shown rides on the body, and is looked at once more: beside blending, and where it passes through itself.
static PeltStatus prepare_last_looks(PeltSkin *skin, PeltError *err)
{
    const PeltiCharacter *who = skin->character->who;
    const PeltiPieces *pieces = pelti_body_pieces(skin->solved.body);
    PeltiCrossings *crossings;
    PeltiCrossingsDef def = {who->mesh, &skin->weights.vertices, pieces};
    PELT_TRY(pelti_crossings_create(&def, &skin->pool, skin->jobs, &crossings, err));
    PeltiLeanDef lean = {who, &skin->weights.vertices, pieces, crossings};
    PELT_TRY(pelti_lean_create(&lean, &skin->pool, &skin->mends.lean, err));
    return pelti_parted_create(&lean, skin->mends.lean, &skin->pool, &skin->mends.parted, err);
}

/// A method whose skin swings on longer than usual is not brought to rest with its pose.
static void note_swinging(PeltSkin *skin)
{
    skin->mends.swings_on = skin->method->swings_on && skin->method->swings_on(&skin->options);
}

static PeltStatus prepare(PeltSkin *skin, const PeltSkinDef *def, PeltError *err)
{
    const PeltiCharacter *who = skin->character->who;
    PELT_TRY(find_method(skin, def->method, err));
    PELT_TRY(apply_settings(skin, def, err));
    note_swinging(skin);
    PELT_TRY(pelti_skin_rig(skin, def, err));
    skin->jobs = pelti_jobs_create(def->threads);
    skin->posed.node_matrix_scratch = PELTI_NEW(&skin->pool, PeltiNodeMatrix, who->node_count);
    skin->posed.bones = PELTI_NEW(&skin->pool, Mat34, who->bone_count);
    skin->posed.asked = PELTI_NEW(&skin->pool, Mat34, who->bone_count);
    skin->posed.joints = PELTI_NEW(&skin->pool, PeltiJoint, who->bone_count);
    skin->shown.points = PELTI_NEW(&skin->pool, Vec3, who->point_count);
    skin->handed.normals = PELTI_NEW(&skin->pool, Vec3, who->point_count);
    skin->handed.output = pelti_bake_host_from_own(skin->character);
    if (skin->character->unit_m > 0 && (skin->character->z_up || skin->character->unit_m != 1))
        skin->handed.points = PELTI_NEW(&skin->pool, Vec3, who->point_count);
    if (skin->pool.failed || !skin->jobs)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    PELT_TRY(pelti_normals_create(&skin->handed.normal_maker, who, &skin->pool, err));
    PELT_TRY(pelti_targets_create(&skin->added.targets, who, &skin->pool, err));
    PELT_TRY(choose_weights(skin, err));
    PELT_TRY(bind_pieces(skin, err));
    PELT_TRY(choose_body(skin, err));
    PELT_TRY(take_shape(skin, err));
    if (has_pieces(skin) && !skin->shown.by_point) // on the papers' kind of mesh the methods know their way
        PELT_TRY(prepare_last_looks(skin, err));
    if (has_pieces(skin) && skin->solved.who)
        PELT_TRY(pelti_limit_create(skin->solved.who, &skin->solved.weights, &skin->pool, skin->jobs, &skin->mends.limit, err));
    PeltiMethodPrepare in = {
        .who = skin->solved.who ? skin->solved.who : who,
        .options = &skin->options,
        .weights = &skin->solved.weights,
        .made_body = has_pieces(skin),
        .point_weights = skin->shown.by_point ? &skin->weights.points : NULL,
        .artist = skin->added.artist,
        .allocator = &skin->pool.allocator,
        .jobs = skin->jobs,
        .log = &skin->log,
        .progress = {def->progress, def->progress_user},
    };
    PELT_TRY(pelti_skin_rig_on_body(skin, &in.artist.rig, err));
    if (!skin->solved.who && skin->shown.by_point)
        PELT_TRY(pelti_method_find(BLENDING)->prepare(&in, &skin->blending, err));
    if (!skin->solved.who)
        return prepare_give_way(skin, err); // nothing bends: every piece follows its bone
    PELT_TRY(skin->method->prepare(&in, &skin->state, err));
    PELT_TRY(prepare_touch(skin, err));
    PELT_TRY(prepare_calm(skin, err));
    return prepare_give_way(skin, err);
}

PeltStatus pelt_skin_create(const PeltSkinDef *def, const PeltCharacter *who, PeltSkin **out, PeltError *err)
{
    PELT_ASSERT(def->guard == SKIN_GUARD); // start from pelt_skin_def_default
    *out = NULL;
    double start_ms = pelti_clock_ms();
    PeltSkin *skin = pelti_alloc(&def->allocator, sizeof *skin);
    if (!skin)
        return pelti_no_memory(err, sizeof *skin);
    memset(skin, 0, sizeof *skin);
    skin->character = who;
    skin->clock.restart = true;
    pelti_pool_init(&skin->pool, &def->allocator);
    pelti_log_init(&skin->log, &def->allocator);
    pelti_anchors_init(&skin->added.anchors, who->who, &def->allocator);
    PeltStatus status = prepare(skin, def, err);
    if (status != PELT_OK) {
        pelt_skin_destroy(skin);
        return status;
    }
    skin->prepare_ms = pelti_clock_ms() - start_ms;
    *out = skin;
    return PELT_OK;
}

void pelt_skin_destroy(PeltSkin *skin)
{
    if (!skin)
        return;
    if (skin->method && skin->state)
        skin->method->destroy(skin->state);
    if (skin->blending)
        pelti_method_find(BLENDING)->destroy(skin->blending);
    pelti_anchors_release(&skin->added.anchors);
    pelti_touch_destroy(skin->mends.touch);
    pelti_touch_destroy(skin->mends.body_touch);
    pelti_give_way_destroy(skin->mends.give_way);
    pelti_jobs_destroy(skin->jobs);
    pelti_body_destroy(skin->solved.body);
    pelti_io_rig_destroy(skin->added.loaded_rig);
    PeltAllocator allocator = skin->pool.allocator;
    pelti_log_release(&skin->log);
    pelti_pool_release(&skin->pool);
    pelti_free(&allocator, skin, sizeof *skin);
}

double pelt_skin_prepare_ms(const PeltSkin *skin)
{
    return skin->prepare_ms;
}

// ---- options between two steps ----

PeltStatus pelt_skin_set(PeltSkin *skin, const char *key, const char *value, PeltError *err)
{
    const char *now = pelt_skin_get(skin, key);
    if (now && !pelti_option_among(skin->method->live, key))
        return PELT_FAIL(err, PELT_UNSUPPORTED, "option %s of %s is read while preparing: make a new skin with %s=%s", key,
                         skin->method->name, key, value);
    PeltStatus status = pelti_options_set(&skin->options, key, value, err);
    if (status == PELT_OK && skin->state)
        skin->method->retune(skin->state, &skin->options);
    note_swinging(skin);
    return status;
}

const char *pelt_skin_get(const PeltSkin *skin, const char *key)
{
    for (int i = 0; i < skin->options.count; i++)
        if (!strcmp(skin->options.values[i].info->name, key))
            return skin->options.values[i].text;
    return NULL;
}

// ---- step ----

/// What is shown so far: vertices of the character, or its points.
typedef struct Shown {
    bool points;
    Vec3 *x;
} Shown;

static Shown shown_of(const PeltSkin *skin)
{
    return (Shown){skin->shown.by_point, skin->shown.by_point ? skin->shown.points : skin->shown.vertices};
}

/// Morph targets play on top of what the method made of the rest points: exactly so by lbs and dqs, whose blend at a point
/// is linear in its rest position; the others' skin carries them as it turns.
static void add_targets(PeltSkin *skin, const PeltiPose *pose, Shown shown)
{
    bool file = skin->weights.points.influences > 0;
    PeltiTargetCarry carry = {.pose = pose,
                              .bones = skin->posed.bones,
                              .weights = file ? &skin->weights.points : &skin->weights.vertices,
                              .row = file ? NULL : skin->character->who->mesh->weld,
                              .linear = (skin->method->flags & PELTI_METHOD_LINEAR_IN_REST) != 0,
                              .by_vertex = !shown.points};
    pelti_targets_carry(&skin->added.targets, &carry, shown.x);
}

/// The one function that looks for numbers that are none: such a vertex follows its strongest bone and is counted, and the method
/// starts anew with the next step.
static void catch_nonfinite(PeltSkin *skin, const PeltiCharacter *who, const PeltiWeights *weights, Shown shown,
                            PeltiStepReport *report)
{
    int count = shown.points ? who->point_count : who->mesh->vertex_count;
    for (int i = 0; i < count; i++) {
        if (vec3_finite(shown.x[i]))
            continue;
        int v = shown.points ? who->mesh->weld[i] : i, bone = weights->bone[(size_t)v * (size_t)weights->influences];
        Vec3 rest = shown.points ? who->rest_points[i] : who->mesh->rest[v], rigid = mat34_apply(skin->posed.bones[bone], rest);
        shown.x[i] = vec3_finite(rigid) ? rigid : rest;
        report->told.nonfinite++;
    }
}

/// Nothing else is shown: asked of the skin as it is before what compares it with others, and again after that, whatever of it
/// there is. So the last to touch what is shown is always this.
static void catch_in_shown(PeltSkin *skin, PeltiStepReport *report)
{
    int before = report->told.nonfinite;
    catch_nonfinite(skin, skin->character->who, &skin->weights.vertices, shown_of(skin), report);
    if (skin->shown.by_point && report->told.nonfinite > before)
        skin->shown.vertices_fresh = false; // they were those of the points before
}

static void tell_touch(const PeltSkin *skin, const PeltiTouchReport *touch, double ms, PeltiStepReport *report)
{
    pelti_step_stat(report, "touch_ms", ms, PELTI_MEAN);
    pelti_step_stat(report, "touch_substeps", touch->substeps, PELTI_MOST);
    pelti_step_stat(report, "touch_rounds", touch->rounds, PELTI_MOST);
    pelti_step_stat(report, "touch_contacts", touch->contacts, PELTI_MOST);
    pelti_step_stat(report, "touch_held", touch->held, PELTI_MOST);
    pelti_step_stat(report, "touch_lag", (double)touch->lag / fmax((double)skin->solved.who->mesh->diagonal, 1e-30), PELTI_MOST);
    pelti_step_stat(report, "touch_behind_frames", touch->behind > 0, PELTI_SUM);
    pelti_step_stat(report, "touch_behind_longest", touch->behind, PELTI_MOST);
    pelti_step_stat(report, "touch_frozen", touch->frozen, PELTI_SUM);
    pelti_step_stat(report, "touch_spent", touch->spent, PELTI_SUM);
    pelti_step_stat(report, "touch_led_anew", touch->led_anew, PELTI_SUM);
    pelti_step_stat(report, "touch_crossed", touch->crossed, PELTI_MOST);
}

/// On the skin that the method made, which hears of what was held back: it has `held`.
static void last_word_on_shape(PeltSkin *skin, PeltiTouch *touch, PeltiTouchPose pose, PeltiTouchReport *told)
{
    int count = skin->mends.held_scratch ? skin->solved.who->mesh->vertex_count : 0;
    for (int v = 0; v < count; v++)
        skin->mends.held_scratch[v] = skin->shown.shape[v];
    pelti_touch_step(touch, pose, skin->shown.shape, told);
    for (int v = 0; v < count; v++)
        skin->mends.held_scratch[v] = vec3_sub(skin->shown.shape[v], skin->mends.held_scratch[v]);
    if (told->held > 0 && skin->mends.held_scratch)
        skin->method->held(skin->state, skin->mends.held_scratch);
}

// ---- among objects ----

Vec3 *pelti_skin_vertices(PeltSkin *skin)
{
    const PeltiMesh *mesh = skin->character->who->mesh;
    for (int v = 0; v < mesh->vertex_count && !skin->shown.vertices_fresh; v++)
        skin->shown.vertices[v] = skin->shown.points[mesh->first_point[v]];
    skin->shown.vertices_fresh = true;
    return skin->shown.vertices;
}

/// Moves what is shown out of objects; returns how far, share of the size.
static double push_out(PeltSkin *skin, PeltiSkinAmong *among)
{
    const PeltiMesh *mesh = skin->character->who->mesh;
    Vec3 *shown = pelti_skin_vertices(skin);
    double start_ms = pelti_clock_ms(), most = pelti_corrector_push_out(among->corrector, among->character, shown);
    for (int p = mesh->point_count - 1; p >= 0 && most > 0 && skin->shown.by_point; p--) { // a vertex' first point is the lowest
        Vec3 by = vec3_sub(shown[mesh->weld[p]], skin->shown.points[mesh->first_point[mesh->weld[p]]]);
        skin->shown.points[p] = vec3_add(skin->shown.points[p], by);
    }
    among->ms += pelti_clock_ms() - start_ms;
    return most / (double)mesh->diagonal;
}

/// What the method made, before the last word: that goes towards skin which is in no object.
static void meet_objects(PeltSkin *skin, PeltiSkinAmong *among)
{
    double start_ms = pelti_clock_ms();
    among->pushed = among->ms = 0;
    pelti_corrector_shown(among->corrector, among->character, pelti_skin_vertices(skin),
                          (skin->method->flags & PELTI_METHOD_DYNAMIC) != 0);
    among->ms += pelti_clock_ms() - start_ms;
    among->pushed = push_out(skin, among);
}

/// What stayed behind may be inside an object. It is pushed out and the last word asked again; in the end no object has any skin
/// in it, whatever crosses for that.
static void stay_outside(PeltSkin *skin, PeltiSkinAmong *among, PeltiTouchPose pose, PeltiTouchReport *told)
{
    double left = push_out(skin, among);
    bool goes = true;
    for (int i = 0; left > OUTSIDE_ENOUGH && goes && i < OUTSIDE_TRIES; i++) {
        goes = pelti_touch_push(skin->mends.touch, pose, skin->shown.vertices, told);
        left = push_out(skin, among);
    }
    if (left > 0)
        told->crossed = pelti_touch_crossings(skin->mends.touch, skin->shown.vertices);
}

/// On the body, or on what is shown. Where there is a word on both, the report tells of the latter.
static void last_word(PeltSkin *skin, bool body, PeltiSkinAmong *among, PeltiStepReport *report)
{
    PeltiTouchReport told;
    bool alone = skin->added.targets.count == 0 && skin->added.anchors.list.count == 0; // nothing is added to the method's skin
    float hold = skin->mends.calm && alone ? 1 - skin->mends.calm->share : 0;
    PeltiTouchPose pose = {skin->posed.bones, skin->posed.joints, skin->clock.restart, hold};
    double start_ms = pelti_clock_ms();
    if (body || !skin->solved.body)
        last_word_on_shape(skin, body ? skin->mends.body_touch : skin->mends.touch, pose, &told);
    else
        pelti_touch_step(skin->mends.touch, pose, skin->shown.vertices, &told);
    if (among && !body)
        stay_outside(skin, among, pose, &told);
    double ms = pelti_clock_ms() - start_ms;
    if (body && skin->mends.touch)
        pelti_step_stat(report, "touch_body_ms", ms, PELTI_MEAN);
    else
        tell_touch(skin, &told, ms, report);
}

const PeltiPose *pelti_skin_give_way(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report)
{
    PeltiGiveWayReport gave;
    if (!skin->mends.give_way)
        return pose;
    double start_ms = pelti_clock_ms();
    if (skin->mends.lean)
        pelti_pose_bones(skin->character->who, pose, skin->posed.node_matrix_scratch, skin->posed.asked);
    pose = pelti_give_way_step(skin->mends.give_way, pose, (double)dt_s, skin->clock.restart, &gave);
    pelti_step_stat(report, "give_way_deg", gave.most_turn * 57.29578, PELTI_MOST);
    pelti_step_stat(report, "give_way_contacts", gave.active, PELTI_MOST);
    pelti_step_stat(report, "give_way_left", gave.depth, PELTI_MOST);
    pelti_step_stat(report, "give_way_substeps", gave.substeps, PELTI_MEAN);
    pelti_step_stat(report, "give_way_rounds", gave.rounds, PELTI_MEAN);
    pelti_step_stat(report, "give_way_sweeps", gave.sweeps, PELTI_MEAN);
    pelti_step_stat(report, "give_way_watched", gave.contacts, PELTI_MEAN);
    pelti_step_stat(report, "give_way_ms", pelti_clock_ms() - start_ms, PELTI_MEAN);
    pelti_step_stat(report, "give_way_most_ms", pelti_clock_ms() - start_ms, PELTI_MOST);
    return pose;
}

void pelti_skin_step(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms)
{
    double start_ms = pelti_clock_ms(), posed_ms;
    pose = pelti_skin_give_way(skin, pose, dt_s, report);
    pelti_skin_step_posed(skin, pose, dt_s, report, &posed_ms);
    *ms = pelti_clock_ms() - start_ms;
}

// ---- the stages of a step ----

/// Bones and joints of the pose; time goes on.
static PeltiStepInput take_pose(PeltSkin *skin, const PeltiPose *pose, float dt_s)
{
    PeltiSkinPosed *posed = &skin->posed;
    pelti_pose_bones(skin->character->who, pose, posed->node_matrix_scratch, posed->bones);
    pelti_joints_pose(skin->character->who, pose, posed->joints);
    if (skin->clock.stepped)
        skin->clock.time_s += (double)dt_s;
    skin->clock.stepped = true;
    return (PeltiStepInput){.pose = pose,
                            .bones = posed->bones,
                            .joints = posed->joints,
                            .dt_s = dt_s,
                            .time_s = skin->clock.time_s,
                            .restart = skin->clock.restart};
}

/// The shape of what is solved on, or a blend where nothing bends.
static void run_method(PeltSkin *skin, const PeltiStepInput *in, PeltiStepReport *report)
{
    if (skin->blending)
        pelti_method_find(BLENDING)->step(skin->blending, in, skin->shown.points, report);
    if (!skin->solved.who)
        return;
    skin->method->step(skin->state, in, skin->shown.shape, report);
    catch_nonfinite(skin, skin->solved.who, &skin->solved.weights, (Shown){skin->shown.by_point, skin->shown.shape}, report);
    if (skin->mends.limit)
        pelti_step_stat(report, "held_back",
                        pelti_limit_apply(skin->mends.limit, skin->posed.bones, skin->jobs, skin->shown.shape), PELTI_MOST);
}

/// The file's vertices ride on the body that was solved.
static void carry_along(PeltSkin *skin, PeltiStepReport *report)
{
    if (skin->mends.body_touch)
        last_word(skin, true, NULL, report);
    if (skin->solved.body && skin->clock.restart)
        pelti_body_restart(skin->solved.body);
    if (skin->solved.body && !skin->blending)
        pelti_body_carry(skin->solved.body, skin->shown.shape, skin->posed.bones, skin->jobs, skin->shown.vertices);
}

/// Where pieces tear or pass through each other, and where a pose that is held does not come to rest.
static void mend(PeltSkin *skin, bool among, const PeltiStepInput *in, PeltiStepReport *report)
{
    const PeltiSkinMends *mends = &skin->mends;
    Vec3 *vertices = skin->shown.vertices;
    PeltiLeanStep lean = {in->bones, mends->give_way ? skin->posed.asked : NULL, in->restart};
    if (mends->lean)
        pelti_step_stat(report, "leaning", pelti_lean_apply(mends->lean, &lean, skin->jobs, vertices), PELTI_MOST);
    if (mends->parted)
        pelti_step_stat(report, "parted", pelti_parted_apply(mends->parted, in->bones, in->restart, skin->jobs, vertices),
                        PELTI_MOST);
    PeltiCalmStep calm = {in->bones, in->dt_s, in->restart, among || mends->swings_on};
    if (mends->calm)
        pelti_calm_apply(mends->calm, &calm, vertices);
}

/// What comes on top of any method's skin: morph targets, then anchors.
static void add_to_shown(PeltSkin *skin, const PeltiStepInput *in)
{
    Shown shown = shown_of(skin);
    add_targets(skin, in->pose, shown);
    pelti_anchors_apply(&skin->added.anchors, in->bones, in->time_s, !shown.points, shown.x);
}

/// Objects, then the last word: both compare the skin with what is around it and with itself.
static void keep_apart(PeltSkin *skin, PeltiSkinAmong *among, PeltiStepReport *report)
{
    if (among)
        meet_objects(skin, among);
    if (skin->mends.touch) // morph targets have been added: what is shown is what must not cross
        last_word(skin, false, among, report);
}

void pelti_skin_step_among(PeltSkin *skin, PeltiSkinAmong *among, const PeltiPose *pose, float dt_s, PeltiStepReport *report,
                           double *ms)
{
    double start_ms = pelti_clock_ms();
    PeltiStepInput in = take_pose(skin, pose, dt_s);
    run_method(skin, &in, report);
    carry_along(skin, report);
    mend(skin, among, &in, report);
    add_to_shown(skin, &in);
    skin->shown.vertices_fresh = !skin->shown.by_point;
    catch_in_shown(skin, report);
    if (among || skin->mends.touch) {
        keep_apart(skin, among, report);
        catch_in_shown(skin, report);
    }
    if (!skin->shown.by_point)
        pelti_scatter(skin->character->who->mesh, skin->shown.vertices, skin->shown.points);
    *ms = pelti_clock_ms() - start_ms;
    skin->clock.restart = report->told.nonfinite > 0;
    skin->handed.normals_fresh = skin->handed.points_fresh = false;
}

void pelti_skin_step_posed(PeltSkin *skin, const PeltiPose *pose, float dt_s, PeltiStepReport *report, double *ms)
{
    pelti_skin_step_among(skin, NULL, pose, dt_s, report, ms);
}

void pelt_skin_step(PeltSkin *skin, const PeltPose *pose, float dt_s, PeltStepInfo *info)
{
    PELT_ASSERT(pose->character == skin->character);
    PeltiStepReport report = {0};
    pelti_skin_step(skin, &pose->pose, dt_s, &report, &report.told.ms);
    if (info)
        *info = report.told;
}

void pelt_skin_restart(PeltSkin *skin)
{
    skin->clock.restart = true;
}

int pelt_skin_warning_count(const PeltSkin *skin)
{
    return pelti_log_count(&skin->log);
}

const PeltWarning *pelt_skin_warning(const PeltSkin *skin, int index)
{
    return index >= 0 && index < pelti_log_count(&skin->log) ? pelti_log_get(&skin->log, index) : NULL;
}
