/// Gathers what `pelt inspect` tells.
#include "bake/facts.h"

#include "body/inside.h"
#include "character/skeleton.h"

#include <stdio.h>
#include <string.h>

const char *pelti_facts_plural(int count)
{
    return count == 1 ? "" : "s";
}

static PeltStatus find_weights(PeltiFacts *facts, PeltError *err)
{
    const PeltiCharacter *who = facts->character->who;
    if (who->bone_count == 0) {
        facts->weights = "none";
        return PELT_OK;
    }
    PeltiTrial trial;
    PeltiJobs *jobs = pelti_jobs_create(0);
    PeltStatus status = pelti_trial_best(who, &facts->pool, jobs, &facts->log, &trial, err);
    pelti_jobs_destroy(jobs);
    facts->weights = facts->info.joint_count ? trial.source : "none"; // bones that carry nodes are no one's weights
    facts->used = trial.weights;
    facts->lost_count = trial.lost_count;
    bool changed;
    return status == PELT_OK ? pelti_pieces_bind(who, facts->rig, &facts->pool, &facts->used, &changed, err) : status;
}

/// What of the mesh is odd, though no method fails for it.
static void note_mesh(PeltiFacts *facts)
{
    const PeltiMesh *mesh = facts->character->who->mesh;
    if (facts->info.joint_count == 0)
        pelti_warn(&facts->log, "no-skin", "no mesh has a skin: all follow their nodes");
    if (mesh->nonmanifold_edge_count)
        pelti_warn(&facts->log, "mesh-nonmanifold", "%d edges have more than two triangles", mesh->nonmanifold_edge_count);
    if (mesh->inconsistent_edge_count)
        pelti_warn(&facts->log, "mesh-winding", "at %d edges neighbours face opposite ways", mesh->inconsistent_edge_count);
    if (mesh->dropped_degenerate || mesh->dropped_duplicate)
        pelti_warn(&facts->log, "mesh-degenerate", "%d triangles without area and %d that lie on others are left out",
                   mesh->dropped_degenerate, mesh->dropped_duplicate);
}

