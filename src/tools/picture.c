/// Makes a scene from a skin: surfaces, colours, bones, floor, arrows.
#include "tools/picture.h"
#include "bake/around.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PeltStatus pick(const char *what, const char *text, const char *const *names, int *out, PeltError *err)
{
    char known[120] = "";
    for (int i = 0; names[i]; i++) {
        if (text && strcmp(text, names[i]) == 0) {
            *out = i;
            return PELT_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s '%s': there are %s", what, text ? text : "", known);
}

static PeltStatus read_def(PeltiPicture *picture, PeltError *err)
{
    static const char *const colours[] = {"clay", "stretch", "weights", "part", "contact", "distance", NULL};
    static const char *const backgrounds[] = {"light", "dark", "none", NULL};
    const PeltRenderDef *def = picture->def;
    int choice;
    PELT_TRY(pelti_image_check(def->width, def->height, err));
    PELT_TRY(pick("colour", def->colour, colours, &choice, err));
    picture->colouring = (PeltiPictureColouring)choice;
    PELT_TRY(pick("background", def->background, backgrounds, &choice, err));
    picture->background = (PeltiLookBackground)choice;
    PELT_TRY(pelti_view_parse(def->camera, &picture->view, err));
    if (picture->character->who->faces_back) // azimuth 0 is the front of the character
        picture->view.azimuth_deg += 180;
    picture->view.orthographic = def->orthographic != 0;
    if (def->samples < 0 || def->samples > 64)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d samples a pixel: goes from 1 to 64", def->samples);
    return PELT_OK;
}

/// The part of the picture the figure may fill: room for a title above and a legend at the right.
static void area_of(const PeltiPicture *picture, float area[4])
{
    const PeltRenderDef *def = picture->def;
    bool legend = picture->colouring != PELTI_COLOUR_CLAY;
    area[0] = -0.92f;
    area[1] = legend ? 1 - 0.36f * fminf((float)def->height / (float)def->width * 1.33f, 1.5f) : 0.92f;
    area[2] = -0.9f;
    area[3] = def->title ? 0.84f : 0.92f;
}

PeltStatus pelti_picture_create(const PeltRenderDef *def, const PeltCharacter *character, PeltiJobs *jobs, PeltiMeasure *measure,
                                PeltiPicture *out, PeltError *err)
{
    *out = (PeltiPicture){.def = def, .character = character, .jobs = jobs, .measure = measure, .owns_measure = !measure};
    pelti_pool_init(&out->pool, NULL);
    PELT_TRY(read_def(out, err));
    const PeltiMesh *mesh = character->who->mesh;
    float area[4];
    area_of(out, area);
    pelti_framing_begin(&out->framing, &out->view, def->width, def->height, area);
    out->low = vec3(INFINITY, INFINITY, INFINITY);
    out->high = vec3(-INFINITY, -INFINITY, -INFINITY);
    out->vertices = PELTI_NEW(&out->pool, Vec3, mesh->vertex_count);
    out->colours = PELTI_NEW(&out->pool, Vec3, mesh->vertex_count);
    out->values = PELTI_NEW(&out->pool, float, mesh->vertex_count);
    out->names = PELTI_NEW(&out->pool, const char *, character->who->bone_count);
    out->name_category = PELTI_NEW(&out->pool, int, character->who->bone_count);
    if (out->pool.failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof(Vec3));
    bool measures = out->colouring == PELTI_COLOUR_STRETCH || out->colouring == PELTI_COLOUR_CONTACT;
    if (measures && !measure)
        PELT_TRY(pelti_measure_create(character->who, jobs, NULL, &out->measure, err));
    return PELT_OK;
}

void pelti_picture_release(PeltiPicture *picture)
{
    if (picture->owns_measure)
        pelti_measure_destroy(picture->measure);
    pelti_pool_release(&picture->pool);
    *picture = (PeltiPicture){0};
}

/// Points that only the floor must be under.
static void show_floor(PeltiPicture *picture, const Vec3 *points)
{
    for (int i = 0; i < picture->character->who->point_count; i++)
        if (vec3_finite(points[i])) {
            picture->low = vec3_min(picture->low, points[i]);
            picture->high = vec3_max(picture->high, points[i]);
        }
}

void pelti_picture_show(PeltiPicture *picture, const Vec3 *points)
{
    show_floor(picture, points);
    pelti_framing_add(&picture->framing, picture->character->who->point_count, points);
}

// ---- who the camera follows ----

PeltStatus pelti_guide_create(PeltiGuide *guide, const PeltCharacter *character, bool shows_weights, int threads, PeltError *err)
{
    *guide = (PeltiGuide){0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "lbs";
    def.threads = threads;
    PeltiMeasuringBlends blends = {0};
    if (!shows_weights)
        PELT_TRY(pelti_measuring_blends_create(character, threads, NULL, &blends, err));
    guide->lbs = blends.lbs;
    guide->chosen = blends.chosen;
    guide->measured = blends.lbs != NULL;
    if (!guide->lbs)
        PELT_TRY(pelt_skin_create(&def, character, &guide->lbs, err));
    def.method = "dqs";
    PeltStatus status = pelt_skin_create(&def, character, &guide->dqs, err);
    if (status != PELT_OK)
        pelti_guide_release(guide);
    return status;
}

void pelti_guide_release(PeltiGuide *guide)
{
    pelt_skin_destroy(guide->lbs);
    pelt_skin_destroy(guide->dqs);
    pelt_skin_destroy(guide->chosen);
    *guide = (PeltiGuide){0};
}

void pelti_guide_step(PeltiGuide *guide, const PeltiPose *pose)
{
    double ms;
    pelti_skin_step(guide->lbs, pose, 0, &(PeltiStepReport){0}, &ms);
    if (guide->dqs)
        pelti_skin_step(guide->dqs, pose, 0, &(PeltiStepReport){0}, &ms);
    if (guide->chosen)
        pelti_skin_step(guide->chosen, pose, 0, &(PeltiStepReport){0}, &ms);
}

const char *pelti_guide_title(const PeltiGuide *guide)
{
    return guide->measured ? "from lbs, % of size" : "from lbs by made weights, %";
}

void pelti_guide_compare(const PeltiGuide *guide, PeltiPictureFrame *frame)
{
    frame->beside = guide->lbs->shown.points;
    frame->near = guide->chosen ? guide->chosen->shown.points : NULL;
    frame->distance_title = pelti_guide_title(guide);
}

void pelti_guide_show(const PeltiGuide *guide, PeltiPicture *picture, bool only_floor)
{
    const PeltSkin *skins[2] = {guide->lbs, guide->dqs};
    for (int i = 0; i < 2 && skins[i]; i++)
        if (only_floor)
            show_floor(picture, skins[i]->shown.points);
        else
            pelti_picture_show(picture, skins[i]->shown.points);
}

// ---- colours ----

static const PeltiWeights *weights_of(const PeltiPictureFrame *frame)
{
    return frame->skin ? &frame->skin->weights.vertices : NULL;
}

/// A bone's colour is its own number, so that it stays the same in every picture; the legend names those that own skin.
static void name_bones(PeltiPicture *picture, const PeltiWeights *weights)
{
    const PeltiCharacter *who = picture->character->who;
    picture->name_count = 0;
    for (int b = 0; b < who->bone_count; b++) {
        bool used = false;
        for (int v = 0; v < who->mesh->vertex_count && !used; v++)
            used = weights->bone[v * weights->influences] == b;
        if (!used)
            continue;
        picture->names[picture->name_count] = who->nodes[who->bones[b].node].name;
        picture->name_category[picture->name_count++] = b;
    }
}

static PeltStatus colour_by_bones(PeltiPicture *picture, const PeltiWeights *weights, PeltiRenderSceneMesh *mesh,
                                  PeltiDrawLegend *legend, PeltError *err)
{
    const PeltiCharacter *who = picture->character->who;
    if (!weights || !weights->influences)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "colour '%s' needs a method: a cache has no weights", picture->def->colour);
    name_bones(picture, weights);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        const int *bone = weights->bone + (size_t)v * (size_t)weights->influences;
        const float *weight = weights->weight + (size_t)v * (size_t)weights->influences;
        picture->values[v] = (float)bone[0];
        picture->colours[v] = vec3(0, 0, 0);
        for (int k = 0; k < weights->influences; k++)
            if (weight[k] > 0)
                picture->colours[v] =
                    vec3_mad(picture->colours[v], pelti_map_colour(PELTI_MAP_CATEGORIES, (float)bone[k]), weight[k]);
    }
    bool part = picture->colouring == PELTI_COLOUR_PART;
    mesh->values = part ? picture->values : NULL;
    mesh->colours = part ? NULL : picture->colours;
    mesh->map = PELTI_MAP_CATEGORIES;
    *legend = (PeltiDrawLegend){.title = part ? "part (strongest bone)" : "weights",
                                .map = PELTI_MAP_CATEGORIES,
                                .name_count = picture->name_count,
                                .names = picture->names,
                                .name_category = picture->name_category};
    return PELT_OK;
}

/// Depth inside other parts, and at least a touch on triangles that cross.
static void contact_values(PeltiPicture *picture, float high)
{
    const PeltiMesh *mesh = picture->character->who->mesh;
    const uint8_t *crossing = pelti_measure_crossing(picture->measure);
    memcpy(picture->values, pelti_measure_depth(picture->measure), sizeof(float) * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3 && crossing[t]; k++) {
            float *value = &picture->values[mesh->triangles[t][k]];
            *value = fmaxf(*value, (crossing[t] > 1 ? 0.35f : 0.15f) * high);
        }
}

static void distance_values(PeltiPicture *picture, const PeltiPictureFrame *frame)
{
    const PeltiMesh *mesh = picture->character->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        float far = pelti_measuring_flown(frame->points, frame->beside, frame->near, mesh->first_point[v]);
        picture->values[v] = 100 * far / fmaxf(mesh->diagonal, 1e-30f);
    }
}

