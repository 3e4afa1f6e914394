"""Inside Blender: the add-on as its zip installs it. Live and bakes against the Armature and each other, undo, files, deletion,
renders, shape keys, modifiers, several meshes, objects that are touched. Run by test_addon.sh."""
import os
import sys
import time

FOLDER = sys.argv[sys.argv.index("--") + 1]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bpy  # noqa: E402
import numpy as np  # noqa: E402
from rigs import make, pose, shown, tube  # noqa: E402

bpy.ops.preferences.addon_enable(module="pelt_skin")
from pelt_skin import bake, convert, library, live, settings  # noqa: E402

assert library.pelt, library.missing


def choose(rig, method, **options):
    bpy.context.view_layer.objects.active = rig
    rig.pelt.method = method
    for name, value in options.items():
        setattr(getattr(rig.pelt, method), name, value)


def begin(bones=3, rings=24, method="lbs"):
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig, skin = make(bones, rings)
    choose(rig, method)
    if method == "lbs":
        rig.pelt.lbs.weights = "file"
    return rig, skin


def copy_of(skin):
    found = live.displays(bpy.context.scene, skin.pelt_tag.identity)
    assert len(found) == 1, found
    return found[0]


def near(a, b, most, what):
    far = np.abs(a - b).max() / 3
    print("%s: %.1e of the size" % (what, far))
    assert far < most, what


def test_live_is_armature():
    rig, skin = begin()
    skin.location, skin.rotation_euler, skin.scale = (1, 2, 3), (0.1, 0.2, 0.3), (2, 2, 2)
    bpy.context.view_layer.update()
    before = shown(skin)
    assert bpy.ops.pelt.live() == {"FINISHED"}
    for turn in (0, 0.5, -0.8):
        pose(rig, turn)
        near(shown(copy_of(skin)), shown(skin), 1e-5, "live against Armature, turned by %.1f" % turn)
    assert skin.hide_get() and copy_of(skin).hide_render
    pose(rig, 0)
    near(shown(skin), before, 1e-7, "the mesh itself")
    assert bpy.ops.pelt.live() == {"FINISHED"}
    assert not skin.hide_get() and not live.displays(bpy.context.scene)


def keyed(rig, frames):
    for frame in range(frames):
        pose(rig, 0.15 * frame, frame + 1)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames


def test_bake_is_live_and_remove():
    rig, skin = begin(method="tracking")
    keyed(rig, 6)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "bake.blend"))
    bpy.context.scene.frame_set(1)
    assert bpy.ops.pelt.live() == {"FINISHED"}
    by_live = []
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        by_live.append(shown(copy_of(skin)))
    assert bpy.ops.pelt.live() == {"FINISHED"}
    assert bpy.ops.pelt.bake() == {"FINISHED"}
    assert not skin.modifiers["armature"].show_viewport and not skin.modifiers["armature"].show_render
    assert [m.type for m in skin.modifiers] == ["ARMATURE", "MESH_CACHE"]
    for frame in range(1, 7):
        bpy.context.scene.frame_set(frame)
        near(shown(skin), by_live[frame - 1], 1e-6, "bake against live, frame %d" % frame)
    bpy.context.scene.frame_set(3, subframe=0.5)  # what motion blur asks for
    near(shown(skin), 0.5 * (by_live[2] + by_live[3]), 1e-6, "between two frames")
    files = os.listdir(os.path.join(FOLDER, "pelt"))
    assert len(files) == 1 and files[0].endswith(".pc2"), files
    assert bpy.ops.pelt.remove() == {"FINISHED"}
    assert [m.type for m in skin.modifiers] == ["ARMATURE"] and skin.modifiers["armature"].show_viewport
    assert not os.listdir(os.path.join(FOLDER, "pelt"))


def test_cancelled_bake_leaves_nothing():
    rig, skin = begin()
    keyed(rig, 6)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "cancel.blend"))
    work = bake.Bake(rig, bpy.context.scene)
    steps = work.run()
    next(steps)
    next(steps)
    steps.close()  # what Esc does
    assert not os.listdir(os.path.join(FOLDER, "pelt")) and [m.type for m in skin.modifiers] == ["ARMATURE"]


def test_unsaved_file_says_so():
    begin()
    try:
        bpy.ops.pelt.bake()
    except RuntimeError as error:
        assert "Save the .blend first" in str(error), error
    else:
        raise AssertionError("baked beside a file that does not exist")