/// Components by their number; vertices in no triangle are left out. `number` [component_count].
static void count_components(PeltiFacts *facts, int *number)
{
    const PeltiMesh *mesh = facts->character->who->mesh;
    for (int c = 0; c < mesh->component_count; c++)
        number[c] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        number[mesh->component[mesh->triangles[t][0]]] = 0;
    for (int c = 0; c < mesh->component_count; c++)
        if (number[c] == 0) {
            number[c] = facts->component_count++;
            facts->components[number[c]].component = c;
        }
    for (int t = 0; t < mesh->triangle_count; t++) {
        PeltiFactsComponent *facts_of = &facts->components[number[mesh->component[mesh->triangles[t][0]]]];
        facts_of->instance = mesh->vertex_instance[mesh->triangles[t][0]];
        facts_of->triangles++;
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        if (number[mesh->component[v]] >= 0)
            facts->components[number[mesh->component[v]]].vertices++;
    for (int e = 0; e < mesh->edge_count; e++) {
        PeltiFactsComponent *c = &facts->components[number[mesh->component[mesh->edges[e][0]]]];
        c->border_edges += mesh->edge_use[e] == 1;
        c->nonmanifold_edges += mesh->edge_use[e] > 2;
    }
}

/// Which bones own vertices, over all and per component (`seen`: the last component that counted a bone, plus one).
static void count_owners(PeltiFacts *facts, const int *number, int *seen)
{
    const PeltiCharacter *who = facts->character->who;
    const PeltiMesh *mesh = who->mesh;
    for (int v = 0; v < mesh->vertex_count && facts->used.influences; v++) {
        int c = number[mesh->component[v]];
        for (int k = 0; k < facts->used.influences; k++) {
            size_t at = (size_t)v * (size_t)facts->used.influences + (size_t)k;
            int bone = facts->used.bone[at];
            if (!(facts->used.weight[at] > 0))
                continue;
            facts->reached[bone] = true;
            if (c >= 0 && seen[bone] != c + 1) {
                seen[bone] = c + 1;
                facts->components[c].bones++;
            }
        }
    }
    for (int b = 0; b < who->bone_count; b++)
        facts->moves[b] = facts->reached[b];
    pelti_skeleton_moves(who, facts->moves);
    for (int b = 0; b < who->bone_count; b++)
        facts->unreached_count += !facts->moves[b] && !who->bones[b].is_prop;
}

static PeltStatus judge_pieces(PeltiFacts *facts, const int *number, PeltError *err)
{
    const PeltiCharacter *who = facts->character->who;
    PeltiPieces pieces = {0};
    PeltStatus status = who->bone_count ? pelti_pieces_judge(who, &facts->used, facts->rig, &facts->pool, &pieces, err) : PELT_OK;
    if (status == PELT_OK && pieces.count > 1)
        status = pelti_pieces_look_out(who, &pieces, err);
    if (status != PELT_OK) {
        pelti_facts_release(facts);
        return status;
    }
    for (int c = 0; c < pieces.count; c++)
        if (number[c] >= 0)
            facts->components[number[c]].piece = pieces.pieces[c];
    facts->own_body = pieces.count && pelti_body_is_file(who, &pieces, 0);
    return PELT_OK;
}

PeltStatus pelti_facts_gather(PeltiFacts *facts, const PeltCharacter *character, const PeltRig *rig, PeltError *err)
{
    const PeltiCharacter *who = character->who;
    *facts = (PeltiFacts){.character = character, .rig = rig, .info = pelt_character_info(character)};
    pelti_pool_init(&facts->pool, &character->allocator);
    pelti_log_init(&facts->log, &character->allocator);
    facts->components = PELTI_NEW(&facts->pool, PeltiFactsComponent, who->mesh->component_count);
    facts->reached = PELTI_NEW(&facts->pool, bool, who->bone_count);
    facts->moves = PELTI_NEW(&facts->pool, bool, who->bone_count);
    int *number = PELTI_NEW(&facts->pool, int, who->mesh->component_count);
    int *seen = PELTI_NEW(&facts->pool, int, who->bone_count);
    PeltStatus status = facts->pool.failed ? pelti_no_memory(err, sizeof *facts) : find_weights(facts, err);
    if (status != PELT_OK) {
        pelti_facts_release(facts);
        return status;
    }
    note_mesh(facts);
    count_components(facts, number);
    count_owners(facts, number, seen);
    return judge_pieces(facts, number, err);
}

void pelti_facts_release(PeltiFacts *facts)
{
    pelti_log_release(&facts->log);
    pelti_pool_release(&facts->pool);
}

const char *pelti_bake_cure(const char *code)
{
    static const struct {
        const char *prefix, *cure;
    } cures[] = {
        {"weights-automatic", "nothing to do: automatic weights are used; paint and export weights to use your own"},
        {"weights-trial", "nothing to do: --set weights=file keeps the file's, weights=auto takes automatic ones everywhere"},
        {"weights-component", "join the piece to the body, or move a bone inside it"},
        {"weights-bone", "nothing to do unless the bone should move skin: then move it inside the mesh"},
        {"weights-sum", "nothing to do: shares are what counts"},
        {"weights-mended", "nothing to do unless the mended places look odd: then paint them"},
        {"weights-missing", "export the primitive with its weights, or without the skin"},
        {"mesh-nonmanifold", "remove doubled faces and inner walls (Blender: Select > All by Trait > Non Manifold)"},
        {"mesh-winding", "make the normals consistent (Blender: Mesh > Normals > Recalculate Outside)"},
        {"mesh-degenerate", "nothing to do: they show nothing; merge by distance in the modelling program to be rid of them"},
        {"body",
         "nothing to do: the file's vertices come out; --set body=file solves on the file's own mesh, body-vertices=N on a "
         "finer or coarser body"},
        {"no-skin", "export the mesh with its armature (glTF skins), or add a skeleton"},
        {"weights-no-bones", "parent the piece to a joint, or export it with the armature"},
        {"weights-vertex-unused", "nothing to do: delete loose vertices to be rid of them"},
        {"weights-heat", "nothing to do unless those places look odd: then paint them"},
        {"bind-differs", "nothing to do unless a piece sits wrong: then bind all meshes in one pose and export again"},
        {"bind-scale", "export in a pose in which no joint is scaled to nothing"},
        {"joint-twice", "nothing to do: the joint counts once"},
        {"prop-flat", "export in a pose in which the node is not scaled to nothing"},
        {"no-triangles", "export faces, not points or lines"},
        {"keys-at-once", "nothing to do: a jump stays a jump"},
        {"channel-unknown", "nothing to do for the skin: only places, turns, scales and weights of morph targets move it"},
        {"clip-empty", "nothing to do: choose another clip"},
        {"field-capsule", "nothing to do unless that joint looks odd by implicit: more vertices around it help"},
        {"rest-crosses", "nothing to do: move the pieces apart at rest to have them kept apart"},
        {"image-left-out", "put the picture beside the file as PNG or JPEG"},
        {"import-dropped", "nothing to do for a bake; to keep them, export the file as .glb from where it was made"},
        {"import-picture", "put it beside the file as PNG or JPEG, under the last part of its name"},
        {"motion-unmatched", "nothing to do unless a joint should move that does not: give it the name its pair has"},
        {"motion-names", "rename joints as Mixamo, VRM, Rigify, Unreal or MakeHuman do, or as the other file does"},
        {"no-clip", "add an animation, play another file's (--motion) or a range of motion (--clip range)"},
    };
    for (size_t i = 0; i < sizeof cures / sizeof *cures; i++)
        if (!strncmp(code, cures[i].prefix, strlen(cures[i].prefix)))
            return cures[i].cure;
    return NULL;
}

void pelti_facts_plan(const PeltiFacts *facts, const PeltiMethod *method, char *text, size_t size)
{
    const char *whose = !strcmp(facts->weights, "file")    ? "the file's weights"
                        : !strcmp(facts->weights, "mixed") ? "the file's weights (automatic ones where those lost)"
                        : !strcmp(facts->weights, "auto")  ? "automatic weights"
                                                           : "no weights";
    char use[96];
    snprintf(use, sizeof use, method->flags & PELTI_METHOD_NEEDS_WEIGHTS ? "uses %s" : "%s only choose bones and blend rotations",
             whose);
    int rigid = 0, in_body = 0, bending = 0;
    for (int c = 0; c < facts->component_count; c++) {
        rigid += facts->components[c].piece.kind == PELTI_PIECE_RIGID;
        in_body += facts->components[c].piece.in_body;
        bending += facts->components[c].piece.kind != PELTI_PIECE_RIGID || facts->components[c].piece.thing;
    }
    if (facts->info.joint_count == 0)
        snprintf(text, size, "follows the nodes rigidly: the file has no skeleton");
    else if (!(method->flags & PELTI_METHOD_FLESH) && facts->component_count)
        snprintf(text, size, "uses %s on %d component%s", whose, facts->component_count,
                 pelti_facts_plural(facts->component_count));
    else if (facts->own_body)
        snprintf(text, size, "solves on the file's mesh, one closed skin; %s", use);
    else if (facts->component_count == 0)
        snprintf(text, size, "has no triangles to work on: points follow their bones");
    else if (!bending)
        snprintf(text, size, "nothing bends: each of %d piece%s follows its bone", rigid, pelti_facts_plural(rigid));
    else
        snprintf(text, size, "solves on a body made from %d of %d piece%s (%d rigid and riding along); %s", in_body,
                 facts->component_count, pelti_facts_plural(facts->component_count), rigid, use);
}
