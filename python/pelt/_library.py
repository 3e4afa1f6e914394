"""libpelt by ctypes: finding it, its structs and functions. include/pelt says what each does."""
from __future__ import annotations

import ctypes as c
import ctypes.util
import os
from typing import List, Optional

STATUS = {1: "bad argument", 2: "input/output", 3: "invalid input", 4: "failed", 5: "unsupported"}


class Error(Exception):
    """What the library says went wrong: one line with, where there is one, a cure. `status` is PeltStatus."""

    def __init__(self, text: str, status: int = 4):
        super().__init__(text)
        self.status = status


class LibraryMissing(ImportError):
    """libpelt.so was not found."""


class CError(c.Structure):
    _fields_ = [("status", c.c_int), ("text", c.c_char * 512)]


class Allocator(c.Structure):
    _fields_ = [("alloc", c.c_void_p), ("free", c.c_void_p), ("user", c.c_void_p)]


class Warning_(c.Structure):
    _fields_ = [("code", c.c_char * 48), ("text", c.c_char * 256)]


Progress = c.CFUNCTYPE(c.c_int, c.c_char_p, c.c_double, c.c_void_p)


class CharacterInfo(c.Structure):
    _fields_ = [(n, c.c_bool if n in ("closed", "weights_sane") else c.c_int) for n in
                ("point_count", "welded_count", "triangle_count", "component_count", "border_edge_count",
                 "nonmanifold_edge_count", "closed", "node_count", "joint_count", "mesh_count", "skin_count", "clip_count",
                 "influences", "weights_sane")] + [("size", c.c_float), ("low", c.c_float * 3), ("high", c.c_float * 3)]


class JointDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("parent", c.c_int), ("rest", c.c_float * 16)]


class MeshDef(c.Structure):
    _fields_ = [("name", c.c_char_p), ("point_count", c.c_int), ("points", c.c_void_p), ("face_count", c.c_int),
                ("face_sizes", c.c_void_p), ("corners", c.c_void_p), ("influences", c.c_int), ("weight_joints", c.c_void_p),
                ("weight_values", c.c_void_p)]


class CharacterDef(c.Structure):
    _fields_ = [("joints", c.POINTER(JointDef)), ("joint_count", c.c_int), ("meshes", c.POINTER(MeshDef)),
                ("mesh_count", c.c_int), ("up", c.c_int), ("unit_m", c.c_float), ("allocator", Allocator),
                ("guard", c.c_uint32)]


class SkinDef(c.Structure):
    _fields_ = [("method", c.c_char_p), ("settings", c.POINTER(c.c_char_p)), ("setting_count", c.c_int),
                ("rig_path", c.c_char_p), ("rig", c.c_void_p), ("threads", c.c_int), ("allocator", Allocator),
                ("progress", Progress), ("progress_user", c.c_void_p), ("guard", c.c_uint32)]


class Stat(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_double)]


class CStepInfo(c.Structure):
    _fields_ = [("ms", c.c_double), ("substeps", c.c_int), ("substep_ms", c.c_double), ("nonfinite", c.c_int),
                ("stat_count", c.c_int), ("stats", Stat * 48)]


class OptionInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p), ("choices", c.c_char_p), ("help", c.c_char_p),
                ("least", c.c_double), ("most", c.c_double), ("common", c.c_bool), ("kind", c.c_int), ("live", c.c_bool)]


class SceneObject(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("shape", c.c_int), ("size", c.c_float * 3), ("detail", c.c_int),
                ("file", c.c_char_p), ("scale", c.c_float), ("vertex_count", c.c_int), ("vertices", c.c_void_p),
                ("triangle_count", c.c_int), ("triangles", c.c_void_p), ("tetrahedron_count", c.c_int), ("tetrahedra", c.c_void_p),
                ("position", c.c_float * 3), ("rotation", c.c_float * 4), ("velocity", c.c_float * 3),
                ("angular_velocity", c.c_float * 3), ("mass_kg", c.c_float), ("density", c.c_float),
                ("young_modulus_pa", c.c_float), ("poisson_ratio", c.c_float), ("damping", c.c_float), ("friction", c.c_float),
                ("restitution", c.c_float)]