static PeltStatus colour_mesh(PeltiPicture *picture, const PeltiPictureFrame *frame, PeltiRenderSceneMesh *mesh,
                              PeltiDrawLegend *legend, PeltError *err)
{
    switch (picture->colouring) {
    case PELTI_COLOUR_WEIGHTS:
    case PELTI_COLOUR_PART:
        return colour_by_bones(picture, weights_of(frame), mesh, legend, err);
    case PELTI_COLOUR_STRETCH:
        pelti_measuring_alone(picture->measure, (PeltiMeasureSkin){frame->points, picture->vertices}, NULL);
        *legend = (PeltiDrawLegend){.title = "edges / rest", .map = PELTI_MAP_DIVERGING, .low = 0, .high = 2};
        mesh->values = pelti_measure_stretch(picture->measure);
        break;
    case PELTI_COLOUR_CONTACT:
        pelti_measuring_alone(picture->measure, (PeltiMeasureSkin){frame->points, picture->vertices}, NULL);
        *legend = (PeltiDrawLegend){.title = "depth, % of size", .map = PELTI_MAP_HEAT, .low = 0, .high = 2};
        contact_values(picture, 0.02f);
        for (int v = 0; v < mesh->vertex_count; v++)
            picture->values[v] *= 100;
        mesh->values = picture->values;
        break;
    case PELTI_COLOUR_DISTANCE:
        if (!frame->beside)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "colour 'distance' needs a method: a cache does not say its pose");
        *legend = (PeltiDrawLegend){.title = frame->distance_title,
                                    .map = PELTI_MAP_HEAT,
                                    .low = 0,
                                    .high = frame->distance_most > 0 ? frame->distance_most : 5};
        distance_values(picture, frame);
        mesh->values = picture->values;
        break;
    case PELTI_COLOUR_CLAY:
        return PELT_OK;
    }
    mesh->map = legend->map;
    mesh->low = legend->low;
    mesh->high = legend->high;
    return PELT_OK;
}

