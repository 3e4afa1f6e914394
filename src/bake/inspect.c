/// pelt_inspect: the facts as text for people or JSON for programs.
#include "bake/facts.h"
#include "bake/rig_check.h"
#include "body/inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Text {
    char *data;
    size_t used, capacity;
    bool failed;
} Text;

/// One line, or its beginning or end. Names come from the file: what they hold of control characters is told as a space, so that
/// none can begin a line of its own or speak to the terminal.
static void say(Text *text, const char *format, ...) PELT_PRINTF(2, 3);
static void say(Text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && text->used + (size_t)length + 1 > text->capacity) {
        size_t capacity = (text->used + (size_t)length + 1) * 2;
        char *data = realloc(text->data, capacity);
        if (data) {
            text->data = data;
            text->capacity = capacity;
        } else {
            text->failed = true;
        }
    }
    if (length >= 0 && !text->failed) {
        vsnprintf(text->data + text->used, (size_t)length + 1, format, again);
        for (char *c = text->data + text->used; length-- > 0; c++, text->used++)
            if (((unsigned char)*c < 0x20 && (*c != '\n' || length > 0)) || *c == 0x7f)
                *c = ' ';
    }
    va_end(again);
}

/// What the file is, whatever it is: "FBX, through Assimp 5.2", "VRM 1.0 (glTF 2.0)", "glTF 2.0".
static const char *format_of(const PeltiGltf *doc)
{
    PeltiJson *extensions = doc ? pelti_json_get(doc->root, "extensions") : NULL;
    return !doc                                     ? "made by a host"
           : doc->origin                            ? doc->origin
           : pelti_json_get(extensions, "VRMC_vrm") ? "VRM 1.0 (glTF 2.0)"
           : pelti_json_get(extensions, "VRM")      ? "VRM 0.x (glTF 2.0)"
                                                    : "glTF 2.0";
}

static const char *generator_of(const PeltiGltf *doc)
{
    const char *name =
        doc && !doc->origin ? pelti_json_text_of(pelti_json_get(pelti_json_get(doc->root, "asset"), "generator")) : NULL;
    return name && *name ? name : NULL;
}

static void say_file(Text *text, const PeltiGltf *doc)
{
    const char *generator = generator_of(doc);
    say(text, "file       %s%s%s\n", format_of(doc), generator ? ", written by " : "", generator ? generator : "");
}

static void say_weights(Text *text, const PeltiFacts *facts)
{
    const PeltiWeightsBad *rows = &facts->character->who->bad_rows;
    int influences = facts->info.influences, mended = rows->from_neighbours + rows->from_bone;
    bool painted = rows->not_finite || rows->negative || !rows->absent || mended; // else not one row is there
    if (facts->info.joint_count == 0) {
        say(text, "weights    none (nothing has a skin)\n");
    } else if (!painted) {
        say(text, "weights    %s (the file has none)\n", facts->weights);
    } else {
        char lost[64];
        snprintf(lost, sizeof lost, "the file's, automatic ones at %d joint%s", facts->lost_count,
                 pelti_facts_plural(facts->lost_count));
        say(text, "weights    %s (%s; at most %d joint%s a vertex in the file", facts->weights,
            !strcmp(facts->weights, "file")    ? "the file's are sane"
            : !strcmp(facts->weights, "mixed") ? lost
                                               : "the file's are useless",
            influences, pelti_facts_plural(influences));
        if (mended)
            say(text, "; %d vert%s mended", mended, mended == 1 ? "ex" : "ices");
        say(text, ")\n");
    }
}

static void say_mesh(Text *text, const PeltiFacts *facts)
{
    const PeltCharacterInfo *i = &facts->info;
    const PeltiCharacter *who = facts->character->who;
    say(text, "mesh       %d vertices (%d welded), %d triangle%s, %d component%s, %s\n", i->point_count, i->welded_count,
        i->triangle_count, pelti_facts_plural(i->triangle_count), i->component_count, pelti_facts_plural(i->component_count),
        i->closed ? "closed" : "not closed");
    if (i->border_edge_count || i->nonmanifold_edge_count)
        say(text, "           %d border edges, %d non-manifold edges\n", i->border_edge_count, i->nonmanifold_edge_count);
    say(text, "size       %.6g x %.6g x %.6g, diagonal %.6g\n", (double)(i->high[0] - i->low[0]),
        (double)(i->high[1] - i->low[1]), (double)(i->high[2] - i->low[2]), (double)i->size);
    say(text, "skeleton   %d joint%s in %d skin%s, %d node%s\n", i->joint_count, pelti_facts_plural(i->joint_count),
        i->skin_count, pelti_facts_plural(i->skin_count), i->node_count, pelti_facts_plural(i->node_count));
    if (who->target_count)
        say(text, "morphs     %d target%s, played by their curves before the skin moves\n", who->target_count,
            pelti_facts_plural(who->target_count));
    say_weights(text, facts);
}

