"""Pictures of docs/blender.md, made in Blender's own window: the panel, live beside the Armature, and a baked render.
Run by tools/figures-blender.sh, which brings a display."""
import os
import subprocess
import sys

CHARACTER, WORK, OUT = sys.argv[sys.argv.index("--") + 1:][:3]
import bpy  # noqa: E402
import numpy as np  # noqa: E402

if not hasattr(np, "bool"):
    np.bool = bool  # Debian 12's glTF importer is older than its numpy
bpy.ops.preferences.addon_enable(module="pelt_skin")
bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
bpy.context.preferences.view.show_splash = False
state = {"step": 0}


def arrange():
    """The character in a bend, the sidebar open at Pelt's panel."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.import_scene.gltf(filepath=CHARACTER)
    rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    for obj in [o for o in bpy.data.objects if o.type == "MESH" and o.name.startswith("Icosphere")]:
        bpy.data.objects.remove(obj)
    bpy.context.view_layer.objects.active = rig
    for track in list(rig.animation_data.nla_tracks):
        rig.animation_data.nla_tracks.remove(track)
    rig.animation_data.action = next(a for a in bpy.data.actions if a.name.startswith("bend"))
    bpy.context.scene.frame_end = 48
    bpy.context.scene.frame_set(24)
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            space = area.spaces[0]
            space.show_region_ui, space.shading.light, space.shading.show_cavity = True, "STUDIO", True
            space.overlay.show_bones = space.overlay.show_floor = space.overlay.show_cursor = space.overlay.show_text = False
            region = next(r for r in area.regions if r.type == "WINDOW")
            with bpy.context.temp_override(area=area, region=region):
                bpy.ops.view3d.view_axis(type="FRONT")
                bpy.ops.view3d.view_all()
            state["area"] = area
    return rig


def picture(name):
    bpy.ops.screen.screenshot(filepath=os.path.join(OUT, name))


def work():
    state["step"] += 1
    if state["step"] == 1:
        state["rig"] = arrange().name
        return 1.0
    rig = bpy.data.objects[state["rig"]]
    if state["step"] == 2:
        rig.pelt.beside = True
        bpy.ops.pelt.live()
        area = state["area"]
        region = next(r for r in area.regions if r.type == "WINDOW")
        with bpy.context.temp_override(area=area, region=region):
            bpy.ops.view3d.view_all()
            bpy.ops.view3d.zoom(delta=3)
        tab = next(r for r in area.regions if r.type == "UI")
        subprocess.run(["xdotool", "mousemove", str(tab.x + tab.width - 12), str(800 - tab.y - tab.height + 158), "click", "1"], check=True)
        return 2.0
    if state["step"] == 3:
        picture("blender-panel.png")
        return 0.5
    render(rig)
    bpy.ops.wm.quit_blender()
    return None


def render(rig):
    """The same frame from a bake and by the Armature, side by side."""
    scene = bpy.context.scene
    bpy.ops.pelt.live()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(WORK, "figure.blend"))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "SUN"))
    for obj in (camera, lamp):
        scene.collection.objects.link(obj)
    camera.location, camera.rotation_euler, scene.camera = (0.95, -1.75, 0.95), (1.36, 0, 0.5), camera
    lamp.rotation_euler, lamp.data.energy, lamp.data.angle = (0.7, 0.3, 0.2), 3, 0.2
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "CYCLES", 480, 420
    scene.cycles.samples, scene.cycles.use_denoising = 24, False
    scene.world = bpy.data.worlds.new("world")
    scene.world.color = (0.16, 0.17, 0.2)
    halves = []
    for name in ("by-armature", "by-pelt"):
        if name == "by-pelt":
            rig.pelt.own_range, rig.pelt.first, rig.pelt.last = True, 1, 24
            bpy.ops.pelt.bake("EXEC_DEFAULT")
        scene.frame_set(24)
        scene.render.filepath = os.path.join(WORK, name)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath + ".png")
        halves.append(np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4))
    both = np.concatenate(halves, axis=1)
    out = bpy.data.images.new("both", both.shape[1], both.shape[0])
    out.pixels = both.ravel().tolist()
    out.filepath_raw, out.file_format = os.path.join(OUT, "blender-render.png"), "PNG"
    out.save()


bpy.app.timers.register(work, first_interval=2.0)
