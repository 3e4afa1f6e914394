# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender to the library and back: meshes as they are before their Armature modifier, bones, poses, points."""
import bpy
import numpy as np

from . import library
from .settings import identity


def armature_of(obj):
    """The first Armature modifier that has an armature; None: there is none."""
    if obj is None or obj.type != "MESH":
        return None
    return next((m for m in obj.modifiers if m.type == "ARMATURE" and m.object and m.object.type == "ARMATURE"), None)


def rig_of(obj):
    """The armature that an object is, or is bound to."""
    if obj is None or obj.type == "ARMATURE":
        return obj
    found = armature_of(obj)
    return found.object if found else None


def meshes_of(rig, scene):
    """Every mesh bound to the armature, in the order of names: prepared together, so that clothes and body know each other."""
    found = [o for o in scene.objects if not o.pelt_tag.display_of and armature_of(o) and armature_of(o).object == rig]
    return sorted(found, key=lambda o: o.name)


def matrix(value):
    return np.array(value, np.float64)


def moved(points, by):
    if np.array_equal(by, np.eye(4)):
        return points
    return points @ by[:3, :3].T + by[:3, 3]


def points_of(mesh):
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def put_points(mesh, points):
    flat = np.ascontiguousarray(points, np.float32).ravel()
    if "position" in mesh.attributes:  # Blender 3.5 and later
        mesh.attributes["position"].data.foreach_set("vector", flat)
    else:
        mesh.vertices.foreach_set("co", flat)
    mesh.update()


def numbers(collection, name):
    values = np.empty(len(collection), np.int32)
    collection.foreach_get(name, values)
    return values


class Undeformed:
    """While it lasts, objects are shown without their Armature and what stands behind it: Blender need not make what nobody looks at."""

    def __init__(self, objects):
        self.modifiers = []
        for obj in objects:
            every = list(obj.modifiers)
            self.modifiers += every[every.index(armature_of(obj)):]

    def __enter__(self):
        self.shown = [m.show_viewport for m in self.modifiers]
        for m in self.modifiers:
            m.show_viewport = False

    def __exit__(self, *_):
        for m, was in zip(self.modifiers, self.shown):
            m.show_viewport = was


def before_armature(obj):
    """A new mesh: the object's with shape keys and the modifiers that stand before the Armature, and no other."""
    with Undeformed([obj]):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph)
    bpy.context.view_layer.update()
    return mesh


class Source:
    """One mesh of a character: which object it is, and where its points stand in the library's."""

    def __init__(self, obj, start):
        self.identity, self.name, self.start = identity(obj.pelt_tag), obj.name, start
        mesh = before_armature(obj)
        self.rest, self.corners, self.sizes = points_of(mesh), numbers(mesh.loops, "vertex_index"), numbers(mesh.polygons, "loop_total")
        self.groups = [g.name for g in obj.vertex_groups]
        self.rows = [[(self.groups[g.group], g.weight) for g in v.groups if g.group < len(self.groups)] for v in mesh.vertices]
        bpy.data.meshes.remove(mesh)
        self.base_count = len(obj.data.vertices)
        self.count = len(self.rest)
        self.keys = key_values(obj)

    def find(self, scene):
        return find(self.identity, self.name, scene)

    def span(self):
        return slice(self.start, self.start + self.count)

    def points_now(self, obj, exact):
        """Points before the Armature as the shape keys have them now; None: as when prepared. `exact` evaluates modifiers that stand
        before the Armature too, which live does not do."""
        values = key_values(obj)
        if values == self.keys:
            return None
        if plain_keys(obj):
            return mixed_keys(obj)
        if not exact:
            return None
        mesh = before_armature(obj)
        points = points_of(mesh)
        bpy.data.meshes.remove(mesh)
        return points if len(points) == self.count else None


def find(wanted, name, scene):
    """The object with an identity, wherever renaming has taken it; None: it is gone."""
    obj = scene.objects.get(name)
    if obj is not None and obj.pelt_tag.identity == wanted and not obj.pelt_tag.display_of:
        return obj
    return next((o for o in scene.objects if o.pelt_tag.identity == wanted and not o.pelt_tag.display_of), None)


def plain_keys(obj):
    """Shape keys that can be mixed here: relative ones, with no modifier between them and the Armature."""
    return armature_of(obj) == obj.modifiers[0] and obj.data.shape_keys.use_relative