static void say_clips(Text *text, const PeltiFacts *facts)
{
    const PeltiCharacter *who = facts->character->who;
    for (int c = 0; c < who->clip_count; c++)
        say(text, "clip %-3d   %s: %.3f s, %d channel%s, %d frame%s at 30 a second\n", c, who->clips[c].name,
            (double)who->clips[c].duration_s, who->clips[c].channel_count, pelti_facts_plural(who->clips[c].channel_count),
            pelti_clip_frames(&who->clips[c], 30), pelti_facts_plural(pelti_clip_frames(&who->clips[c], 30)));
    if (who->clip_count == 0)
        say(text, "clips      none: a bake gives one frame, in the file's own pose; --clip range and --motion FILE play one\n");
}

/// What a piece is to the body, and why.
static const char *piece_words(const PeltiPiece *piece)
{
    if (piece->kind != PELTI_PIECE_RIGID && !piece->in_body)
        return "inside: follows the body, no part of it";
    if (piece->thing)
        return piece->said ? "a thing: rides on the skin below it, as a rigid body"
                           : "small: rides on the skin below it as a rigid body, though its weights blend";
    if (piece->kind == PELTI_PIECE_RIGID)
        return piece->in_body ? "rigid, holds its bone: part of the body, moves with the bone"
               : piece->sewn  ? "rigid and small: rides on its bone, or on the skin where it lies on some that bends"
                              : "rigid: rides on its bone";
    return piece->kind == PELTI_PIECE_SHELL ? "open shell: part of the body" : "skin: part of the body";
}

/// A rigid piece may have a trace of weight on bones that it does not move with.
static void say_bones(Text *text, const PeltiFactsComponent *f)
{
    if (f->bones > 1 && f->piece.kind == PELTI_PIECE_RIGID && !f->piece.thing && !f->piece.said)
        say(text, "1 bone and a trace of %d other%s", f->bones - 1, pelti_facts_plural(f->bones - 1));
    else
        say(text, "%d bone%s", f->bones, pelti_facts_plural(f->bones));
}

static void say_components(Text *text, const PeltiFacts *facts)
{
    const PeltiCharacter *who = facts->character->who;
    for (int c = 0; c < facts->component_count; c++) {
        const PeltiFactsComponent *f = &facts->components[c];
        say(text, "component  %d: %d vertices, %d triangle%s, %s, ", f->component, f->vertices, f->triangles,
            pelti_facts_plural(f->triangles),
            f->border_edges || f->nonmanifold_edges ? (f->nonmanifold_edges ? "non-manifold" : "open") : "closed");
        say_bones(text, f);
        say(text, " (node %s); %s%s", who->nodes[who->instances[f->instance].node].name,
            facts->info.joint_count ? piece_words(&f->piece) : "follows its node", f->piece.said ? " (the rig says so)" : "");
        if (pelti_piece_is_inside(&f->piece))
            say(text, "; inside other pieces: %.1f %% of the looks out of it get past them", 100 * (double)f->piece.daylight);
        say(text, "\n");
    }
    for (int b = 0; b < who->bone_count; b++)
        if (!facts->reached[b] && !who->bones[b].is_prop)
            say(text,
                facts->moves[b] ? "helper     bone %s owns no vertex of the skin: it moves what hangs on it\n"
                                : "unreached  bone %s owns no vertex: it moves nothing\n",
                who->nodes[who->bones[b].node].name);
}

static void say_problems(Text *text, const PeltiLog *log)
{
    for (int i = 0; i < pelti_log_count(log); i++) {
        const PeltWarning *warning = pelti_log_get(log, i);
        const char *cure = pelti_bake_cure(warning->code);
        say(text, "problem    %s: %s%s%s\n", warning->code, warning->text, cure ? "; cure: " : "", cure ? cure : "");
    }
}

