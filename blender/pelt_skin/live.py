# SPDX-License-Identifier: GPL-3.0-or-later
"""Live: pose or scrub, and a display copy of each mesh shows the skin. The mesh itself is never written to; renders do not see it."""
import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import convert, library
from .session import Session

sessions = {}  # by identity of the armature's settings
_busy = False  # inside an update, a render or a bake: handlers stay out


class Quiet:
    """Keeps the handlers out while something else writes."""

    def __enter__(self):
        global _busy
        self.before, _busy = _busy, True

    def __exit__(self, *_):
        global _busy
        _busy = self.before


def forget(identity):
    """Frees a prepared character."""
    found = sessions.pop(identity, None)
    if found:
        found.close()


def displays(scene, identity=None):
    """Display copies, of one mesh or all."""
    return [o for o in scene.objects if o.pelt_tag.display_of and identity in (None, o.pelt_tag.display_of)]


def _make_display(obj, source, scene):
    """A copy that shares nothing with the mesh: its own points, the modifiers after the Armature, never rendered."""
    mesh = convert.before_armature(obj)
    mesh.name = obj.name + " (Pelt)"
    copy = obj.copy()
    copy.name, copy.data = obj.name + " (Pelt)", mesh
    later = [m.name for m in obj.modifiers]
    later = later[later.index(convert.armature_of(obj).name) + 1:]
    for modifier in list(copy.modifiers):
        if modifier.name not in later or modifier.type == "MESH_CACHE":
            copy.modifiers.remove(modifier)
    copy.pelt_tag.display_of, copy.pelt_tag.identity = source.identity, ""
    copy.hide_render = copy.hide_select = True
    for collection in obj.users_collection:
        collection.objects.link(copy)
    return copy


def start(rig, scene, progress=None):
    """Prepares, and shows the skin of the moment."""
    with Quiet():
        own = rig.pelt
        forget(own.identity)
        session = Session(rig, scene, progress)
        sessions[session.identity] = session
        for source in session.sources:
            obj = source.find(scene)
            for old in displays(scene, source.identity):
                remove(old)
            _make_display(obj, source, scene)
        own.live = True
        bpy.context.view_layer.update()
        _hide_sources(session, scene, own.beside)
        _show(session, scene, bpy.context.evaluated_depsgraph_get(), True)
    return session


def _hide_sources(session, scene, beside):
    for source in session.sources:
        obj = source.find(scene)
        if obj is not None:
            obj.hide_set(not beside)


def remove(obj):
    mesh = obj.data
    bpy.data.objects.remove(obj)
    if mesh is not None and not mesh.users:
        bpy.data.meshes.remove(mesh)


def stop(rig, scene):
    """Shows the mesh as it is again; what was prepared stays until it no longer fits."""
    with Quiet():
        rig.pelt.live = False
        for obj in convert.meshes_of(rig, scene):
            for copy in displays(scene, obj.pelt_tag.identity):
                remove(copy)
            obj.hide_set(False)


def _show(session, scene, depsgraph, force=False):
    """One step, written to the display copies."""
    fps = scene.render.fps / scene.render.fps_base
    rig = session.rig(scene)
    if not session.step(scene, depsgraph, scene.frame_current, fps, force) and not force:
        return
    aside = np.zeros(3)
    if rig.pelt.beside:
        aside[0] = 1.1 * float(np.ptp(session.character.rest[:, 0])) + 1e-6
    for index, source in enumerate(session.sources):
        for copy in displays(scene, source.identity):
            local = np.linalg.inv(convert.matrix(copy.matrix_world))
            if len(copy.data.vertices) == source.count:
                convert.put_points(copy.data, convert.moved(session.points(index, scene) + aside, local))


def update(scene, depsgraph):
    """Every live character: stepped where its pose changed, ended where it is gone."""
    if _busy or not library.pelt:
        return
    with Quiet():
        for rig in [o for o in scene.objects if o.type == "ARMATURE" and o.pelt.live]:
            session = sessions.get(rig.pelt.identity)
            why = session.stale(scene) if session else "load, undo or another method: prepare again"
            if why:
                rig.pelt.live = False
                if session:
                    session.said = why
            elif rig.mode in ("OBJECT", "POSE"):
                _show(session, scene, depsgraph)
        if bpy.app.background:
            tidy()
        elif not bpy.app.timers.is_registered(tidy) and _untidy(scene):
            bpy.app.timers.register(tidy, first_interval=0)


