# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: where libpelt.so is, for those who build it themselves."""
import bpy

from . import library


class PeltPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    library_path: bpy.props.StringProperty(
        name="libpelt.so", subtype="FILE_PATH", description="Empty: the library that came with the add-on, or an installed one")

    def draw(self, _context):
        self.layout.prop(self, "library_path")
        self.layout.operator(PELT_OT_find_library.bl_idname)
        if library.missing:
            self.layout.label(text=library.missing, icon="ERROR")


class PELT_OT_find_library(bpy.types.Operator):
    """Look for libpelt.so again"""
    bl_idname = "pelt.find_library"
    bl_label = "Find the library"

    filepath: bpy.props.StringProperty(subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.so*", options={"HIDDEN"})

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context):
        from . import settings
        path = self.filepath or library_path()
        if not library.load(bpy.path.abspath(path)):
            self.report({"ERROR"}, library.missing)
            return {"CANCELLED"}
        settings.unregister()
        settings.register()
        return {"FINISHED"}


def library_path():
    addon = bpy.context.preferences.addons.get(__package__)
    path = addon.preferences.library_path if addon and addon.preferences else ""
    return bpy.path.abspath(path) if path else ""


def register():
    bpy.utils.register_class(PeltPreferences)
    bpy.utils.register_class(PELT_OT_find_library)


def unregister():
    bpy.utils.unregister_class(PELT_OT_find_library)
    bpy.utils.unregister_class(PeltPreferences)