static void say_all(Text *text, const PeltiFacts *facts)
{
    char plan[200];
    say_file(text, facts->character->document);
    say_mesh(text, facts);
    say_clips(text, facts);
    say_components(text, facts);
    for (int m = 0; pelti_methods[m]; m++) {
        pelti_facts_plan(facts, pelti_methods[m], plan, sizeof plan);
        say(text, "method     %s: %s\n", pelti_methods[m]->name, plan);
    }
    say_problems(text, &facts->character->who->log);
    say_problems(text, &facts->log);
}

// ---- JSON ----

static void put(PeltiJson *object, const char *key, PeltiJson *value, bool *ok)
{
    *ok = pelti_json_set(object, key, value) && *ok;
}

static void push(PeltiJson *array, PeltiJson *value, bool *ok)
{
    *ok = pelti_json_push(array, value) && *ok;
}

static PeltiJson *mesh_json(const PeltCharacterInfo *i, bool *ok)
{
    PeltiJson *mesh = pelti_json_new_object(), *size = pelti_json_new_array();
    put(mesh, "vertices", pelti_json_new_int(i->point_count), ok);
    put(mesh, "welded", pelti_json_new_int(i->welded_count), ok);
    put(mesh, "triangles", pelti_json_new_int(i->triangle_count), ok);
    put(mesh, "components", pelti_json_new_int(i->component_count), ok);
    put(mesh, "border_edges", pelti_json_new_int(i->border_edge_count), ok);
    put(mesh, "nonmanifold_edges", pelti_json_new_int(i->nonmanifold_edge_count), ok);
    put(mesh, "closed", pelti_json_new_bool(i->closed), ok);
    for (int k = 0; k < 3; k++)
        push(size, pelti_json_new_float(i->high[k] - i->low[k]), ok);
    put(mesh, "size", size, ok);
    put(mesh, "diagonal", pelti_json_new_float(i->size), ok);
    return mesh;
}

static PeltiJson *clips_json(const PeltiCharacter *who, bool *ok)
{
    PeltiJson *clips = pelti_json_new_array();
    for (int c = 0; c < who->clip_count; c++) {
        PeltiJson *clip = pelti_json_new_object();
        put(clip, "name", pelti_json_new_text(who->clips[c].name), ok);
        put(clip, "seconds", pelti_json_new_float(who->clips[c].duration_s), ok);
        put(clip, "channels", pelti_json_new_int(who->clips[c].channel_count), ok);
        push(clips, clip, ok);
    }
    return clips;
}

static PeltiJson *components_json(const PeltiFacts *facts, bool *ok)
{
    PeltiJson *list = pelti_json_new_array();
    const PeltiCharacter *who = facts->character->who;
    for (int c = 0; c < facts->component_count; c++) {
        const PeltiFactsComponent *f = &facts->components[c];
        PeltiJson *json = pelti_json_new_object();
        put(json, "component", pelti_json_new_int(f->component), ok);
        put(json, "node", pelti_json_new_text(who->nodes[who->instances[f->instance].node].name), ok);
        put(json, "vertices", pelti_json_new_int(f->vertices), ok);
        put(json, "triangles", pelti_json_new_int(f->triangles), ok);
        put(json, "border_edges", pelti_json_new_int(f->border_edges), ok);
        put(json, "nonmanifold_edges", pelti_json_new_int(f->nonmanifold_edges), ok);
        put(json, "bones", pelti_json_new_int(f->bones), ok);
        put(json, "kind",
            pelti_json_new_text(f->piece.kind == PELTI_PIECE_RIGID   ? "rigid"
                                : f->piece.kind == PELTI_PIECE_SHELL ? "shell"
                                                                     : "skin"),
            ok);
        put(json, "said_by_rig", pelti_json_new_bool(f->piece.said), ok);
        put(json, "in_body", pelti_json_new_bool(f->piece.in_body), ok);
        put(json, "inside", pelti_json_new_bool(pelti_piece_is_inside(&f->piece)), ok);
        put(json, "daylight", pelti_json_new_float(f->piece.daylight), ok);
        push(list, json, ok);
    }
    return list;
}

