# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the 3D view's sidebar."""
import textwrap

import bpy

from . import bake, convert, library, live, preferences, settings


def say(layout, text, icon="NONE"):
    """A sentence in lines as wide as the sidebar is."""
    wide = bpy.context.region.width / (8 * bpy.context.preferences.system.ui_scale)  # letters; 8 pixels are one, about
    for i, line in enumerate(textwrap.wrap(text, max(16, int(wide) - 4))):
        layout.label(text=line, icon=icon if i == 0 or icon == "NONE" else "BLANK1")


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Pelt"


class PELT_PT_skin(_Panel, bpy.types.Panel):
    bl_idname = "PELT_PT_skin"
    bl_label = "Pelt"

    def draw(self, context):
        layout = self.layout
        if not library.pelt:
            say(layout, library.missing, "ERROR")
            layout.operator(preferences.PELT_OT_find_library.bl_idname)
            return
        rig = convert.rig_of(context.object)
        if rig is None:
            say(layout, "Choose an armature, or a mesh with an Armature modifier", "INFO")
            return
        own = rig.pelt
        layout.prop(own, "method")
        say(layout, settings.methods()[own.method].summary)
        row = layout.row(align=True)
        row.operator("pelt.prepare")
        row.operator("pelt.live", depress=own.live)
        layout.prop(own, "beside")
        self._baking(layout, own, context, rig)
        session = live.sessions.get(own.identity)
        for word in ([session.said] if session and session.said else []) + (session.words if session else []):
            say(layout, word, "ERROR")

    @staticmethod
    def _baking(layout, own, context, rig):
        box = layout.box()
        box.prop(own, "own_range")
        if own.own_range:
            row = box.row(align=True)
            row.prop(own, "first")
            row.prop(own, "last")
        if settings.methods()[own.method].dynamic:
            box.prop(own, "preroll")
        box.prop(own, "folder")
        row = box.row(align=True)
        row.operator("pelt.bake")
        row.operator("pelt.remove")
        if any(bake.cache_of(o) for o in convert.meshes_of(rig, context.scene)):
            say(box, "Plays from its cache; the Armature is off", "CHECKMARK")


class _Options(_Panel):
    bl_parent_id = "PELT_PT_skin"
    bl_options = {"DEFAULT_CLOSED"}
    common = False

    @classmethod
    def poll(cls, context):
        return library.pelt is not None and convert.rig_of(context.object) is not None

    def draw(self, context):
        own = convert.rig_of(context.object).pelt
        column = self.layout.column()
        column.use_property_split = True
        for option in settings.methods()[own.method].options:
            if option.common == self.common:
                column.prop(getattr(own, own.method), settings.attribute(option))


class PELT_PT_options(_Options, bpy.types.Panel):
    bl_idname = "PELT_PT_options"
    bl_label = "Options of the method"


class PELT_PT_common(_Options, bpy.types.Panel):
    bl_idname = "PELT_PT_common"
    bl_label = "Options of every method"
    common = True


class PELT_PT_touched(_Panel, bpy.types.Panel):
    bl_idname = "PELT_PT_touched"
    bl_label = "As an object to touch"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH" and convert.armature_of(context.object) is None

    def draw(self, context):
        tag = context.object.pelt_tag
        self.layout.prop(tag, "collide")
        if tag.collide == "RIGID":
            self.layout.prop(tag, "mass")


_classes = (PELT_PT_skin, PELT_PT_options, PELT_PT_common, PELT_PT_touched)


def register():
    for made in _classes:
        bpy.utils.register_class(made)


def unregister():
    for made in reversed(_classes):
        bpy.utils.unregister_class(made)
