"""Worlds that characters touch, and measures of their skins."""
from __future__ import annotations

import ctypes as _c
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _library
from ._handles import Handle, array_of, library, view

MAPS = ("stretch", "touching", "depth", "from lbs")
KINDS = ("fixed", "rigid", "soft")
SHAPES = ("mesh", "sphere", "box", "capsule", "cylinder", "slope")


@dataclass
class Thing:
    """An object of a world, in metres with y up. `shape`: sphere (radius), box (edges), capsule and cylinder (radius, length), slope (length,
    width, degrees), or mesh with `points` [n x 3] and `triangles` [m x 3], closed and outward. 0 or None: the library's default."""
    name: str
    kind: str = "rigid"
    shape: str = "box"
    size: Sequence[float] = (1, 1, 1)
    points: Any = None
    triangles: Any = None
    position: Sequence[float] = (0, 0, 0)
    rotation: Sequence[float] = (0, 0, 0, 1)
    mass_kg: float = 0
    friction: Optional[float] = None
    young_modulus_pa: float = 0


@dataclass(frozen=True)
class WorldInfo:
    ms: float
    skin_ms: float
    watched: int
    pushing: int
    converged: bool
    pushed: float


@dataclass(frozen=True)
class ThingState:
    """Where an object is: `points` is a view, good until the next step; own -> world is `axes` @ x + `origin`."""
    name: str
    points: np.ndarray
    triangles: np.ndarray
    origin: np.ndarray
    axes: np.ndarray


class World(Handle):
    """Skins among objects: `step` takes the wanted poses, lets contact correct them, moves the objects and steps the skins, whose positions are
    then to be shown. Closed with its first skin's character, or by `close`."""
    _destroy = "pelt_world_destroy"

    def __init__(self, skins: Sequence[Any], things: Sequence[Thing] = (), ground: Optional[float] = None,
                 gravity: Sequence[float] = (0, -9.81, 0), friction: float = 0.6, final: bool = False):
        super().__init__()
        error, out = _library.CError(), _c.c_void_p()
        self._keep: List[Any] = []  # the library reads the description as long as the world lives
        scene = library().pelt_scene_default()
        scene.gravity = (_c.c_float * 3)(*gravity)
        scene.has_ground, scene.ground_height = ground is not None, ground or 0
        scene.friction = friction
        scene.objects = (_library.SceneObject * max(len(things), 1))(*[_thing(t, self._keep) for t in things])
        scene.object_count = len(things)
        definition = library().pelt_world_def_default()
        definition.scene = _c.pointer(scene)
        definition.skins = (_c.c_void_p * len(skins))(*[s._live() for s in skins])
        definition.skin_count, definition.final = len(skins), final
        self._keep += [scene, definition]
        _library.check(library().pelt_world_create(definition, out, error), error)
        self._handle, self.skins = out.value, list(skins)
        self._info = _library.CWorldInfo()
        for skin in skins:
            skin._users.add(self)

    def step(self, poses: Sequence[Any], dt_s: float) -> None:
        if len(poses) != len(self.skins):
            raise _library.Error("a world of %d skins takes as many poses, not %d" % (len(self.skins), len(poses)), 1)
        handles = (_c.c_void_p * len(poses))(*[p._live() for p in poses])
        library().pelt_world_step(self._live(), handles, dt_s, self._info)

    @property
    def last_step(self) -> WorldInfo:
        i = self._info
        return WorldInfo(i.ms, i.skin_ms, i.watched, i.pushing, bool(i.converged), i.pushed)

    @property
    def things(self) -> List[ThingState]:
        found = [library().pelt_world_object(self._live(), i) for i in range(library().pelt_world_object_count(self._live()))]
        return [ThingState(o.name.decode(), view(o.positions, (o.vertex_count, 3), _c.c_float, self),
                           view(o.triangles, (o.triangle_count, 3), _c.c_int, self), np.array(o.origin),
                           np.array(o.axes).reshape(3, 3)) for o in found]

    def _index(self, name: str) -> int:
        index = library().pelt_world_object_find(self._live(), name.encode())
        if index < 0:
            raise _library.Error("the world has no object %s" % name, 1)
        return index

    def hold(self, name: str, position: Sequence[float], rotation: Sequence[float] = (0, 0, 0, 1)) -> None:
        """Within the next step the object moves there, pushing what is in its way, and stays until moved again or let go."""
        goal, error = _library.CTransform((*position,), (*rotation,), (1, 1, 1)), _library.CError()
        _library.check(library().pelt_world_hold(self._live(), self._index(name), goal, error), error)

    def let_go(self, name: str) -> None:
        library().pelt_world_let_go(self._live(), self._index(name))


def _thing(thing: Thing, keep: List[Any]) -> _library.SceneObject:
    out = library().pelt_scene_object_default()
    out.name, out.kind, out.shape = thing.name.encode(), KINDS.index(thing.kind), SHAPES.index(thing.shape)
    out.size = (_c.c_float * 3)(*(list(thing.size) + [0, 0])[:3])
    out.position, out.rotation = (_c.c_float * 3)(*thing.position), (_c.c_float * 4)(*thing.rotation)
    out.mass_kg, out.young_modulus_pa = thing.mass_kg, thing.young_modulus_pa
    if thing.friction is not None:
        out.friction = thing.friction
    if thing.shape == "mesh":
        points = array_of(thing.points, np.float32, (-1, 3), "points of %s" % thing.name)
        triangles = array_of(thing.triangles, np.int32, (-1, 3), "triangles of %s" % thing.name)
        out.vertex_count, out.vertices = len(points), points.ctypes.data
        out.triangle_count, out.triangles = len(triangles), triangles.ctypes.data
        keep += [points, triangles]
    keep.append(out.name)
    return out


class Measure(Handle):
    """How good frames are, in the numbers of docs/measures.md; linear blending of the file's weights is measured beside them."""
    _destroy = "pelt_measure_destroy"

    def __init__(self, character: Any, threads: int = 0):
        super().__init__()
        error, out = _library.CError(), _c.c_void_p()
        _library.check(library().pelt_measure_create(character._live(), threads, out, error), error)
        self._handle, self.character = out.value, character
        character._users.add(self)

    def frame(self, pose: Any, positions: Any) -> Dict[str, float]:
        """Measures of one frame by name, NaN where one is not defined. Frames in the order of the clip, each once."""
        array = array_of(positions, np.float32, (self.character.point_count, 3), "positions")
        quality = _library.CQuality()
        library().pelt_measure_frame(self._live(), pose._live(), array.ctypes.data, quality)
        value, found = _c.c_double(), {}
        for index in range(1000):
            name = library().pelt_quality_item(quality, index, value)
            if name is None:
                break
            found[name.decode()] = value.value if not math.isnan(value.value) else math.nan
        return found

    def map(self, what: str) -> np.ndarray:
        """A number a point of the last frame, a view good until the next call: "stretch", "touching" (0, 1: crosses, 2: deeply), "depth" or "from lbs"."""
        address = library().pelt_measure_map(self._live(), MAPS.index(what))
        return view(address, (self.character.point_count,), _c.c_float, self)

    @property
    def verdict(self) -> str:
        """One line over the frames so far: as good as linear blending, better or worse, and by what."""
        text = _c.create_string_buffer(512)
        library().pelt_measure_verdict(self._live(), text, len(text))
        return text.value.decode()

    def restart(self) -> None:
        library().pelt_measure_restart(self._live())