static void problems_json(PeltiJson *list, const PeltiLog *log, bool *ok)
{
    for (int i = 0; i < pelti_log_count(log); i++) {
        const PeltWarning *warning = pelti_log_get(log, i);
        const char *cure = pelti_bake_cure(warning->code);
        PeltiJson *json = pelti_json_new_object();
        put(json, "code", pelti_json_new_text(warning->code), ok);
        put(json, "text", pelti_json_new_text(warning->text), ok);
        if (cure)
            put(json, "cure", pelti_json_new_text(cure), ok);
        push(list, json, ok);
    }
}

static void fill_json(PeltiJson *root, const PeltiFacts *facts, bool *ok)
{
    const PeltiCharacter *who = facts->character->who;
    char plan[200];
    put(root, "pelt", pelti_json_new_text(PELT_VERSION_STRING), ok);
    put(root, "format", pelti_json_new_text(format_of(facts->character->document)), ok);
    put(root, "mesh", mesh_json(&facts->info, ok), ok);
    put(root, "joints", pelti_json_new_int(facts->info.joint_count), ok);
    put(root, "skins", pelti_json_new_int(facts->info.skin_count), ok);
    put(root, "nodes", pelti_json_new_int(facts->info.node_count), ok);
    put(root, "morph_targets", pelti_json_new_int(who->target_count), ok);
    put(root, "influences", pelti_json_new_int(facts->info.influences), ok);
    put(root, "weights", pelti_json_new_text(facts->weights), ok);
    put(root, "weights_mended", pelti_json_new_int(who->bad_rows.from_neighbours + who->bad_rows.from_bone), ok);
    put(root, "clips", clips_json(who, ok), ok);
    put(root, "components", components_json(facts, ok), ok);
    PeltiJson *unreached = pelti_json_new_array(), *methods = pelti_json_new_object(), *problems = pelti_json_new_array();
    for (int b = 0; b < who->bone_count; b++)
        if (!facts->moves[b] && !who->bones[b].is_prop)
            push(unreached, pelti_json_new_text(who->nodes[who->bones[b].node].name), ok);
    for (int m = 0; pelti_methods[m]; m++) {
        pelti_facts_plan(facts, pelti_methods[m], plan, sizeof plan);
        put(methods, pelti_methods[m]->name, pelti_json_new_text(plan), ok);
    }
    problems_json(problems, &who->log, ok);
    problems_json(problems, &facts->log, ok);
    put(root, "unreached_bones", unreached, ok);
    put(root, "methods", methods, ok);
    put(root, "problems", problems, ok);
}

static PeltStatus inspect(const PeltCharacter *character, const PeltRig *rig, bool json, char **text, PeltError *err)
{
    PeltiFacts facts;
    PELT_TRY(pelti_facts_gather(&facts, character, rig, err));
    Text out = {0};
    if (json) {
        bool ok = true;
        PeltiJson *root = pelti_json_new_object();
        fill_json(root, &facts, &ok);
        PeltiArray printed;
        pelti_array_init(&printed, NULL, 1);
        ok = ok && pelti_json_print(root, true, &printed);
        out.capacity = printed.count + 2;
        out.data = ok ? malloc(out.capacity) : NULL;
        out.failed = !out.data;
        if (out.data)
            snprintf(out.data, out.capacity, "%s\n", printed.data);
        pelti_array_release(&printed);
        pelti_json_release(root);
    } else {
        say_all(&out, &facts);
    }
    pelti_facts_release(&facts);
    if (out.failed) {
        free(out.data);
        return pelti_no_memory(err, out.capacity);
    }
    *text = out.data;
    return PELT_OK;
}

void pelt_text_free(char *text)
{
    free(text);
}

PeltStatus pelt_inspect(const PeltCharacter *character, bool json, char **text, PeltError *err)
{
    *text = NULL;
    return inspect(character, NULL, json, text, err);
}

PeltStatus pelt_inspect_rig(const PeltCharacter *character, const char *rig_path, const PeltRig *rig, bool json, char **text,
                            PeltError *err)
{
    PELT_ASSERT(!rig_path != !rig); // one of the two
    *text = NULL;
    if (rig) {
        PELT_TRY(pelti_bake_rig_check(rig, character->who, err));
        return inspect(character, rig, json, text, err);
    }
    PeltiIoRig *loaded;
    PELT_TRY(pelti_io_rig_load((PeltiIoRigSource){.path = rig_path}, character->who, &character->allocator, &loaded, err));
    PeltStatus status = inspect(character, &loaded->rig, json, text, err);
    pelti_io_rig_destroy(loaded);
    return status;
}