// ---- what is inside ----

typedef struct Sink { ///< what a method draws, into a scene
    PeltiRenderScene *scene;
    bool arrows;
} Sink;

static void sink_line(void *user, Vec3 a, Vec3 b, float radius, Vec3 rgb)
{
    Sink *sink = user;
    if (sink->arrows)
        pelti_array_push(&sink->scene->arrows, &(PeltiRenderSceneArrow){a, b, radius, rgb});
    else
        pelti_array_push(&sink->scene->lines, &(PeltiRenderSceneLine){a, b, radius, rgb});
}

static void sink_point(void *user, Vec3 at, float radius, Vec3 rgb)
{
    pelti_array_push(&((Sink *)user)->scene->points, &(PeltiRenderScenePoint){at, radius, rgb});
}

static void sink_triangle(void *user, Vec3 a, Vec3 b, Vec3 c, Vec3 rgb)
{
    pelti_array_push(&((Sink *)user)->scene->triangles, &(PeltiRenderSceneTriangle){{a, b, c}, rgb});
}

static void sink_values(void *user, const char *name, int vertex_count, const float *values)
{
    (void)user, (void)name, (void)vertex_count, (void)values;
}

static void sink_field(void *user, const char *name, float (*value)(const void *state, Vec3 x), const void *state, float iso)
{
    (void)name;
    PeltiRenderScene *scene = ((Sink *)user)->scene;
    if (scene->slice_count)
        return;
    scene->slice_count = 1;
    scene->slice.value = value;
    scene->slice.state = state;
    scene->slice.iso = iso;
}