class Scene(c.Structure):
    _fields_ = [("gravity", c.c_float * 3), ("has_ground", c.c_bool), ("ground_height", c.c_float), ("friction", c.c_float),
                ("restitution", c.c_float), ("alarm_distance", c.c_float), ("joint_stiffness", c.c_float),
                ("root_stiffness", c.c_float), ("joint_damping_s", c.c_float), ("object_count", c.c_int),
                ("objects", c.POINTER(SceneObject)), ("pair_count", c.c_int), ("pairs", c.c_void_p), ("joint_count", c.c_int),
                ("joints", c.c_void_p), ("character_count", c.c_int), ("characters", c.c_void_p), ("guard", c.c_uint32)]


class WorldDef(c.Structure):
    _fields_ = [("scene", c.POINTER(Scene)), ("scene_path", c.c_char_p), ("skins", c.POINTER(c.c_void_p)), ("skin_count", c.c_int),
                ("final", c.c_bool), ("work", c.c_int), ("allocator", Allocator), ("guard", c.c_uint32)]


class CWorldInfo(c.Structure):
    _fields_ = [("ms", c.c_double), ("skin_ms", c.c_double), ("watched", c.c_int), ("pushing", c.c_int), ("iterations", c.c_int),
                ("converged", c.c_bool), ("residual", c.c_double), ("pushed", c.c_double)]


class CWorldObject(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("vertex_count", c.c_int), ("triangle_count", c.c_int),
                ("positions", c.c_void_p), ("triangles", c.c_void_p), ("centre", c.c_float * 3), ("velocity", c.c_float * 3),
                ("spin", c.c_float * 3), ("origin", c.c_float * 3), ("axes", c.c_float * 9), ("mass_kg", c.c_float)]


class CTransform(c.Structure):
    _fields_ = [("translation", c.c_float * 3), ("rotation", c.c_float * 4), ("scale", c.c_float * 3)]


class CQuality(c.Structure):
    """Room for a PeltQuality: read by pelt_quality_item alone."""
    _fields_ = [("frames", c.c_int), ("rest", c.c_double * 127)]


