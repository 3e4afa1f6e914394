"""Small rigs for the tests in Blender: a tube along z in an armature whose bones run along it."""
import bpy
import numpy as np


def make(bones, rings, corners=10, empty=True):
    """Armature and tube of height 3, weights by groups that blend from bone to bone."""
    if empty:
        for obj in list(bpy.data.objects):
            bpy.data.objects.remove(obj)
    armature = bpy.data.armatures.new("armature")
    rig = bpy.data.objects.new("rig", armature)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    length, parent = 3 / bones, None
    for i in range(bones):
        bone = armature.edit_bones.new("bone %d" % i)
        bone.head, bone.tail, bone.roll, bone.parent = (0, 0, i * length), (0, 0, (i + 1) * length), 0.1 * i, parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig, tube(rig, bones, rings, corners)


def tube(rig, bones, rings, corners=10, radius=0.3, name="tube"):
    """A tube, open or closed by fans of its end rings, bound to the armature."""
    angle, height = np.meshgrid(np.arange(corners) * 2 * np.pi / corners, np.linspace(0, 3, rings))
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1).reshape(-1, 3)
    a = np.arange((rings - 1) * corners)
    b = a // corners * corners + (a + 1) % corners
    faces = np.stack([a, b, b + corners, a + corners], axis=1).tolist()
    faces += [list(range(corners))[::-1], list(range((rings - 1) * corners, rings * corners))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces)
    skin = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(skin)
    length = 3 / bones
    for i in range(bones):
        group, middle = skin.vertex_groups.new(name="bone %d" % i), (i + 0.5) * length
        for v, z in enumerate(points[:, 2]):
            share = 1 - abs(z - middle) / (1.5 * length)
            if share > 0:
                group.add([v], share, "REPLACE")
    skin.modifiers.new("armature", "ARMATURE").object = rig
    return skin


def pose(rig, turn, frame=None):
    for i, bone in enumerate(rig.pose.bones):
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (turn, 0.4 * turn * (i % 3), 0.3 * turn)
        if frame is not None:
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.view_layer.update()


def vertices(mesh):
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def shown(obj):
    """What Blender shows of an object, in the world."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    place = np.array(obj.matrix_world)
    return vertices(evaluated.data) @ place[:3, :3].T + place[:3, 3]
