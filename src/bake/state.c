/// include/pelt/skin.h: the state of a skin as bytes.
#include "bake/objects.h"
#include "core/hash.h"

#include <string.h>

typedef struct StateHeader {
    char magic[8];
    uint64_t maker; ///< hash of version, character, method and options
    uint64_t size;  ///< of all
    uint64_t check; ///< hash of what follows
} StateHeader;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return pelti_hash(hash, text, strlen(text) + 1);
}

/// What must be the same for bytes to mean the same. Live options may differ.
static uint64_t maker_of(const PeltSkin *skin)
{
    const PeltiCharacter *who = skin->character->who;
    uint64_t hash = hash_text(hash_text(PELTI_HASH_START, PELT_VERSION_STRING), skin->method->name);
    for (int i = 0; i < skin->options.count; i++) {
        const PeltiOptionValue *v = &skin->options.values[i];
        if (!pelti_option_among(skin->method->live, v->info->name))
            hash = hash_text(hash_text(hash, v->info->name), v->text);
    }
    hash = pelti_hash(hash, who->rest_points, (size_t)who->point_count * sizeof *who->rest_points);
    for (int b = 0; b < who->bone_count; b++) {
        hash = hash_text(hash, who->nodes[who->bones[b].node].name);
        hash = pelti_hash(hash, &who->bones[b].head, sizeof who->bones[b].head);
    }
    return hash;
}

static void walk(PeltSkin *skin, PeltiSnapshot *s)
{
    const PeltiCharacter *who = skin->character->who;
    PELTI_KEEP(s, &skin->clock.restart, 1);
    PELTI_KEEP(s, &skin->clock.stepped, 1);
    PELTI_KEEP(s, &skin->clock.time_s, 1);
    PELTI_KEEP(s, skin->posed.bones, who->bone_count);
    PELTI_KEEP(s, skin->shown.points, who->point_count);
    if (skin->solved.who && skin->shown.shape != skin->shown.points)
        PELTI_KEEP(s, skin->shown.shape, skin->solved.who->mesh->vertex_count);
    if (skin->solved.body)
        PELTI_KEEP(s, skin->shown.vertices, who->mesh->vertex_count);
    if (skin->state && skin->method->keep)
        skin->method->keep(skin->state, s);
    if (skin->solved.body)
        pelti_body_keep(skin->solved.body, s);
    if (skin->mends.lean)
        pelti_lean_keep(skin->mends.lean, s);
    if (skin->mends.parted)
        pelti_parted_keep(skin->mends.parted, s);
    if (skin->mends.body_touch)
        pelti_touch_keep(skin->mends.body_touch, s);
    if (skin->mends.touch)
        pelti_touch_keep(skin->mends.touch, s);
    if (skin->mends.calm)
        pelti_calm_keep(skin->mends.calm, s);
    if (skin->mends.give_way)
        pelti_give_way_keep(skin->mends.give_way, s);
}

size_t pelt_skin_state_size(PeltSkin *skin)
{
    PeltiSnapshot s = {.mode = PELTI_SNAPSHOT_MEASURE};
    walk(skin, &s);
    return sizeof(StateHeader) + s.used;
}

void pelt_skin_state_save(PeltSkin *skin, void *bytes, size_t size)
{
    PELT_ASSERT(size == pelt_skin_state_size(skin));
    char *body = (char *)bytes + sizeof(StateHeader);
    PeltiSnapshot s = {PELTI_SNAPSHOT_SAVE, body, 0};
    walk(skin, &s);
    StateHeader header = {"PELTSKN", maker_of(skin), size, pelti_hash(PELTI_HASH_START, body, s.used)};
    memcpy(bytes, &header, sizeof header);
}

PeltStatus pelt_skin_state_restore(PeltSkin *skin, const void *bytes, size_t size, PeltError *err)
{
    StateHeader header;
    if (size < sizeof header)
        return PELT_FAIL(err, PELT_BAD_INPUT, "state: %zu bytes are too few", size);
    memcpy(&header, bytes, sizeof header);
    const char *body = (const char *)bytes + sizeof header;
    if (memcmp(header.magic, "PELTSKN", sizeof header.magic) || header.size != size)
        return PELT_FAIL(err, PELT_BAD_INPUT, "state: these %zu bytes are no state of a skin", size);
    if (header.maker != maker_of(skin) || size != pelt_skin_state_size(skin))
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "state: of another character, method, version or set of options: make the skin as it was then");
    if (header.check != pelti_hash(PELTI_HASH_START, body, size - sizeof header))
        return PELT_FAIL(err, PELT_BAD_INPUT, "state: the bytes are damaged");
    PeltiSnapshot s = {PELTI_SNAPSHOT_RESTORE, (char *)body, 0}; // read only in this mode
    walk(skin, &s);
    skin->shown.vertices_fresh = !skin->shown.by_point;
    skin->handed.normals_fresh = skin->handed.points_fresh = false;
    return PELT_OK;
}