def _untidy(scene):
    """Display copies whose character is no longer live, or whose mesh is gone."""
    shown = set()
    for rig in scene.objects:
        if rig.type == "ARMATURE" and rig.pelt.live:
            shown.update(o.pelt_tag.identity for o in convert.meshes_of(rig, scene))
    return [o for o in displays(scene) if o.pelt_tag.display_of not in shown]


def tidy():
    """Takes away copies that nothing drives any more, and shows their meshes again. A timer: handlers must not delete."""
    scene = bpy.context.scene
    for copy in _untidy(scene) if scene else []:
        obj = convert.find(copy.pelt_tag.display_of, "", scene)
        if obj is not None:
            obj.hide_set(False)
        remove(copy)
    living = {o.pelt.identity for o in bpy.data.objects if o.type == "ARMATURE"}
    for identity in [i for i in sessions if i not in living]:
        forget(identity)


@persistent
def _on_depsgraph(scene, depsgraph=None):
    update(scene, depsgraph or bpy.context.evaluated_depsgraph_get())


@persistent
def _on_undo(scene, _depsgraph=None):
    """What was prepared may be of a mesh that undo has changed back: what still fits goes on, the rest is prepared again."""
    scene = scene or bpy.context.scene
    for session in sessions.values():
        session.matrices = None
    update(scene, bpy.context.evaluated_depsgraph_get())


@persistent
def _on_load(_path, _=None):
    """A file saved while live opens with the mesh itself shown."""
    for identity in list(sessions):
        forget(identity)
    if not library.pelt:
        return
    for rig in bpy.data.objects:
        if rig.type == "ARMATURE":
            rig.pelt.live = False
    tidy()


@persistent
def _on_render(_scene, _=None):
    global _busy
    _busy = True


@persistent
def _on_rendered(_scene, _=None):
    global _busy
    _busy = False


_handlers = {"depsgraph_update_post": _on_depsgraph, "frame_change_post": _on_depsgraph, "undo_post": _on_undo, "redo_post": _on_undo,
             "load_post": _on_load, "render_init": _on_render, "render_complete": _on_rendered, "render_cancel": _on_rendered}


class PELT_OT_live(bpy.types.Operator):
    """Show the skin on a copy while you pose and scrub; the mesh itself is left alone"""
    bl_idname = "pelt.live"
    bl_label = "Live"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        rig = convert.rig_of(context.object)
        if rig.pelt.live:
            stop(rig, context.scene)
            return {"FINISHED"}
        return prepared(self, context, rig, start)


class PELT_OT_prepare(bpy.types.Operator):
    """Look at mesh, bones and weights anew: after edits, or other options"""
    bl_idname = "pelt.prepare"
    bl_label = "Prepare"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        return prepared(self, context, convert.rig_of(context.object), start)


def prepared(operator, context, rig, work):
    """Runs what prepares a character, with a progress bar; errors in the library's own words."""
    if not convert.meshes_of(rig, context.scene):
        operator.report({"ERROR"}, "No mesh has an Armature modifier with %s: parent one to it with weights" % rig.name)
        return {"CANCELLED"}
    manager = context.window_manager
    manager.progress_begin(0, 1)
    try:
        session = work(rig, context.scene, lambda _stage, share: manager.progress_update(share))
    except library.pelt.Error as error:
        operator.report({"ERROR"}, str(error))
        return {"CANCELLED"}
    finally:
        manager.progress_end()
    for word in session.words:
        operator.report({"WARNING"}, word)
    return {"FINISHED"}


def register():
    bpy.utils.register_class(PELT_OT_live)
    bpy.utils.register_class(PELT_OT_prepare)
    for name, handler in _handlers.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    for name, handler in _handlers.items():
        listed = getattr(bpy.app.handlers, name)
        if handler in listed:
            listed.remove(handler)
    for identity in list(sessions):
        forget(identity)
    bpy.utils.unregister_class(PELT_OT_prepare)
    bpy.utils.unregister_class(PELT_OT_live)