static void sink_contact(void *user, float (*side)(const void *state, Vec3 x))
{
    PeltiRenderScene *scene = ((Sink *)user)->scene;
    if (scene->slice_count)
        scene->slice.contact = side;
}

static void ask_method(PeltiRenderScene *scene, const PeltSkin *skin, const char *what, bool arrows)
{
    Sink sink = {scene, arrows};
    PeltiMethodDraw draw = {&sink, sink_line, sink_point, sink_triangle, sink_values, sink_field, sink_contact};
    if (skin && skin->method->draw)
        skin->method->draw(skin->state, what, &draw);
}

/// The body that carries the points, as wires over its own skin; nothing where the file's mesh is the body.
static void add_body(const PeltSkin *skin, PeltiRenderScene *scene)
{
    if (!skin->solved.body || !skin->solved.who)
        return;
    const PeltiMesh *mesh = skin->solved.who->mesh;
    float radius = 2.5e-4f * mesh->diagonal;
    Vec3 skin_colour = vec3(0.55f, 0.62f, 0.72f), wire = vec3(0.05f, 0.08f, 0.14f);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles[t];
        pelti_array_push(&scene->triangles,
                         &(PeltiRenderSceneTriangle){{skin->shown.shape[c[0]], skin->shown.shape[c[1]], skin->shown.shape[c[2]]},
                                                     skin_colour});
    }
    for (int e = 0; e < mesh->edge_count; e++)
        pelti_array_push(&scene->lines, &(PeltiRenderSceneLine){skin->shown.shape[mesh->edges[e][0]],
                                                                skin->shown.shape[mesh->edges[e][1]], radius, wire});
}

static void add_bones(const PeltiPicture *picture, const PeltSkin *skin, PeltiRenderScene *scene)
{
    const PeltiCharacter *who = picture->character->who;
    float size = who->mesh->diagonal;
    for (int s = 0; s < who->segment_count; s++) {
        const PeltiSkeletonSegment *segment = &who->segments[s];
        if (who->bones[segment->bone].is_prop)
            continue;
        const Mat34 *bone = &skin->posed.bones[segment->bone];
        Vec3 a = mat34_apply(*bone, segment->a), b = mat34_apply(*bone, segment->b);
        float length = vec3_distance(a, b);
        Vec3 colour = pelti_map_colour(PELTI_MAP_CATEGORIES, (float)segment->bone);
        pelti_array_push(&scene->lines, &(PeltiRenderSceneLine){a, b, fminf(0.0035f * size, 0.12f * length), colour});
        pelti_array_push(&scene->points, &(PeltiRenderScenePoint){a, fminf(0.006f * size, 0.2f * length), colour});
    }
}

