/// The world made of the scene that slot 0 touches, and the mouse's hand in it: objects held and thrown, skin pulled, on the
/// solver's own thread.
#ifndef PELTI_STUDIO_PLAY_H
#define PELTI_STUDIO_PLAY_H

#include "studio/session_parts.h"

typedef struct PeltiPlay {
    PeltiSessionSceneWish wish;          ///< as it is wanted
    uint32_t made;                       ///< serial of the wish the world was made of
    PeltSkin *skin;                      ///< that it steps, and that is poked
    PeltWorld *world;                    ///< NULL: none
    PeltiSessionSceneWish made_of;       ///< what it was made of
    PeltSceneObject kept[PELTI_OBJECTS]; ///< places and speeds of its objects when it ended, by their order in `made_of`
    int kept_count;
    float owed_s;    ///< time that went by and was not stepped yet, or (below 0) was stepped ahead
    PeltScene scene; ///< outlives the world
    PeltSceneObject objects[PELTI_OBJECTS];
    char names[PELTI_OBJECTS][24];
    PeltSceneJoint joints[PELTI_STIFF];
    const PeltiSessionMesh *meshes[PELTI_MESHES]; ///< as they were when the world was wished for
    int held;                                     ///< object in hand; -1 or 0 while `holds` is false
    bool holds;
    int poked, anchor; ///< the point that is pulled, by which anchor of the skin
    bool pokes;
    float contact_ms;
    char trouble[200]; ///< why there is no world though one is wanted; empty: none
} PeltiPlay;

/// Makes the world anew where it is another, or after a cut, and takes up or lets go of what is poked. True: pelti_play_step is
/// to be called in place of the skin's own step.
bool pelti_play_ready(PeltiPlay *play, PeltSkin *skin, const PeltiSessionWish *wish);
/// One step of the world. `pose` becomes the pose that contact allows.
void pelti_play_step(PeltiPlay *play, PeltPose *pose, const PeltiSessionWish *wish, PeltStepInfo *info);
/// What the page sees of it.
void pelti_play_show(const PeltiPlay *play, PeltiSessionShown *shown);
void pelti_play_end(PeltiPlay *play); ///< before its skin goes

#endif
