/// What is said of joints that gave way and of limbs that were held on their side, once a clip is through.
#include "bake/constants.def"
#include "bake/objects.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 160 }; // of a warning: what does not fit whole is "others"

typedef struct NamedList { ///< of what is named
    char text[ROOM];
    int named, more;
} NamedList;

static void add(NamedList *list, const char *one)
{
    size_t used = strlen(list->text), comma = list->named ? 2 : 0, length = strlen(one);
    if (list->more || used + comma + length >= sizeof list->text) {
        list->more++;
        return;
    }
    memcpy(list->text + used, ", ", comma);
    memcpy(list->text + used + comma, one, length + 1);
    list->named++;
}

static void tell_turns(PeltSkin *skin, const PeltiGiveWay *g)
{
    NamedList list = {0};
    double last = INFINITY;
    for (int n = pelti_give_way_joint_count(g); n > 0; n--) { // largest turns first
        PeltiGiveWayJoint best = {0};
        for (int j = 0; j < pelti_give_way_joint_count(g); j++) {
            PeltiGiveWayJoint gave = pelti_give_way_joint(g, j);
            if (gave.most < last && gave.most > best.most)
                best = gave;
        }
        last = best.most;
        if (!(best.most * 57.29578 > WORTH_TELLING))
            break;
        char one[ROOM];
        snprintf(one, sizeof one, "%s %.0f deg", best.joint, best.most * 57.29578);
        add(&list, one);
    }
    if (list.named)
        pelti_warn(&skin->log, "gave-way", "parts of the body would pass through each other: joints turned away by up to %s%s",
                   list.text, list.more ? " and others" : "");
}

/// Of pairs that were let go, or of those that were not: the one held farthest from its clip of those nearer than `last`.
static bool next_side(const PeltiGiveWay *g, bool let_go, double last, PeltiGiveWaySide *out)
{
    *out = (PeltiGiveWaySide){0};
    for (int i = 0; i < pelti_give_way_side_count(g); i++) {
        PeltiGiveWaySide side = pelti_give_way_side(g, i);
        if ((side.let_go >= 0) == let_go && side.steps > 0 && side.most < last && side.most > out->most)
            *out = side;
    }
    return out->most > 0;
}

static void tell_sides(PeltSkin *skin, const PeltiGiveWay *g, int first_frame, bool let_go)
{
    NamedList list = {0};
    PeltiGiveWaySide side;
    for (double last = INFINITY; next_side(g, let_go, last, &side); last = side.most) {
        char one[ROOM], ends[40] = "";
        if (let_go)
            snprintf(ends, sizeof ends, ", let go in %ld", first_frame + side.let_go);
        snprintf(one, sizeof one, "%s and %s (frames %ld to %ld%s)", side.a, side.b, first_frame + side.first,
                 first_frame + side.last, ends);
        add(&list, one);
    }
    if (list.named)
        pelti_warn(&skin->log, "kept-side", "the clip takes parts through each other: held on their side%s %s%s",
                   let_go ? " for a time" : "", list.text, list.more ? " and others" : "");
}

void pelti_skin_tell_give_way(PeltSkin *skin, int first_frame)
{
    const PeltiGiveWay *g = skin->mends.give_way;
    if (!g)
        return;
    tell_turns(skin, g);
    tell_sides(skin, g, first_frame, false);
    tell_sides(skin, g, first_frame, true);
}