/// The plane "z=0.1": through the middle of the figure, moved by a share of its size; the side towards the eye is cut away.
static PeltStatus place_section(const PeltiPicture *picture, PeltiRenderScene *scene, const PeltSkin *skin, PeltError *err)
{
    const char *text = picture->def->section;
    float size = picture->character->who->mesh->diagonal, offset = 0;
    char *end = NULL;
    bool good = text[0] >= 'x' && text[0] <= 'z' && (text[1] == 0 || text[1] == '=');
    if (good && text[1]) {
        offset = strtof(text + 2, &end);
        good = end != text + 2 && *end == 0 && isfinite(offset);
    }
    if (!good)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "section '%s': give x, y or z, with an offset if wanted: z=0.1", text);
    ask_method(scene, skin, "section", false);
    if (!scene->slice_count)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "method '%s' has no field to cut", skin ? skin->method->name : "cache");
    static const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int k = text[0] - 'x';
    Vec3 half = vec3_scale(vec3_sub(picture->high, picture->low), 0.5f), middle = vec3_add(picture->low, half);
    float reach = 0.06f * size;
    Vec3 right = axes[(k + 1) % 3], up = axes[(k + 2) % 3];
    scene->slice.centre = vec3_mad(middle, axes[k], offset * size);
    if (vec3_dot(axes[k], picture->framing.forward) > 0)
        right = vec3_scale(right, -1);
    scene->slice.right = vec3_scale(right, fabsf(vec3_dot(half, right)) + reach);
    scene->slice.up = vec3_scale(up, vec3_dot(half, up) + reach);
    return PELT_OK;
}

/// Meshes around, beside the character's (the first of `meshes`), and its forces as arrows: the largest a third of the size.
static void add_around(const PeltiPicture *picture, const PeltiPictureFrame *frame, PeltiRenderScene *scene,
                       PeltiRenderSceneMesh *meshes)
{
    int count;
    const PeltiOutputObject *objects = pelti_around_objects(frame->around, &count);
    for (int i = 0; i < count; i++) {
        PeltiAroundSurface s = pelti_around_surface(frame->around, i);
        if (strcmp(s.name, "ground") == 0)
            continue; // the floor of the picture
        meshes[scene->mesh_count++] = (PeltiRenderSceneMesh){.vertex_count = s.vertex_count,
                                                             .triangle_count = s.triangle_count,
                                                             .positions = s.x,
                                                             .triangles = s.triangles,
                                                             .colour = vec3(s.colour[0], s.colour[1], s.colour[2]),
                                                             .flat = !objects[i].normals && !objects[i].soft};
    }
    if (!picture->def->forces)
        return;
    const PeltiAroundContacts *contacts = pelti_around_frame(frame->around, frame->around_frame);
    const PeltiContactPoint *points = pelti_around_points(frame->around) + contacts->first;
    float most = 1e-30f, size = picture->character->who->mesh->diagonal;
    for (int i = 0; i < contacts->count; i++)
        most = fmaxf(most, vec3_length(points[i].force));
    for (int i = 0; i < contacts->count; i++) {
        Vec3 to = vec3_mad(points[i].point, points[i].force, size / (3 * most));
        pelti_array_push(&scene->arrows, &(PeltiRenderSceneArrow){points[i].point, to, 0.003f * size, vec3(0.8f, 0.1f, 0.05f)});
    }
}

/// Where parts of the body push each other, as arrows on both: the largest a tenth of the size.
static void add_give_way(const PeltiPicture *picture, const PeltSkin *skin, PeltiRenderScene *scene)
{
    const PeltiGiveWay *g = skin ? skin->mends.give_way : NULL;
    float most = 1e-30f, size = picture->character->who->mesh->diagonal;
    for (int i = 0; g && i < pelti_give_way_push_count(g); i++)
        most = fmaxf(most, vec3_length(pelti_give_way_push(g, i).force));
    for (int i = 0; g && i < pelti_give_way_push_count(g); i++) {
        PeltiGivePush p = pelti_give_way_push(g, i);
        Vec3 by = vec3_scale(p.force, size / (10 * most)), rgb = vec3(0.8f, 0.1f, 0.05f);
        if (!(vec3_length(by) > 0))
            continue;
        pelti_array_push(&scene->arrows, &(PeltiRenderSceneArrow){p.point, vec3_add(p.point, by), 0.002f * size, rgb});
        pelti_array_push(&scene->arrows, &(PeltiRenderSceneArrow){p.point, vec3_sub(p.point, by), 0.002f * size, rgb});
    }
}

