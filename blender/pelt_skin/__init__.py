# SPDX-License-Identifier: GPL-3.0-or-later
"""Pelt in Blender: a panel, live skin while posing and scrubbing, and bakes into point caches (docs/blender.md)."""

bl_info = {
    "name": "Pelt",
    "author": "The Pelt authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Pelt",
    "description": "Skin that folds, slides, touches and keeps its volume",
    "category": "Rigging",
}

from . import bake, library, live, panel, preferences, settings  # noqa: E402


def register():
    preferences.register()
    library.load(preferences.library_path())
    settings.register()
    live.register()
    bake.register()
    panel.register()


def unregister():
    panel.unregister()
    bake.unregister()
    live.unregister()
    settings.unregister()
    preferences.unregister()
