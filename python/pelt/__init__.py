"""Skins of rigged characters that fold, slide, touch and jiggle: Python over libpelt.

Characters, poses and skins are context managers (`close` frees them early, a character's poses and skins with it). Arrays the library hands out are views, not copies: a
skin's positions are good until its next step. Errors of the library are `pelt.Error` with its one line of text. A skin or a
pose belongs to one thread at a time; a character may be used by all.
"""
from __future__ import annotations

import ctypes as _c
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _library
from ._handles import Handle, array_of, library, view
from ._library import Error, LibraryMissing
from ._world import Measure, Thing, ThingState, World, WorldInfo

__all__ = ["Character", "Error", "Joint", "LibraryMissing", "Measure", "Mesh", "Method", "Option", "Pose", "Skin", "StepInfo", "Thing",
           "ThingState", "World", "WorldInfo", "default_method", "methods", "version"]

_lib = library()
_KINDS = ("float", "int", "bool", "choice", "text")


def version() -> str:
    """Of the library that was loaded."""
    return _lib.pelt_version().decode()


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _decode(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


# ---- methods ----

@dataclass(frozen=True)
class Option:
    """One option of a method, enough to draw a control for it. `live`: `Skin.set` changes it between two steps."""
    name: str
    value: str
    kind: str  # float, int, bool, choice, text
    choices: Tuple[str, ...]
    least: float
    most: float  # both 0: any
    help: str
    common: bool
    live: bool


@dataclass(frozen=True)
class Method:
    name: str
    summary: str
    dynamic: bool
    options: Tuple[Option, ...]


def _option(method: int, index: int) -> Option:
    o = _lib.pelt_method_option(method, index)
    return Option(o.name.decode(), o.value.decode(), _KINDS[o.kind], tuple(o.choices.decode().split("|")) if o.choices else (),
                  o.least, o.most, o.help.decode(), bool(o.common), bool(o.live))


def methods() -> List[Method]:
    """All methods with their options, as the library describes them."""
    return [Method(_lib.pelt_method_name(m).decode(), _lib.pelt_method_summary(m).decode(), bool(_lib.pelt_method_is_dynamic(m)),
                   tuple(_option(m, o) for o in range(_lib.pelt_method_option_count(m))))
            for m in range(_lib.pelt_method_count())]


def default_method() -> str:
    return _lib.pelt_method_default().decode()


# ---- characters ----

@dataclass
class Joint:
    name: str
    parent: int  # -1: none
    rest: Any  # 4 x 4, joint -> world at rest


@dataclass
class Mesh:
    """Points [n x 3]; faces as triangles [m x 3], or `corners` one after the other with `face_sizes`; weights as rows
    [n x k] of shares with the joints they are for, or None: made automatically."""
    name: str
    points: Any
    corners: Any
    face_sizes: Any = None
    weight_joints: Any = None
    weight_values: Any = None


class Character(Handle):
    _destroy = "pelt_character_destroy"

    @classmethod
    def load(cls, path: Any, motion: Any = None) -> "Character":
        """From a .glb, .gltf, .vrm, .fbx or .dae; with the clips of another such file, or a .bvh, before its own."""
        self, error, out = cls(), _library.CError(), _c.c_void_p()
        if motion is None:
            _library.check(_lib.pelt_character_load(str(path).encode(), None, out, error), error)
        else:
            _library.check(_lib.pelt_character_load_motion(str(path).encode(), str(motion).encode(), None, out, error), error)
        return self._take(out)

    @classmethod
    def create(cls, joints: Sequence[Joint], meshes: Sequence[Mesh], up: str = "y", unit_m: float = 1.0) -> "Character":
        """From arrays in your own axes and units; everything is copied."""
        self, error, out = cls(), _library.CError(), _c.c_void_p()
        keep: List[Any] = []
        definition = _lib.pelt_character_def_default()
        definition.joints = (_library.JointDef * max(len(joints), 1))(*[_joint(j) for j in joints])
        definition.joint_count = len(joints)
        definition.meshes = (_library.MeshDef * max(len(meshes), 1))(*[_mesh(m, keep) for m in meshes])
        definition.mesh_count = len(meshes)
        definition.up = {"y": 0, "z": 1}[up]
        definition.unit_m = unit_m
        _library.check(_lib.pelt_character_create(definition, out, error), error)
        return self._take(out)

    def _take(self, out: _c.c_void_p) -> "Character":
        self._handle = out.value
        self.info = _lib.pelt_character_info(self._handle)
        self.point_count: int = self.info.point_count
        self.joint_count: int = self.info.joint_count
        self.size: float = self.info.size
        return self

    @property
    def joint_names(self) -> List[str]:
        nodes = [_lib.pelt_character_joint_node(self._live(), j) for j in range(self.joint_count)]
        return [_lib.pelt_character_node_name(self._handle, n).decode() for n in nodes]

    @property
    def clips(self) -> Dict[str, float]:
        """Names and seconds, in the file's order; "range" comes last."""
        count = self.info.clip_count + 1
        return {_lib.pelt_character_clip_name(self._live(), i).decode(): _lib.pelt_character_clip_seconds(self._handle, i)
                for i in range(count)}

    def clip_frames(self, clip: int, fps: float) -> int:
        return _lib.pelt_character_clip_frames(self._live(), clip, fps)

    @property
    def rest(self) -> np.ndarray:
        """[points x 3], a view."""
        return view(_lib.pelt_character_rest(self._live()), (self.point_count, 3), _c.c_float, self)

    @property
    def triangles(self) -> np.ndarray:
        """[triangles x 3] over points, a view."""
        count = _c.c_int()
        address = _lib.pelt_character_triangles(self._live(), count)
        return view(address, (count.value, 3), _c.c_int, self)

    @property
    def warnings(self) -> List[Tuple[str, str]]:
        return _warnings(self._live(), "character")


def _warnings(handle: int, kind: str) -> List[Tuple[str, str]]:
    get = getattr(_lib, "pelt_%s_warning" % kind)
    found = [get(handle, i).contents for i in range(getattr(_lib, "pelt_%s_warning_count" % kind)(handle))]
    return [(w.code.decode(), w.text.decode("utf-8", "replace")) for w in found]


def _joint(joint: Joint) -> _library.JointDef:
    rest = array_of(joint.rest, np.float32, (4, 4), "rest matrix of joint %s" % joint.name)
    return _library.JointDef(joint.name.encode(), joint.parent, (_c.c_float * 16)(*rest.ravel()))


def _mesh(mesh: Mesh, keep: List[Any]) -> _library.MeshDef:
    points = array_of(mesh.points, np.float32, (-1, 3), "points of mesh %s" % mesh.name)
    corners = np.ascontiguousarray(mesh.corners, np.int32).ravel()
    sizes = None if mesh.face_sizes is None else array_of(mesh.face_sizes, np.int32, (-1,), "face_sizes of mesh %s" % mesh.name)
    faces = len(corners) // 3 if sizes is None else len(sizes)
    if (3 * faces if sizes is None else int(sizes.sum())) != len(corners):
        raise Error("mesh %s: %d corners do not fit the faces" % (mesh.name, len(corners)), 1)
    out = _library.MeshDef(mesh.name.encode(), len(points), points.ctypes.data, faces,
                           sizes.ctypes.data if sizes is not None else None, corners.ctypes.data, 0, None, None)
    keep += [points, corners, sizes]
    if mesh.weight_values is not None:
        values = array_of(mesh.weight_values, np.float32, (len(points), -1), "weight_values of mesh %s" % mesh.name)
        joints = array_of(mesh.weight_joints, np.int32, values.shape, "weight_joints of mesh %s" % mesh.name)
        out.influences, out.weight_joints, out.weight_values = values.shape[1], joints.ctypes.data, values.ctypes.data
        keep += [values, joints]
    return out


# ---- poses and skins ----

class Pose(Handle):
    _destroy = "pelt_pose_destroy"

    def __init__(self, character: Character):
        super().__init__()
        error, out = _library.CError(), _c.c_void_p()
        _library.check(_lib.pelt_pose_create(character._live(), out, error), error)
        self._handle, self.character = out.value, character
        character._users.add(self)

    def reset(self) -> None:
        _lib.pelt_pose_reset(self._live())

    def from_clip(self, clip: int, time_s: float) -> None:
        _lib.pelt_pose_from_clip(self._live(), clip, time_s)

    def set_matrices(self, matrices: Any) -> float:
        """All joints at once, [joints x 4 x 4], joint -> world; returns the shear that a pose cannot hold, 0: none."""
        array = array_of(matrices, np.float32, (self.character.joint_count, 4, 4), "matrices")
        return _lib.pelt_pose_set_matrices(self._live(), array.ctypes.data, self.character.joint_count)


@dataclass(frozen=True)
class StepInfo:
    ms: float
    substeps: int
    nonfinite: int
    stats: Dict[str, float]


class Skin(Handle):
    """A method, prepared for one character. `progress(stage, share)` is called meanwhile; what it raises ends the work."""
    _destroy = "pelt_skin_destroy"

    def __init__(self, character: Character, method: Optional[str] = None, settings: Optional[Mapping[str, Any]] = None,
                 rig_path: Optional[str] = None, threads: int = 0, progress: Optional[Callable[[str, float], None]] = None):
        super().__init__()
        error, out, raised = _library.CError(), _c.c_void_p(), []  # type: ignore[var-annotated]
        texts = [("%s=%s" % (k, _text(v))).encode() for k, v in (settings or {}).items()]
        definition = _lib.pelt_skin_def_default()
        if method is not None:
            definition.method = method.encode()
        definition.settings = (_c.c_char_p * max(len(texts), 1))(*texts)
        definition.setting_count = len(texts)
        definition.rig_path = rig_path.encode() if rig_path else None
        definition.threads = threads
        if progress:
            definition.progress = _progress(progress, raised)
        status = _lib.pelt_skin_create(definition, character._live(), out, error)
        if raised:
            raise raised[0]
        _library.check(status, error)
        self._handle, self.character, self.method = out.value, character, definition.method.decode()
        character._users.add(self)
        self._info, self._shape = _library.CStepInfo(), (character.point_count, 3)
        self._positions: Tuple[int, Optional[np.ndarray]] = (0, None)
        self._step = _lib.pelt_skin_step

    def step(self, pose: Pose, dt_s: float) -> None:
        """Moves the skin to the pose, `dt_s` after the last step."""
        self._step(self._live(), pose._live(), dt_s, self._info)

    @property
    def last_step(self) -> StepInfo:
        info = self._info
        return StepInfo(info.ms, info.substeps, info.nonfinite,
                        {info.stats[i].name.decode(): info.stats[i].value for i in range(info.stat_count)})

    @property
    def positions(self) -> np.ndarray:
        """[points x 3], a view that shows each step's result; copy what you keep."""
        address = _lib.pelt_skin_positions(self._live())
        if self._positions[0] != address:
            self._positions = (address, view(address, self._shape, _c.c_float, None))
        return self._positions[1]  # type: ignore[return-value]

    @property
    def normals(self) -> np.ndarray:
        """[points x 3] unit, a view, made when first asked for after a step."""
        return view(_lib.pelt_skin_normals(self._live()), self._shape, _c.c_float, None)

    def set_output(self, matrix: Any = None) -> None:
        """Positions and normals come out by this 4 x 4 matrix from now on; None: the character's world."""
        error = _library.CError()
        array = None if matrix is None else array_of(matrix, np.float32, (4, 4), "matrix")
        _library.check(_lib.pelt_skin_output(self._live(), None if array is None else array.ctypes.data, error), error)

    def restart(self) -> None:
        """The next step is a cut."""
        _lib.pelt_skin_restart(self._live())

    def set(self, option: str, value: Any) -> None:
        """Changes a live option from the next step on."""
        error = _library.CError()
        _library.check(_lib.pelt_skin_set(self._live(), option.encode(), _text(value).encode(), error), error)

    def get(self, option: str) -> Optional[str]:
        return _decode(_lib.pelt_skin_get(self._live(), option.encode()))

    def state(self) -> bytes:
        """What the next step needs of those before."""
        size = _lib.pelt_skin_state_size(self._live())
        buffer = _c.create_string_buffer(size)
        _lib.pelt_skin_state_save(self._handle, buffer, size)
        return buffer.raw

    def restore(self, state: bytes) -> None:
        error = _library.CError()
        _library.check(_lib.pelt_skin_state_restore(self._live(), state, len(state), error), error)

    @property
    def prepare_ms(self) -> float:
        return _lib.pelt_skin_prepare_ms(self._live())

    @property
    def warnings(self) -> List[Tuple[str, str]]:
        return _warnings(self._live(), "skin")


def _progress(callback: Callable[[str, float], None], raised: List[BaseException]) -> Any:
    def call(stage: bytes, share: float, _user: Any) -> int:
        try:
            callback(stage.decode(), share)
            return 0
        except BaseException as error:  # carried over the library and raised behind it
            raised.append(error)
            return 1
    return _library.Progress(call)