def _candidates() -> List[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    found: List[Optional[str]] = [os.environ.get("PELT_LIBRARY"), os.path.join(here, "libpelt.so"),
                                  ctypes.util.find_library("pelt")]
    return [f for f in found if f]


P, I, F, D, S = c.c_void_p, c.c_int, c.c_float, c.c_double, c.c_char_p
E = c.POINTER(CError)
_FUNCTIONS = {
    "pelt_version": (S, []),
    "pelt_character_load": (I, [S, P, c.POINTER(P), E]),
    "pelt_character_load_motion": (I, [S, S, P, c.POINTER(P), E]),
    "pelt_character_def_default": (CharacterDef, []),
    "pelt_character_create": (I, [c.POINTER(CharacterDef), c.POINTER(P), E]),
    "pelt_character_destroy": (None, [P]),
    "pelt_character_info": (CharacterInfo, [P]),
    "pelt_character_node_name": (S, [P, I]),
    "pelt_character_node_parent": (I, [P, I]),
    "pelt_character_joint_node": (I, [P, I]),
    "pelt_character_clip_name": (S, [P, I]),
    "pelt_character_clip_seconds": (D, [P, I]),
    "pelt_character_clip_find": (I, [P, S]),
    "pelt_character_clip_frames": (I, [P, I, D]),
    "pelt_character_triangles": (P, [P, c.POINTER(I)]),
    "pelt_character_rest": (P, [P]),
    "pelt_character_warning_count": (I, [P]),
    "pelt_character_warning": (c.POINTER(Warning_), [P, I]),
    "pelt_pose_create": (I, [P, c.POINTER(P), E]),
    "pelt_pose_destroy": (None, [P]),
    "pelt_pose_reset": (None, [P]),
    "pelt_pose_from_clip": (None, [P, I, D]),
    "pelt_pose_set_matrices": (F, [P, P, I]),
    "pelt_skin_def_default": (SkinDef, []),
    "pelt_skin_create": (I, [c.POINTER(SkinDef), P, c.POINTER(P), E]),
    "pelt_skin_destroy": (None, [P]),
    "pelt_skin_prepare_ms": (D, [P]),
    "pelt_skin_step": (None, [P, P, F, c.POINTER(CStepInfo)]),
    "pelt_skin_restart": (None, [P]),
    "pelt_skin_positions": (P, [P]),
    "pelt_skin_normals": (P, [P]),
    "pelt_skin_output": (I, [P, P, E]),
    "pelt_skin_warning_count": (I, [P]),
    "pelt_skin_warning": (c.POINTER(Warning_), [P, I]),
    "pelt_skin_set": (I, [P, S, S, E]),
    "pelt_skin_get": (S, [P, S]),
    "pelt_skin_state_size": (c.c_size_t, [P]),
    "pelt_skin_state_save": (None, [P, P, c.c_size_t]),
    "pelt_skin_state_restore": (I, [P, P, c.c_size_t, E]),
    "pelt_skin_anchor_add": (I, [P, I, F, c.POINTER(I), E]),
    "pelt_skin_anchor_pull": (None, [P, I, c.POINTER(F), F]),
    "pelt_skin_anchor_hold": (None, [P, I, c.POINTER(F), F]),
    "pelt_skin_anchor_let_go": (None, [P, I]),
    "pelt_scene_default": (Scene, []),
    "pelt_scene_object_default": (SceneObject, []),
    "pelt_world_def_default": (WorldDef, []),
    "pelt_world_create": (I, [c.POINTER(WorldDef), c.POINTER(P), E]),
    "pelt_world_destroy": (None, [P]),
    "pelt_world_step": (None, [P, c.POINTER(P), F, c.POINTER(CWorldInfo)]),
    "pelt_world_pose": (None, [P, I, P]),
    "pelt_world_object_count": (I, [P]),
    "pelt_world_object": (CWorldObject, [P, I]),
    "pelt_world_object_find": (I, [P, S]),
    "pelt_world_hold": (I, [P, I, c.POINTER(CTransform), E]),
    "pelt_world_let_go": (None, [P, I]),
    "pelt_measure_create": (I, [P, I, c.POINTER(P), E]),
    "pelt_measure_destroy": (None, [P]),
    "pelt_measure_frame": (None, [P, P, P, c.POINTER(CQuality)]),
    "pelt_measure_verdict": (I, [P, c.c_char_p, c.c_size_t]),
    "pelt_measure_map": (P, [P, I]),
    "pelt_measure_restart": (None, [P]),
    "pelt_quality_item": (S, [c.POINTER(CQuality), I, c.POINTER(D)]),
    "pelt_method_count": (I, []),
    "pelt_method_name": (S, [I]),
    "pelt_method_summary": (S, [I]),
    "pelt_method_is_dynamic": (c.c_bool, [I]),
    "pelt_method_find": (I, [S]),
    "pelt_method_default": (S, []),
    "pelt_method_option_count": (I, [I]),
    "pelt_method_option": (OptionInfo, [I, I]),
}


def load() -> c.CDLL:
    why = []
    for path in _candidates():
        try:
            library = c.CDLL(path)
        except OSError as error:
            why.append(str(error))
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise LibraryMissing("libpelt.so was not found: build Pelt (make) and set PELT_LIBRARY to build/libpelt.so, or install it"
                         + (" (" + "; ".join(why) + ")" if why else ""))


def check(status: int, error: CError) -> None:
    if status:
        raise Error(error.text.decode("utf-8", "replace"), status)
