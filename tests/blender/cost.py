"""Inside Blender: what the add-on adds to the library's own time, live and in a bake, on a character that `pelt make` made.
Prints a table; tools/measure-blender.sh runs it."""
import os
import subprocess
import sys
import time

CHARACTER, FOLDER = sys.argv[sys.argv.index("--") + 1:][:2]
import bpy  # noqa: E402
import numpy as np  # noqa: E402

if not hasattr(np, "bool"):
    np.bool = bool  # Debian 12's glTF importer is older than its numpy

bpy.ops.preferences.addon_enable(module="pelt_skin")
bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
from pelt_skin import convert, live  # noqa: E402

bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.import_scene.gltf(filepath=CHARACTER)
rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
walk = next(a for a in bpy.data.actions if "walk" in a.name.lower())
rig.animation_data_clear()
bpy.context.view_layer.objects.active = rig
scene = bpy.context.scene
vertices = sum(len(o.data.vertices) for o in convert.meshes_of(rig, scene))
elbow = next(b for b in rig.pose.bones if "fore" in b.name.lower() or "elbow" in b.name.lower() or "lower" in b.name.lower())
elbow.rotation_mode = "XYZ"
print("| what | ms |\n|---|---|")
for method in ("lbs", "tracking"):
    rig.pelt.method = method
    bpy.ops.pelt.prepare()
    session, own, all_, blender = live.sessions[rig.pelt.identity], [], [], []
    inside = live._on_depsgraph

    def timed(*arguments):
        began = time.perf_counter()
        inside(*arguments)
        all_.append(1e3 * (time.perf_counter() - began))

    handlers = bpy.app.handlers.depsgraph_update_post
    handlers[handlers.index(inside)] = timed
    for k in range(30):
        elbow.rotation_euler[0] = 0.02 * k
        all_.clear()
        bpy.context.view_layer.update()
        if k > 2:
            own.append(sum(all_) - session.skin.last_step.ms)
    handlers[handlers.index(timed)] = inside
    print("| live by `%s`, %s turning, %d vertices: the add-on beside the library's step (median of %d) | %.2f |"
          % (method, elbow.name, vertices, len(own), np.median(own)))
    bpy.ops.pelt.live()

FRAMES = 250
from pelt_skin import bake  # noqa: E402


def by_add_on(exported):
    began, spent = time.perf_counter(), 0.0
    work = bake.Bake(rig, scene)
    for _ in work.run():
        spent += work.session.skin.last_step.ms
    return 1e3 * (time.perf_counter() - began), spent


def by_command(exported):
    began = time.perf_counter()
    subprocess.run([os.environ["PELT"], "bake", exported, "-m", "tracking", "--fps", "24", "--frames", "0:%d" % (FRAMES - 1), "-q",
                    "-o", os.path.join(FOLDER, "cost.pc2")], check=True)
    return 1e3 * (time.perf_counter() - began)


def compare_bakes(name, runs):
    """The same motion baked by the add-on and, from the file that Blender exports, by the command, by turns."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "cost.blend"))
    exported = os.path.join(FOLDER, "cost.glb")
    bpy.ops.export_scene.gltf(filepath=exported, export_frame_range=True, export_force_sampling=True)
    times = [(by_command(exported),) + by_add_on(exported) for _ in range(runs)]
    command, add_on, spent = (min(column) / FRAMES for column in zip(*times))
    print("| bake of %d frames by `tracking`, %s, preparing included: `pelt bake`, a frame (least of %d) | %.2f |" % (FRAMES, name, runs, command))
    print("| the add-on, a frame (of that the library's steps %.2f) | %.2f |" % (spent, add_on))
    print("| the add-on against `pelt bake`, %% | %+.1f |" % (100 * (add_on / command - 1)))
    bpy.ops.pelt.remove()


for curve in walk.fcurves:
    curve.modifiers.new("CYCLES")
rig.animation_data_create().action = walk
bpy.ops.nla.bake(frame_start=1, frame_end=FRAMES, only_selected=False, bake_types={"POSE"})  # the exporter sees keys alone
for action in [a for a in bpy.data.actions if a != rig.animation_data.action]:
    bpy.data.actions.remove(action)
compare_bakes("the walk over and over", 2)
bpy.data.actions.remove(rig.animation_data.action)
rig.animation_data_clear()
for frame in (1, FRAMES):
    elbow.rotation_euler[0] = 1.2 * frame / FRAMES
    elbow.keyframe_insert("rotation_euler", frame=frame)
compare_bakes("an elbow turning", 3)