static PeltStatus fill_scene(PeltiPicture *picture, const PeltiPictureFrame *frame, PeltiRenderScene *scene,
                             PeltiRenderSceneMesh *mesh, PeltError *err)
{
    const PeltRenderDef *def = picture->def;
    const PeltiMesh *welded = picture->character->who->mesh;
    pelti_mesh_gather(welded, frame->points, picture->vertices);
    *mesh = (PeltiRenderSceneMesh){.vertex_count = welded->vertex_count,
                                   .triangle_count = welded->triangle_count,
                                   .positions = picture->vertices,
                                   .triangles = welded->triangles,
                                   .wire = def->wire != 0,
                                   .see_through = def->inside != 0};
    scene->mesh_count = 1;
    scene->meshes = mesh;
    scene->title = frame->title;
    scene->note = frame->note;
    PELT_TRY(colour_mesh(picture, frame, mesh, &scene->legend, err));
    if (def->inside && frame->skin)
        add_bones(picture, frame->skin, scene);
    if (def->inside == 2 && frame->skin)
        add_body(frame->skin, scene);
    else if (def->inside && frame->skin)
        ask_method(scene, frame->skin, "inside", false);
    if (picture->colouring == PELTI_COLOUR_CONTACT)
        ask_method(scene, frame->skin, "contacts", false);
    if (def->forces) {
        ask_method(scene, frame->skin, "forces", true);
        add_give_way(picture, frame->skin, scene);
    }
    if (frame->around)
        add_around(picture, frame, scene, mesh);
    if (def->forces && !scene->arrows.count && !frame->around && !(frame->skin && frame->skin->mends.give_way))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "method '%s' has no forces to show",
                         frame->skin ? frame->skin->method->name : "cache");
    if (def->section)
        PELT_TRY(place_section(picture, scene, frame->skin, err));
    return PELT_OK;
}

PeltStatus pelti_picture_draw(PeltiPicture *picture, const PeltiPictureFrame *frame, PeltiImage *out, PeltError *err)
{
    const PeltRenderDef *def = picture->def;
    PeltiLook look = pelti_look_default();
    look.width = def->width;
    look.height = def->height;
    look.samples = frame->samples ? frame->samples : def->samples ? def->samples : 4;
    look.background = picture->background;
    look.camera = pelti_framing_camera(&picture->framing);
    look.middle = vec3_scale(vec3_add(picture->low, picture->high), 0.5f);
    float size = picture->character->who->mesh->diagonal;
    look.size = size > 0 && isfinite(size) ? size : 1;
    if (!vec3_finite(look.middle)) // nothing was shown: an empty character
        look.middle = vec3(0, 0, 0);
    look.ground = !def->no_ground && !def->section && isfinite(picture->low.y);
    look.ground_height = picture->low.y - 1e-3f * look.size;
    PeltiRenderScene scene;
    int objects = 0;
    if (frame->around)
        pelti_around_objects(frame->around, &objects);
    PeltiPool work;
    pelti_pool_init(&work, NULL);
    PeltiRenderSceneMesh *mesh = PELTI_NEW(&work, PeltiRenderSceneMesh, 1 + objects);
    if (!mesh)
        return pelti_no_memory(err, sizeof *mesh);
    pelti_render_scene_init(&scene);
    *out = (PeltiImage){0};
    PeltStatus status = fill_scene(picture, frame, &scene, mesh, err);
    if (status == PELT_OK)
        status = pelti_render(&scene, &look, picture->jobs, out, err);
    pelti_render_scene_release(&scene);
    pelti_pool_release(&work);
    return status;
}
