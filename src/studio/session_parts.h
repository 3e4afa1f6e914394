/// Inside a session: shared by session.c, solver.c and prepare.c. Everything is guarded by `lock`, except what is said to belong
/// to a thread.
#ifndef PELTI_STUDIO_SESSION_PARTS_H
#define PELTI_STUDIO_SESSION_PARTS_H

#include "studio/session.h"

#include <pthread.h>

typedef enum PeltiSlotState { PELTI_SLOT_EMPTY, PELTI_SLOT_PREPARING, PELTI_SLOT_READY, PELTI_SLOT_FAILED } PeltiSlotState;

enum { PELTI_SETTINGS = 4096, PELTI_SLOT_WARNINGS = 4000 };

typedef struct PeltiSlotFrame { ///< what the solver made last of a slot
    uint32_t epoch, number, serial;
    float step_ms, box[6];
    uint16_t *positions; ///< [count]
    size_t count, capacity;
    char stats[1024]; ///< lines of name=value
} PeltiSlotFrame;

typedef struct PeltiSlot {
    PeltiSession *session;
    int index;
    pthread_t thread;
    uint32_t serial, taken; ///< what was asked last, and what the preparing thread took up last
    uint32_t stopgap;       ///< what was asked when the character came: made in any case, so that something is there
    char method[41], settings[PELTI_SETTINGS + 1];
    char live[1024]; ///< lines of key=value to be set before the next step
    PeltiSlotState state;
    float share, prepare_ms;
    char text[600], warnings[PELTI_SLOT_WARNINGS];
    PeltSkin *fresh; ///< prepared, not yet taken by the solver
    PeltiCast *fresh_cast;
    uint32_t fresh_serial;
    PeltiSlotFrame frame;

    PeltSkin *skin; ///< the solver's own, with the character it is of
    PeltiCast *cast;
    uint32_t skin_serial;
} PeltiSlot;

enum { PELTI_OBJECTS = 16, PELTI_PER_OBJECT = 9, PELTI_STIFF = 512, PELTI_MESHES = 8 };
typedef struct PeltiSessionSceneWish { ///< a Scene, copied
    uint32_t serial;                   ///< counts them; 0: none was asked for
    bool on, ground;
    float height, gravity, friction, firm;
    int object_count;
    float objects[PELTI_OBJECTS][PELTI_PER_OBJECT];
    int stiff_count;
    int32_t stiff_nodes[PELTI_STIFF];
    float stiffness[PELTI_STIFF];
} PeltiSessionSceneWish;

typedef struct PeltiSessionMesh { ///< a Mesh, copied; never changed or freed while the session lives, as worlds point at it
    struct PeltiSessionMesh *before;
    uint32_t number;
    int vertex_count, triangle_count;
    float (*vertices)[3];
    int (*triangles)[3];
} PeltiSessionMesh;

typedef struct PeltiSessionShown { ///< an Objects message, ready; empty `counts`: there is no world
    PeltiArray counts, positions, triangles, origins, contacts;
    uint32_t epoch, number;
    float contact_ms;
    char trouble[200];
} PeltiSessionShown;

enum { PELTI_STUDIO_SECTION = 96 };
typedef struct PeltiStudioInside { ///< an Inside message, ready; `wanted` false: there is none
    bool wanted, cut;
    PeltiArray lines;
    float section[PELTI_STUDIO_SECTION * PELTI_STUDIO_SECTION], plane[9], iso;
} PeltiStudioInside;
void pelti_studio_inside(PeltiStudioInside *inside, const PeltSkin *skin, const PeltiMsgWant *want); ///< the solver's thread

typedef struct PeltiOven { ///< a bake: filled before its thread starts; then state, share and text are guarded by the lock
    PeltiSession *session;
    pthread_t thread;
    bool runs, cancel; ///< runs: the thread is to be joined
    uint32_t state, serial, what, outputs, files;
    float share;
    char text[600];
    PeltiCast *cast;
    int clip;
    double fps;
    char method[41], settings[PELTI_SETTINGS + 1];
    char *rig; ///< as the session's, a copy; NULL: none
    void *bytes;
    size_t size;
} PeltiOven;

typedef struct PeltiSessionWish { ///< a Want, copied
    PeltiMsgWant want;
    float held_at[3], poked_at[3];
    int32_t *nodes;
    float *transforms;
    size_t capacity; ///< nodes
} PeltiSessionWish;

struct PeltiSession {
    PeltiSessionDef def;
    pthread_mutex_t lock;
    pthread_cond_t asked, done; ///< something for a thread to do; a frame or a change for those who wait
    bool quit;
    pthread_t solver;
    bool solver_runs;
    int preparers; ///< threads of slots that run
    PeltiCast *cast;
    uint32_t epoch;
    PeltiSessionWish wish;
    PeltiSessionSceneWish scene;
    PeltiSessionMesh *meshes; ///< the newest first
    int mesh_total;           ///< of all that were given
    char *rig;                ///< what the artist adds, as JSON; NULL: nothing
    PeltiSessionShown shown;
    PeltiOven oven;
    PeltiStudioInside inside; ///< of the frame that is shown
    uint32_t solved;          ///< number of the last want that is done
    float *transforms;        ///< [transform_count] the pose of the last frame
    size_t transform_count, transform_capacity;
    PeltiSlot slots[PELTI_SLOTS];
};

void *pelti_session_solve(void *session); ///< the solver's thread
void *pelti_slot_prepare(void *slot);     ///< a slot's preparing thread
/// "key=value" lines, cut into the list; returns how many.
int pelti_slot_cut_lines(char *lines, const char **list, int most);
void pelti_slot_ask(PeltiSlot *slot, const char *method, const char *settings); ///< with the lock held
/// Writes a rig to a file of our own; the name comes out empty where there is none. The caller unlinks it.
PeltStatus pelti_session_rig_write(const char *rig, char path[320], PeltError *err);
void pelti_session_rig_tell(PeltError *err, const char *path);                      ///< a story names the rig, not our file
const PeltiSessionMesh *pelti_session_mesh_find(const PeltiSession *s, int number); ///< with the lock held; NULL: none
void pelti_session_mesh_end(PeltiSession *s);
void pelti_oven_end(PeltiSession *session);                      ///< cancels and waits
void pelti_session_drop(PeltiSession *session, PeltiCast *cast); ///< one use less; with the lock held; NULL is fine

#endif
