/// Sorts contacts into islands that share no particle, to be solved side by side.
/// Gauss-Seidel over one island does not see the others, so islands are solved side by side with the bytes that one after the
/// other would give.
#include "core/roots.h"
#include "methods/layered/flesh.h"

#include <string.h>

enum { ENOUGH = 64 }; // contacts in a piece of work: smaller islands share one

bool pelti_layered_collide_islands_new(PeltiFleshContacts *contacts, PeltiPool *pool, int slots)
{
    PeltiLayeredIslands *islands = &contacts->islands;
    size_t most = (size_t)contacts->capacity;
    islands->scratch.parent = PELTI_NEW(pool, int, slots);
    islands->scratch.island = PELTI_NEW(pool, int, slots);
    islands->scratch.size = PELTI_NEW(pool, int, most);
    islands->scratch.next = PELTI_NEW(pool, int, most);
    islands->order = PELTI_NEW(pool, int, most);
    islands->piece_start = PELTI_NEW(pool, int, most + 1);
    return !pool->failed;
}

/// Joins the particles of every contact.
static void join(PeltiLayeredIslands *islands, const PeltiLayeredContact *contacts, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) {
            islands->scratch.parent[contacts[i].slot[k]] = contacts[i].slot[k];
            islands->scratch.island[contacts[i].slot[k]] = -1;
        }
    for (int i = 0; i < count; i++)
        for (int k = 1; k < 4; k++)
            pelti_roots_join(islands->scratch.parent, contacts[i].slot[0], contacts[i].slot[k]);
}

static int island_of(PeltiLayeredIslands *islands, const PeltiLayeredContact *contact)
{
    return islands->scratch.island[pelti_root_of(islands->scratch.parent, contact->slot[0])];
}

/// Where each island begins in the order: large ones first, a piece each, so that none is waited for at the end. Returns the
/// pieces.
static int place(PeltiLayeredIslands *islands, int island_count)
{
    int pieces = 0, at = 0;
    islands->piece_start[0] = 0;
    for (int large = 1; large >= 0; large--)
        for (int i = 0; i < island_count; i++) {
            int size = islands->scratch.size[i];
            if ((size >= ENOUGH) != large)
                continue;
            islands->scratch.next[i] = at;
            at += size;
            if (at - islands->piece_start[pieces] >= ENOUGH)
                islands->piece_start[++pieces] = at;
        }
    if (at > islands->piece_start[pieces])
        islands->piece_start[++pieces] = at;
    return pieces;
}

void pelti_layered_collide_islands(PeltiFleshContacts *found)
{
    PeltiLayeredIslands *islands = &found->islands;
    const PeltiLayeredContact *contacts = found->list;
    int count = found->count, island_count = 0;
    join(islands, contacts, count);
    for (int i = 0; i < count; i++) {
        int *number = &islands->scratch.island[pelti_root_of(islands->scratch.parent, contacts[i].slot[0])];
        if (*number < 0) {
            *number = island_count;
            islands->scratch.size[island_count++] = 0;
        }
        islands->scratch.size[*number]++;
    }
    islands->piece_count = place(islands, island_count);
    for (int i = 0; i < count; i++)
        islands->order[islands->scratch.next[island_of(islands, &contacts[i])]++] = i;
}