def test_undo_and_redo():
    rig, skin = begin()
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.pelt.live()
    bpy.ops.ed.undo_push(message="live")
    for k in range(10):
        pose(bpy.data.objects["rig"], 0.1 * (k + 1))
        bpy.ops.ed.undo_push(message="pose")
    for _ in range(10):
        bpy.ops.ed.undo()
    for _ in range(10):
        bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    rig, skin = bpy.data.objects["rig"], bpy.data.objects["tube"]
    near(shown(copy_of(skin)), shown(skin), 1e-5, "after ten times undo and redo")
    for _ in range(12):
        if bpy.ops.ed.undo.poll():
            bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    live.tidy()
    assert not live.displays(bpy.context.scene) or bpy.data.objects["rig"].pelt.live


def test_save_and_load():
    rig, skin = begin()
    bpy.ops.pelt.live()
    pose(rig, 0.4)
    path = os.path.join(FOLDER, "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    rig, skin = bpy.data.objects["rig"], bpy.data.objects["tube"]
    assert not rig.pelt.live and not live.displays(bpy.context.scene) and not skin.hide_get()
    assert rig.pelt.method == "lbs" and not live.sessions
    bpy.context.view_layer.objects.active = rig
    bpy.ops.pelt.live()
    near(shown(copy_of(skin)), shown(skin), 1e-5, "live again after loading")


def test_deleted_while_live():
    rig, skin = begin()
    bpy.ops.pelt.live()
    skin.name = "renamed"
    pose(rig, 0.3)
    near(shown(copy_of(skin)), shown(skin), 1e-5, "renamed while live")
    bpy.data.objects.remove(skin)
    bpy.context.view_layer.update()
    pose(rig, 0.5)
    live.tidy()
    assert not rig.pelt.live and not live.displays(bpy.context.scene)
    rig, skin = begin()
    bpy.ops.pelt.live()
    bpy.data.objects.remove(rig)
    bpy.context.view_layer.update()
    live.tidy()
    assert not live.displays(bpy.context.scene) and not live.sessions and not skin.hide_get()


def test_shape_keys_mirror_and_two_meshes():
    rig, skin = begin()
    coat = tube(rig, 3, 12, radius=0.4, name="coat")
    skin.shape_key_add(name="Basis")
    fat = skin.shape_key_add(name="fat")
    for v in range(0, len(fat.data), 2):
        fat.data[v].co.x *= 1.5
    fat.value = 0.2
    coat.modifiers.new("mirror", "MIRROR").use_axis = (False, True, False)
    with bpy.context.temp_override(object=coat, active_object=coat):
        bpy.ops.object.modifier_move_to_index(modifier="mirror", index=0)
    bpy.ops.pelt.live()
    pose(rig, 0.6)
    near(shown(copy_of(skin)), shown(skin), 1e-5, "shape key as prepared")
    near(shown(copy_of(coat)), shown(coat), 1e-5, "mirrored, second mesh")
    fat.value = 0.9
    bpy.context.view_layer.update()
    near(shown(copy_of(skin)), shown(skin), 1e-5, "shape key moved while live")


def test_many_bones():
    rig, skin = begin(200, 120)
    bpy.ops.pelt.live()
    pose(rig, 0.01)
    near(shown(copy_of(skin)), shown(skin), 1e-5, "200 bones")


def test_render_is_cache():
    rig, skin = begin(method="tracking")
    keyed(rig, 3)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.location, camera.rotation_euler, scene.camera = (0, -8, 1.5), (np.pi / 2, 0, 0), camera
    scene.render.engine, scene.render.resolution_x, scene.render.resolution_y = "CYCLES", 48, 48
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    world = scene.world = bpy.data.worlds.new("world")
    world.color = (1, 1, 1)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "render.blend"))
    bpy.ops.pelt.bake()

    def render(name):
        scene.render.filepath = os.path.join(FOLDER, name)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath + ".png")
        pixels = np.array(image.pixels[:])
        bpy.data.images.remove(image)
        return pixels

    for frame in (1, 2, 3):
        scene.frame_set(frame)
        points, by_cache = shown(skin), render("cache-%d" % frame)
        plain = bpy.data.objects.new("plain", skin.data.copy())
        convert.put_points(plain.data, points)
        scene.collection.objects.link(plain)
        skin.hide_render = True
        by_points = render("points-%d" % frame)
        skin.hide_render = False
        bpy.data.objects.remove(plain)
        print("render of frame %d against its points: %.1e" % (frame, np.abs(by_cache - by_points).max()))
        assert np.abs(by_cache - by_points).max() < 0.02 and by_cache.std() > 0


