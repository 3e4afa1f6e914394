# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes: a point cache for each mesh beside the .blend, played by a Mesh Cache modifier in the Armature's place."""
import os
import struct
import time

import bpy
import numpy as np

from . import convert, library, live, things
from .session import Session

NAME = "Pelt"  # of the Mesh Cache modifier


class Cache:
    """A .pc2 that appears whole or not at all."""

    def __init__(self, path, points, start, frames):
        self.path, self.part = path, path + ".part"
        self.file = open(self.part, "wb")
        self.file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points, start, 1, frames))

    def add(self, points):
        self.file.write(np.ascontiguousarray(points, "<f4").tobytes())

    def done(self):
        self.file.close()
        os.replace(self.part, self.path)

    def drop(self):
        self.file.close()
        if os.path.exists(self.part):
            os.remove(self.part)


def frames_of(own, scene):
    return (own.first, own.last) if own.own_range else (scene.frame_start, scene.frame_end)


def folder_of(own):
    """Where caches go, made if need be."""
    if own.folder.startswith("//") and not bpy.data.filepath:
        raise OSError("Save the .blend first: caches are put beside it. Or choose another folder")
    folder = bpy.path.abspath(own.folder)
    os.makedirs(folder, exist_ok=True)
    return folder


def file_name(obj):
    """Of an object's cache: its name as far as file systems take it, and its identity, since such names may meet."""
    plain = "".join(c if c.isalnum() or c in "-_. " else "_" for c in obj.name)[:80]
    return "%s-%s.pc2" % (plain, obj.pelt_tag.identity[:8])


class Bake:
    """The work, frame by frame: `run` is a generator that yields the share done; closing it early leaves nothing behind."""

    def __init__(self, rig, scene, progress=None):
        self.folder = folder_of(rig.pelt)
        self.first, self.last = frames_of(rig.pelt, scene)
        if self.last < self.first:
            raise OSError("The last frame (%d) is before the first (%d)" % (self.last, self.first))
        self.scene, self.was = scene, scene.frame_current
        with live.Quiet():
            if rig.pelt.live:
                live.stop(rig, scene)
            put_back(rig, scene)
            self.session = Session(rig, scene, progress)
        self.words = self.session.words
        self.preroll, self.caches, self.things = rig.pelt.preroll, [], things.Things(scene)

    def run(self):
        total = self.last - self.first + 1
        finished = False
        try:
            for source in self.session.sources:
                path = os.path.join(self.folder, file_name(source.find(self.scene)))
                self.caches.append(Cache(path, source.count, self.first, total))
            with convert.Undeformed([s.find(self.scene) for s in self.session.sources]):
                for frame in range(self.first - self.preroll, self.last + 1):
                    with live.Quiet():
                        self._frame(frame)
                    yield (frame - self.first + self.preroll + 1) / (total + self.preroll)
            with live.Quiet():
                for cache in self.caches:
                    cache.done()
                self._put_on()
                finished = True
        finally:
            if not finished:
                for cache in self.caches:
                    cache.drop()
            with live.Quiet():
                self.session.close()
                self.scene.frame_set(self.was)

    def _frame(self, frame):
        scene, session = self.scene, self.session
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        if self.things:
            if session.world is None:
                session.world = self.things.world(session.skin, scene, depsgraph)
            self.things.lead(session.world, scene)
        session.step(scene, depsgraph, frame, scene.render.fps / scene.render.fps_base, force=True)
        if frame < self.first:
            return
        if self.things:
            self.things.keep(session.world, frame)
        for index, (source, cache) in enumerate(zip(session.sources, self.caches)):
            local = np.linalg.inv(convert.matrix(source.find(scene).matrix_world))
            cache.add(convert.moved(session.points(index, scene, exact=True), local))

    def _put_on(self):
        for source, cache in zip(self.session.sources, self.caches):
            put_on(source.find(self.scene), cache.path, self.first)
        self.things.write_keys(self.scene)


def put_on(obj, path, first):
    """The cache in the Armature's place; what the Armature showed is kept for Remove."""
    armature = convert.armature_of(obj)
    place = list(obj.modifiers).index(armature) + 1
    modifier = obj.modifiers.new(NAME, "MESH_CACHE")
    modifier.cache_format, modifier.deform_mode, modifier.interpolation = "PC2", "OVERWRITE", "LINEAR"
    modifier.time_mode, modifier.play_mode, modifier.frame_start, modifier.frame_scale = "FRAME", "SCENE", first, 1
    modifier.filepath = bpy.path.relpath(path) if bpy.data.filepath else path
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=place)
    obj["pelt_armature"] = [armature.show_viewport, armature.show_render]
    armature.show_viewport = armature.show_render = False


def cache_of(obj):
    return next((m for m in obj.modifiers if m.type == "MESH_CACHE" and m.name.startswith(NAME) and "pelt_armature" in obj), None)


def put_back(rig, scene):
    """Takes the caches' modifiers away and switches the Armatures on as they were; returns the files that nothing plays now."""
    files = []
    for obj in convert.meshes_of(rig, scene):
        modifier = cache_of(obj)
        if modifier:
            files.append(bpy.path.abspath(modifier.filepath))
            obj.modifiers.remove(modifier)
            armature = convert.armature_of(obj)
            armature.show_viewport, armature.show_render = (bool(s) for s in obj["pelt_armature"])
            del obj["pelt_armature"]
    things.give_back(scene)
    return files


class PELT_OT_bake(bpy.types.Operator):
    """Bake the frames into point caches beside the .blend; Esc stops and leaves nothing behind"""
    bl_idname = "pelt.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    def _begin(self, context):
        self.work = None

        def make(rig, scene, progress):
            self.work = Bake(rig, scene, progress)
            return self.work
        try:
            return live.prepared(self, context, convert.rig_of(context.object), make)
        except OSError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    def execute(self, context):
        if self._begin(context) != {"FINISHED"}:
            return {"CANCELLED"}
        try:
            for _ in self.work.run():
                pass
        except (OSError, library.pelt.Error) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, _event):
        if self._begin(context) != {"FINISHED"}:
            return {"CANCELLED"}
        self.steps, manager = self.work.run(), context.window_manager
        self.timer = manager.event_timer_add(0, window=context.window)
        manager.progress_begin(0, 1)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.steps.close()
            return self._end(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            until = time.monotonic() + 0.1  # frames between two looks at the keyboard: the window is drawn anew after each look
            while time.monotonic() < until:
                share = next(self.steps)
            context.window_manager.progress_update(share)
            return {"RUNNING_MODAL"}
        except StopIteration:
            return self._end(context, {"FINISHED"})
        except (OSError, library.pelt.Error) as error:
            self.report({"ERROR"}, str(error))
            return self._end(context, {"CANCELLED"})

    def _end(self, context, answer):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        return answer


class PELT_OT_remove(bpy.types.Operator):
    """Take bake and live away: the Armature deforms the mesh again, and the cache files go"""
    bl_idname = "pelt.remove"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        rig = convert.rig_of(context.object)
        with live.Quiet():
            live.stop(rig, context.scene)
            live.forget(rig.pelt.identity)
            for path in put_back(rig, context.scene):
                if os.path.exists(path):
                    os.remove(path)
        return {"FINISHED"}


def register():
    bpy.utils.register_class(PELT_OT_bake)
    bpy.utils.register_class(PELT_OT_remove)


def unregister():
    bpy.utils.unregister_class(PELT_OT_remove)
    bpy.utils.unregister_class(PELT_OT_bake)
