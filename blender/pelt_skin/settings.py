# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel shows and a .blend keeps. Options are made from the library's own descriptions: kind, range, choices, help."""
import uuid

import bpy

from . import library

_classes = []
_methods = {}


def attribute(option):
    """An option's name as Python writes it."""
    return option.name.replace("-", "_")


def _property(option):
    words = {"name": option.name, "description": option.help[:1].upper() + option.help[1:]}
    ranged = dict(words, **({"min": option.least, "max": option.most} if option.least < option.most else {}))
    try:
        if option.kind == "float":
            return bpy.props.FloatProperty(default=float(option.value), precision=4, **ranged)
        if option.kind == "int":
            ranged.update({k: int(ranged[k]) for k in ("min", "max") if k in ranged})
            return bpy.props.IntProperty(default=int(option.value), **ranged)
        if option.kind == "bool":
            return bpy.props.BoolProperty(default=option.value == "on", **words)
        if option.kind == "choice":
            return bpy.props.EnumProperty(items=[(c, c, "") for c in option.choices], default=option.value, **words)
    except ValueError:  # a default in words
        pass
    return bpy.props.StringProperty(default=option.value, **words)


def methods():
    """By name, as the library describes them; empty where it is missing."""
    return _methods


def _group(method):
    name = "PeltOptions_" + method.name
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": {attribute(o): _property(o) for o in method.options}})


class PeltTag(bpy.types.PropertyGroup):
    """Of any object: what it is to a character that touches it."""
    collide: bpy.props.EnumProperty(
        name="Touched", default="NONE", description="What this object is to characters that Pelt bakes",
        items=[("NONE", "Not touched", ""), ("FIXED", "As animated", "Stands or moves as it is animated; skin and skeleton give way"),
               ("RIGID", "Free", "Is pushed, held and falls; its motion is baked into keys")])
    mass: bpy.props.FloatProperty(name="Mass", default=0, min=0, description="kg; 0: from its volume, as dense as water")
    identity: bpy.props.StringProperty(options={"HIDDEN"})
    display_of: bpy.props.StringProperty(options={"HIDDEN"})  # identity of the mesh that this copy shows


def _settings():
    def changed(self, _context):
        from . import live
        live.forget(self.identity)

    items = [(m.name, m.name, m.summary) for m in _methods.values()]
    default = library.pelt.default_method()
    annotations = {
        "method": bpy.props.EnumProperty(name="Method", items=items, default=default, update=changed),
        "live": bpy.props.BoolProperty(options={"HIDDEN"}),
        "beside": bpy.props.BoolProperty(
            name="Compare with armature", description="Show the mesh as the Armature modifier has it, and Pelt's beside it"),
        "identity": bpy.props.StringProperty(options={"HIDDEN"}),
        "first": bpy.props.IntProperty(name="First frame", default=1),
        "last": bpy.props.IntProperty(name="Last frame", default=250),
        "own_range": bpy.props.BoolProperty(name="Own range", description="Frames of the bake; else the scene's"),
        "preroll": bpy.props.IntProperty(
            name="Pre-roll", default=0, min=0, description="Frames before the first that are played, not kept: methods that jiggle come to rest"),
        "folder": bpy.props.StringProperty(
            name="Folder", subtype="DIR_PATH", default="//pelt", description="Where point caches are written; // is beside the .blend"),
    }
    annotations.update({m: bpy.props.PointerProperty(type=g) for m, g in zip(_methods, _classes)})
    return type("PeltSettings", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


def chosen(settings):
    """The settings that differ from the library's defaults, by option name."""
    group, out = getattr(settings, settings.method), {}
    for option in _methods[settings.method].options:
        name = attribute(option)
        if group.is_property_set(name):
            value = getattr(group, name)
            out[option.name] = "%g" % value if option.kind == "float" else value
    return out


def identity(owner):
    """A name that survives renaming, undo and files: made when first asked for."""
    if not owner.identity:
        owner.identity = uuid.uuid4().hex
    return owner.identity


def register():
    bpy.utils.register_class(PeltTag)
    bpy.types.Object.pelt_tag = bpy.props.PointerProperty(type=PeltTag)
    if not library.pelt:
        return
    _methods.update({m.name: m for m in library.pelt.methods()})
    _classes.extend(_group(m) for m in _methods.values())
    _classes.append(_settings())
    for made in _classes:
        bpy.utils.register_class(made)
    bpy.types.Object.pelt = bpy.props.PointerProperty(type=_classes[-1])


def unregister():
    if hasattr(bpy.types.Object, "pelt"):
        del bpy.types.Object.pelt
    while _classes:
        bpy.utils.unregister_class(_classes.pop())
    _methods.clear()
    del bpy.types.Object.pelt_tag
    bpy.utils.unregister_class(PeltTag)
