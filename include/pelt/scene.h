/// Scenes: what a character touches, as plain descriptions, filled by a reader (--scene) or by hand, read by the contact room.
/// Lengths are in the character's world units, masses in kg, times in s. Strings and arrays belong to whoever filled them and
/// must outlive what is made from them.
#ifndef PELT_SCENE_H
#define PELT_SCENE_H

#include <pelt/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PeltObjectKind {
    PELT_OBJECT_FIXED, ///< never moves
    PELT_OBJECT_RIGID, ///< mass and inertia, free to move
    PELT_OBJECT_SOFT   ///< linear elasticity on tetrahedra, turning with the body
} PeltObjectKind;

typedef enum PeltShape {
    PELT_SHAPE_MESH,     ///< `vertices` and `triangles` below (a reader fills them from `file`)
    PELT_SHAPE_SPHERE,   ///< size[0] radius
    PELT_SHAPE_BOX,      ///< size: edge lengths along x, y, z
    PELT_SHAPE_CAPSULE,  ///< size[0] radius, size[1] length between the centres of its caps, along y
    PELT_SHAPE_CYLINDER, ///< size[0] radius, size[1] length, along y
    PELT_SHAPE_SLOPE     ///< a wedge: size[0] length along x, size[1] width along z, size[2] angle in degrees; rises along +x
} PeltShape;

typedef struct PeltSceneObject {
    const char *name; ///< unique in the scene
    PeltObjectKind kind;
    PeltShape shape;
    float size[3];
    int detail;       ///< segments around round shapes, 0: 24; cells along the longest edge of soft ones, 0 or above 16: 6
    const char *file; ///< mesh: .glb, .gltf or .obj; tetrahedra: .msh or .mesh. For messages once it is read
    float scale;      ///< of the mesh; 0: 1
    int vertex_count;
    const float (*vertices)[3];
    int triangle_count;
    const int (*triangles)[3]; ///< closed, outward
    int tetrahedron_count;     ///< soft: 0 lets Pelt make them
    const int (*tetrahedra)[4];
    float position[3];         ///< of the shape's origin
    float rotation[4];         ///< quaternion x, y, z, w; all zero: none
    float velocity[3];         ///< units/s
    float angular_velocity[3]; ///< rad/s, world axes
    float mass_kg;             ///< 0: from density
    float density;             ///< kg per unit^3; 0: 1000
    float young_modulus_pa;    ///< soft; 0: 1e5
    float poisson_ratio;       ///< soft; in [0, 0.49]; 0: 0.3
    float damping;             ///< soft: Rayleigh stiffness damping in s; 0: 0.005
    float friction;            ///< Coulomb's mu against anything; < 0: the scene's
    float restitution;         ///< in [0, 1]; < 0: the scene's
} PeltSceneObject;

/// Friction and restitution of one pair of names (objects, characters or "ground"), before those of either.
typedef struct PeltScenePair {
    const char *a, *b;
    float friction, restitution; ///< < 0: as without this entry
} PeltScenePair;

/// How a joint gives way. Quasi-static: torque = stiffness * angle away from the animated pose.
typedef struct PeltSceneJoint {
    const char *character; ///< NULL: every character that has the joint
    const char *joint;
    float stiffness; ///< N m / rad; 0: default from what the joint carries
    bool rigid;      ///< does not give way at all
} PeltSceneJoint;

/// Another character, posed by its own clip. The first character of a bake is the input file's and is not listed here.
typedef struct PeltSceneCharacter {
    const char *name, *file;
    const char *clip; ///< NULL: the first
    float position[3];
    float rotation[4]; ///< all zero: none
} PeltSceneCharacter;

typedef struct PeltScene {
    float gravity[3]; ///< units/s^2
    bool has_ground;
    float ground_height;   ///< the plane y = ground_height, solid below
    float friction;        ///< default mu of every pair
    float restitution;     ///< default of every pair
    float alarm_distance;  ///< contacts are watched within this distance; 0: 0.5 % of the character's size
    float joint_stiffness; ///< scales all default joint stiffnesses; 0: 1
    float root_stiffness;  ///< N / unit: the root gives way by a shift; 0: as its mass asks. A `rigid` root does not
    float joint_damping_s; ///< how slowly a joint comes back when nothing pushes it any more: time to about a third; 0: at once
    int object_count;
    const PeltSceneObject *objects;
    int pair_count;
    const PeltScenePair *pairs;
    int joint_count;
    const PeltSceneJoint *joints;
    int character_count;
    const PeltSceneCharacter *characters;
    uint32_t guard; ///< filled by pelt_scene_default
} PeltScene;

/// Returns a scene without objects and ground, with gravity (0, -9.81, 0), friction 0.6, restitution 0 and joint damping 0.03 s.
/// Any thread may call it, and it costs nothing.
PELT_API PeltScene pelt_scene_default(void);
/// Returns a rigid box of edge 1 at the origin, of density 1000 and with the scene's friction and restitution. Any thread may
/// call it, and it costs nothing.
PELT_API PeltSceneObject pelt_scene_object_default(void);

#ifdef __cplusplus
}
#endif
#endif
