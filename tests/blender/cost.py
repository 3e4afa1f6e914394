"""Inside Blender: what the add-on adds to the library's own time, live and in a bake, on a character that `pelt make` made.
Prints a table; tools/measure-blender.sh runs it."""
import os
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
for frame in (1, 60):
    elbow.rotation_euler[0] = 0.02 * frame
    elbow.keyframe_insert("rotation_euler", frame=frame)
scene.frame_start, scene.frame_end = 1, 60
bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "cost.blend"))
from pelt_skin import bake  # noqa: E402

work, spent = bake.Bake(rig, scene), 0.0
began = time.perf_counter()
for _ in work.run():
    spent += work.session.skin.last_step.ms
total = 1e3 * (time.perf_counter() - began)
print("| bake of 60 frames by `tracking`, a frame | %.2f |\n| of that the library's steps | %.2f |" % (total / 60, spent / 60))
