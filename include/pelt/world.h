/// Characters in a world, live: each step takes the poses you want, lets friction contact correct them (docs/contact.md), moves
/// the objects and makes the skins. `pelt bake --scene` is the same from a clip.
#ifndef PELT_WORLD_H
#define PELT_WORLD_H

#include <pelt/scene.h>
#include <pelt/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Skins and objects that touch each other. One thread at a time may call the functions that take it, its own.
typedef struct PeltWorld PeltWorld;

typedef struct PeltWorldDef {
    const PeltScene *scene; ///< filled by hand, outlives the world; NULL: read `scene_path`
    const char *scene_path; ///< as --scene; NULL: `scene`
    PeltSkin *const *skins; ///< one for each character: the first is "character", the others as the scene's list names them
    int skin_count; ///< 1 + the scene's character_count. Their files and clips are not looked at: you bring skins and poses
    bool final;     ///< contact laws to 1e-6, as where a skin has `quality=final` (docs/methods.md); else to 1e-4
    int work; ///< a step's most visits to contacts, about 0.6 us each; what is left waits for the next step. 0: 200 000, final
              ///< ten times as many
    PeltAllocator allocator;
    uint32_t guard; ///< filled by pelt_world_def_default, checked by create
} PeltWorldDef;
/// Returns a description without a scene and skins yet. Any thread may call it, and it costs nothing.
PELT_API PeltWorldDef pelt_world_def_default(void);

/// Prepares contact between the skins and the objects. It takes a fraction of a second for each character and soft object, and
/// memory from `def->allocator`. Any thread may call it. The skins must outlive the world and are stepped by it from now on, on
/// the world's thread. The caller destroys what `out` gets; on failure that is NULL. It fails with PELT_BAD_INPUT,
/// which says what of the scene is not sound or that there are not as many skins as characters, PELT_IO, which says which file
/// cannot be read, and PELT_FAILED where there is no memory. What pelt_skin_create says of rand() is true of it too.
PELT_API PeltStatus pelt_world_create(const PeltWorldDef *def, PeltWorld **out, PeltError *err);
/// Frees a world and its objects, not the skins; NULL is fine. No other thread may be using it.
PELT_API void pelt_world_destroy(PeltWorld *world);

typedef struct PeltWorldInfo {
    double ms;       ///< the correction alone; a skin's step comes on top
    double skin_ms;  ///< making the skins
    int watched;     ///< contacts within the alarm distance
    int pushing;     ///< of them, with a force
    int iterations;  ///< of the solver
    bool converged;  ///< every solve came to its tolerance
    double residual; ///< last change, share of the character's size
    double pushed;   ///< farthest that a shown point had to be moved out of an object at the end, share of the size
} PeltWorldInfo;

/// Steps everything by one frame: `poses[i]` is what character i is to do, in world space, `dt_s` after the last step (the first
/// step only places everything). Afterwards pelt_skin_positions of each skin is what is to be shown. It cannot fail; it does not
/// allocate, but for what soft objects keep of vertices touched for the first time, and where that is refused they only take
/// longer. `info` may be NULL. It must be called from the world's thread, and costs a few ms a character where something touches
/// (docs/contact.md), and the skins' own steps.
PELT_API void pelt_world_step(PeltWorld *world, const PeltPose *const *poses, float dt_s, PeltWorldInfo *info);

/// Copies the corrected pose of a character in the last step into `out`, a pose of that character; another one asserts. It must
/// be called from the world's thread, costs a copy of the nodes and does not allocate.
PELT_API void pelt_world_pose(const PeltWorld *world, int character, PeltPose *out);

typedef struct PeltWorldObject {
    const char *name;
    PeltObjectKind kind;
    int vertex_count, triangle_count;
    const float *positions;     ///< [vertex_count x 3] world, good until the next step
    const int *triangles;       ///< [triangle_count x 3], do not change
    float centre[3];            ///< of mass
    float velocity[3], spin[3]; ///< of the centre, units/s; rad/s, rigid
    float origin[3], axes[3][3],
        mass_kg; ///< own -> world: x' = axes x + origin, as the scene describes the object; rigid and fixed
} PeltWorldObject;
/// Objects are numbered in the order of the scene.

/// Returns how many objects the scene has. It must be called from the world's thread, at no cost.
PELT_API int pelt_world_object_count(const PeltWorld *world);
/// Returns an object as it is after the last step; what it points to is owned by the world. A number outside [0, count) asserts.
/// It must be called from the world's thread and costs a copy of what is returned.
PELT_API PeltWorldObject pelt_world_object(const PeltWorld *world, int object);
/// Takes an object in hand, by the mouse or by an animation of yours: within the next step its frame (origin and axes above)
/// moves to `goal`, which is copied, straight and pushing what is in its way, and there it stays until moved again or let go.
/// Call it before each step to lead it along a path. A soft object is led by its centre and does not turn in the hand; its flesh
/// trembles and dents, and what it is pressed against may push it aside. It must be called from the world's thread, costs nothing
/// and does not allocate. It fails with PELT_BAD_ARGUMENT where there is no such object, a number is not finite, the rotation is
/// zero or the scale is not 1.
PELT_API PeltStatus pelt_world_hold(PeltWorld *world, int object, const PeltTransform *goal, PeltError *err);
/// Lets an object go, held or not: a rigid or soft one goes on with the speed it was moved at (a throw), a fixed one stays. A
/// number outside [0, count) asserts. It must be called from the world's thread, at no cost.
PELT_API void pelt_world_let_go(PeltWorld *world, int object);
/// Returns the number of the object of that name, and -1 where there is none. It must be called from the world's thread and costs
/// a look at each in turn.
PELT_API int pelt_world_object_find(const PeltWorld *world, const char *name);

typedef struct PeltWorldContact {
    const char *a, *b; ///< names: objects, characters, "ground"
    float at[3];       ///< world
    float normal[3];   ///< from b to a
    float force[3];    ///< on a, N
    float gap;         ///< after the step, linearised
    bool slides;       ///< else it sticks
} PeltWorldContact;
/// Returns how many contacts were watched in the last step, those without a force included. It must be called from the world's
/// thread, at no cost.
PELT_API int pelt_world_contact_count(const PeltWorld *world);
/// Returns one of them; its names are owned by the scene. A number outside [0, count) asserts. It must be called from the world's
/// thread and costs a copy of what is returned.
PELT_API PeltWorldContact pelt_world_contact(const PeltWorld *world, int contact);

#ifdef __cplusplus
}
#endif
#endif