def key_values(obj):
    keys = obj.data.shape_keys
    return [] if not keys else [0 if b.mute else b.value for b in keys.key_blocks]


def mixed_keys(obj):
    """Relative shape keys as Blender mixes them: each moves its points away from those it is relative to."""
    blocks = obj.data.shape_keys.key_blocks

    def shape(block):
        points = np.empty(3 * len(block.data), np.float32)
        block.data.foreach_get("co", points)
        return points.reshape(-1, 3)

    out = shape(blocks[0]).copy()
    for block in blocks[1:]:
        if block.mute or not block.value:
            continue
        share = np.full(len(out), block.value, np.float32)
        group = obj.vertex_groups.get(block.vertex_group) if block.vertex_group else None
        if group:
            share *= [next((g.weight for g in v.groups if g.group == group.index), 0) for v in obj.data.vertices]
        out += share[:, None] * (shape(block) - shape(block.relative_key))
    return out


def weight_rows(rows, bones):
    """Rows of joints and shares, as long as the longest; None: no vertex has any."""
    places = {b: i for i, b in enumerate(bones)}
    rows = [[(places[n], w) for n, w in row if n in places and w > 0] for row in rows]
    most = max((len(r) for r in rows), default=0)
    if not most:
        return None, None
    which, share = np.zeros((len(rows), most), np.int32), np.zeros((len(rows), most), np.float32)
    for v, row in enumerate(rows):
        for k, (j, w) in enumerate(row):
            which[v, k], share[v, k] = j, w
    return which, share


def deforming(rig):
    """Bones that move skin, and every bone that carries one: the character's joints."""
    wanted = set()
    for bone in rig.data.bones:
        if bone.use_deform:
            wanted.add(bone.name)
            wanted.update(b.name for b in bone.parent_recursive)
    return [b for b in rig.data.bones if b.name in wanted]


def character_of(rig, scene):
    """The library's character, the meshes it is made of and the names of its joints."""
    sources, start = [], 0
    for obj in meshes_of(rig, scene):
        sources.append(Source(obj, start))
        start += sources[-1].count
    bones, place, pelt = deforming(rig), matrix(rig.matrix_world), library.pelt
    names = [b.name for b in bones]
    joints = [pelt.Joint(b.name, names.index(b.parent.name) if b.parent else -1, place @ matrix(b.matrix_local)) for b in bones]
    moving = [b.name if b.use_deform else None for b in bones]
    meshes = []
    for s in sources:
        which, share = s.weights = weight_rows(s.rows, moving)
        points = moved(s.rest, matrix(s.find(scene).matrix_world))
        meshes.append(pelt.Mesh(s.name, points, s.corners, s.sizes, which, share))
    who = pelt.Character.create(joints, meshes, up="z", unit_m=scene.unit_settings.scale_length or 1)
    return who, sources, names


def oddities(rig, scene):
    """What Blender's Armature does and Pelt does not, in words."""
    words = []
    for obj in meshes_of(rig, scene):
        modifier = armature_of(obj)
        if modifier.use_bone_envelopes:
            words.append("%s: bone envelopes are not used, only vertex groups" % obj.name)
        if modifier.vertex_group:
            words.append("%s: the Armature's vertex group %s does not limit Pelt" % (obj.name, modifier.vertex_group))
        if obj.data.shape_keys and not plain_keys(obj):
            words.append("%s: shape keys below other modifiers follow in bakes; live shows them as when prepared" % obj.name)
    if any(b.bbone_segments > 1 for b in deforming(rig)):
        words.append("bendy bones count as straight ones")
    return words


class Bones:
    """Reads the pose of the character's joints: [joints x 4 x 4], joint -> world."""

    def __init__(self, rig, names):
        every = [b.name for b in rig.pose.bones]
        self.names, self.count = names, len(every)
        self.pick = np.array([every.index(n) for n in names])
        self.flat = np.empty(16 * self.count, np.float32)

    def read(self, rig, depsgraph):
        evaluated = rig.evaluated_get(depsgraph)
        if len(evaluated.pose.bones) != self.count:
            return None
        evaluated.pose.bones.foreach_get("matrix", self.flat)
        own = self.flat.reshape(-1, 4, 4).transpose(0, 2, 1)[self.pick]  # columns first in Blender
        return np.ascontiguousarray(matrix(evaluated.matrix_world) @ own, np.float32)
