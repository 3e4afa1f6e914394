# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with a tag as things of a world: Blender's z-up units to metres with y up, and back into keys."""
import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import convert, library

UPRIGHT = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], np.float64)  # z up -> y up


class Things:
    """The tagged objects of a scene: built into a world, led along their animation, and keyed where they are free."""

    def __init__(self, scene):
        self.unit = scene.unit_settings.scale_length or 1
        self.fixed = [o.name for o in scene.objects if o.type == "MESH" and o.pelt_tag.collide == "FIXED"]
        self.free = [o.name for o in scene.objects if o.type == "MESH" and o.pelt_tag.collide == "RIGID"]
        self.scale, self.keys = {}, {name: [] for name in self.free}

    def __bool__(self):
        return bool(self.fixed or self.free)

    def _place(self, obj):
        """Position in metres with y up, and turn, of an object's origin."""
        where, turn, _ = obj.matrix_world.decompose()
        up = Matrix(UPRIGHT.tolist()).to_quaternion()
        turned = up @ turn @ up.inverted()
        return UPRIGHT @ np.array(where) * self.unit, (turned.x, turned.y, turned.z, turned.w)

    def _thing(self, obj, kind, depsgraph):
        mesh = obj.evaluated_get(depsgraph).to_mesh()
        mesh.calc_loop_triangles()
        scale = np.array(obj.matrix_world.decompose()[2])
        points = convert.points_of(mesh) * scale @ UPRIGHT.T * self.unit
        triangles = convert.numbers(mesh.loops, "vertex_index")[_corners(mesh)]
        if np.prod(scale) < 0:
            triangles = triangles[:, ::-1]
        obj.evaluated_get(depsgraph).to_mesh_clear()
        position, rotation = self._place(obj)
        return library.pelt.Thing(obj.name, kind, "mesh", points=points, triangles=triangles, position=position, rotation=rotation,
                                  mass_kg=obj.pelt_tag.mass)

    def world(self, skin, scene, depsgraph):
        made = [self._thing(scene.objects[n], kind, depsgraph) for kind, names in (("fixed", self.fixed), ("rigid", self.free)) for n in names]
        gravity = UPRIGHT @ np.array(scene.gravity) if scene.use_gravity else np.zeros(3)
        return library.pelt.World([skin], made, gravity=gravity)

    def lead(self, world, scene):
        for name in self.fixed:
            world.hold(name, *self._place(scene.objects[name]))

    def keep(self, world, frame):
        """Notes where free objects are now."""
        for state in world.things:
            if state.name in self.keys:
                where = UPRIGHT.T @ state.origin / self.unit
                turn = Matrix((UPRIGHT.T @ state.axes @ UPRIGHT).tolist()).to_quaternion()
                self.keys[state.name].append((frame, where, turn))

    def write_keys(self, scene):
        """An action of their own for free objects; what they had is kept aside for Remove."""
        for name, keys in self.keys.items():
            obj = scene.objects[name]
            if "pelt_before" not in obj:
                obj["pelt_before"] = [x for row in obj.matrix_world for x in row]
                obj["pelt_action"] = obj.animation_data.action.name if obj.animation_data and obj.animation_data.action else ""
            obj.animation_data_create().action = bpy.data.actions.new("Pelt " + name)
            obj.rotation_mode, last = "QUATERNION", None
            scale = Matrix.Diagonal(obj.matrix_world.to_scale()).to_4x4()
            for frame, where, turn in keys:
                if last is not None and last.dot(turn) < 0:
                    turn = Quaternion([-x for x in turn])
                obj.matrix_world, last = Matrix.Translation(where) @ turn.to_matrix().to_4x4() @ scale, turn
                obj.keyframe_insert("location", frame=frame)
                obj.keyframe_insert("rotation_quaternion", frame=frame)


def give_back(scene):
    """Free objects as they were before the bake."""
    for obj in [o for o in scene.objects if "pelt_before" in o]:
        action = obj.animation_data.action
        obj.animation_data.action = bpy.data.actions.get(obj["pelt_action"]) if obj["pelt_action"] else None
        if action and not action.users:
            bpy.data.actions.remove(action)
        flat = list(obj["pelt_before"])
        obj.matrix_world = Matrix([flat[4 * i:4 * i + 4] for i in range(4)])
        del obj["pelt_before"], obj["pelt_action"]


def _corners(mesh):
    corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("loops", corners)
    return corners.reshape(-1, 3)
