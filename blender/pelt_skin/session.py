# SPDX-License-Identifier: GPL-3.0-or-later
"""A prepared character: its skin, and what is needed to step it to the pose of the moment. Live and bakes use the same."""
import numpy as np

from . import convert, library, settings


class Session:
    """Holds names and identities, never pointers of Blender's: undo and file loading make those worthless."""

    def __init__(self, rig, scene, progress=None):
        own = rig.pelt
        self.identity, self.rig_name = settings.identity(own), rig.name
        settings.identity(rig.pelt_tag)
        self.rig_identity, self.method = rig.pelt_tag.identity, own.method
        self.dynamic = settings.methods()[own.method].dynamic
        self.chosen = settings.chosen(own)
        self.character, self.sources, names = convert.character_of(rig, scene)
        try:
            self.skin = library.pelt.Skin(self.character, own.method, self.chosen, progress=progress)
        except BaseException:
            self.character.close()
            raise
        self.pose = library.pelt.Pose(self.character)
        self.bones = convert.Bones(rig, names)
        self.rest = np.array([convert.matrix(rig.matrix_world) @ convert.matrix(rig.data.bones[n].matrix_local) for n in names])
        self.words = convert.oddities(rig, scene) + [text for _, text in self.character.warnings + self.skin.warnings]
        self.matrices, self.frame, self.world, self.said = None, None, None, ""
        self.keys = [s.keys for s in self.sources]

    def close(self):
        self.character.close()  # poses, skins and worlds with it

    def rig(self, scene):
        return convert.find(self.rig_identity, self.rig_name, scene)

    def stale(self, scene):
        """Why it no longer fits the file; empty: it does."""
        rig = self.rig(scene)
        if rig is None:
            return "the armature is gone"
        if rig.pelt.method != self.method:
            return "another method was chosen: prepare again"
        if len(rig.pose.bones) != self.bones.count:
            return "bones were added or taken away: prepare again"
        for source in self.sources:
            obj = source.find(scene)
            if obj is None:
                return "%s is gone" % source.name
            if len(obj.data.vertices) != source.base_count:
                return "%s has other vertices than when it was prepared: prepare again" % source.name
        return ""

    def step(self, scene, depsgraph, frame, fps, force=False):
        """Steps to the pose of the moment. False: nothing has moved since the last step."""
        matrices = self.bones.read(self.rig(scene), depsgraph)
        if matrices is None:
            return False
        keys = [convert.key_values(s.find(scene)) for s in self.sources]
        still = self.matrices is not None and np.array_equal(matrices, self.matrices) and keys == self.keys
        if still and not force and (frame == self.frame or not self.dynamic):
            self.frame = frame
            return False
        self._mind_time(frame)
        self.pose.set_matrices(matrices)
        if self.world:
            self.world.step([self.pose], 1 / fps)
        else:
            self.skin.step(self.pose, 1 / fps)
        self.matrices, self.frame, self.keys = matrices, frame, keys
        return True

    def _mind_time(self, frame):
        jumped = self.frame is not None and frame not in (self.frame, self.frame + 1)
        if jumped:
            self.skin.restart()
        if self.dynamic:
            self.said = "jumped in time: started anew at frame %d" % frame if jumped else ""

    def points(self, index, scene, exact=False):
        """World positions of a mesh after the step; shape keys that changed since the prepare ride on the blended bones."""
        source = self.sources[index]
        shown = self.skin.positions[source.span()]
        obj = source.find(scene)
        now = source.points_now(obj, exact)
        if now is None:
            return shown  # good until the next step
        shown = shown.astype(np.float64)
        shift = (now - source.rest) @ convert.matrix(obj.matrix_world)[:3, :3].T
        which, share = source.weights
        if which is None:
            return shown + shift
        turned = np.flatnonzero(np.abs(shift).max(axis=1) > 1e-9)
        bones = self.matrices[:, :3, :3] @ np.linalg.inv(self.rest)[:, :3, :3]
        total = np.maximum(share[turned].sum(axis=1), 1e-12)
        blended = np.einsum("vk,vkij->vij", share[turned] / total[:, None], bones[which[turned]])
        shown[turned] += np.einsum("vij,vj->vi", blended, shift[turned])
        return shown