def test_grasped_objects():
    rig, skin = begin(method="tracking")
    keyed(rig, 6)
    bpy.ops.mesh.primitive_cube_add(size=0.6, location=(0, -1.2, 2.2))
    wall = bpy.context.object
    wall.pelt_tag.collide = "FIXED"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(2, 0, 2))
    ball = bpy.context.object
    ball.pelt_tag.collide = "RIGID"
    bpy.context.view_layer.objects.active = rig
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "touch.blend"))
    assert bpy.ops.pelt.bake() == {"FINISHED"}
    scene = bpy.context.scene
    for frame in range(1, 7):
        scene.frame_set(frame)
        inside = np.abs(shown(skin) - np.array(wall.location)).max(axis=1).min()
        assert inside > 0.3 - 3e-3, (frame, inside)
    fallen = 2 - ball.matrix_world.translation.z
    expected = 9.81 / 2 * (5 / 24) ** 2
    print("the ball has fallen %.3f, free fall gives %.3f" % (fallen, expected))
    assert abs(fallen - expected) < 0.3 * expected
    bpy.ops.pelt.remove()
    scene.frame_set(6)
    assert abs(ball.matrix_world.translation.z - 2) < 1e-6 and not (ball.animation_data and ball.animation_data.action)


def test_dynamic_says_that_it_jumped():
    rig, skin = begin(method="layered")
    keyed(rig, 6)
    bpy.context.scene.frame_set(1)
    bpy.ops.pelt.live()
    bpy.context.scene.frame_set(2)
    session = live.sessions[rig.pelt.identity]
    assert not session.said
    bpy.context.scene.frame_set(5)
    assert "jumped in time" in session.said


def test_memory_after_remove():
    rig, skin = begin()
    keyed(rig, 2)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(FOLDER, "memory.blend"))

    def count():
        return [len(x) for x in (bpy.data.objects, bpy.data.meshes, bpy.data.actions)] + [len(skin.modifiers), len(live.sessions)]

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096 / 1e6

    before = count()
    for k in range(100):
        bpy.ops.pelt.live()
        if k % 10 == 0:
            bpy.ops.pelt.bake()
        bpy.ops.pelt.remove()
        if k == 20:
            at = resident()
    assert count() == before, (before, count())
    grown = resident() - at
    print("80 times Live and Remove: %.1f MB more" % grown)
    assert grown < 20


def test_options_are_the_library_s():
    rig, _ = begin(method="tracking")
    described = {settings.attribute(o) for o in settings.methods()["tracking"].options}
    assert described == set(rig.pelt.tracking.bl_rna.properties.keys()) - {"rna_type", "name"}
    assert settings.chosen(rig.pelt) == {}
    rig.pelt.tracking.quality = "preview"
    assert settings.chosen(rig.pelt) == {"quality": "preview"}


def test_missing_library():
    os.environ["PELT_LIBRARY"] = "/nowhere/libpelt.so"
    kept = library.pelt
    for name in [m for m in sys.modules if m.startswith("pelt_skin.pelt") or m == "pelt" or m.startswith("pelt.")]:
        del sys.modules[name]
    inside = os.path.join(os.path.dirname(library.__file__), "pelt")
    os.rename(inside, inside + "-away")
    try:
        assert not library.load("/nowhere/libpelt.so")
        assert library.missing.startswith("Pelt's library was not found") and "\n" not in library.missing
        live.update(bpy.context.scene, bpy.context.evaluated_depsgraph_get())  # a handler with no library stays quiet
    finally:
        os.rename(inside + "-away", inside)
        del os.environ["PELT_LIBRARY"]
        library.pelt = kept


wanted = sys.argv[sys.argv.index("--") + 2:]
for name, test in list(globals().items()):
    if name.startswith("test_") and (not wanted or any(w in name for w in wanted)):
        began = time.time()
        test()
        print("passed: %s, %.1f s" % (name, time.time() - began), flush=True)
print("all passed")
