// Plays the rules of a character that `pelt distil` made (hero.glb with hero.drivers.json) in three.js: pose the joints by any
// means, call update(), render.
//
//   const gltf = await new GLTFLoader().loadAsync('hero.glb');
//   const rules = await (await fetch('hero.drivers.json')).json();
//   const drivers = await PeltDrivers.create(gltf, rules);
//   gltf.scene.getObjectByName('forearm_L').rotation.x = 1;   // or a mixer, or inverse kinematics
//   drivers.update();
import { Quaternion, Vector3 } from 'three';

const whole = new Quaternion();

/** The rotation of a unit quaternion as axis times angle in [0, pi]. */
function rotationVector(q, out) {
  const sign = q.w < 0 ? -1 : 1, sine = Math.hypot(q.x, q.y, q.z);
  const over = sine > 1e-6 ? 2 * Math.atan2(sine, sign * q.w) / sine : 2;
  return out.set(q.x, q.y, q.z).multiplyScalar(sign * over);
}

export class PeltDrivers {
  /** @param gltf what GLTFLoader gave  @param rules the parsed .drivers.json */
  static async create(gltf, rules) {
    const node = index => gltf.parser.getDependency('node', index);
    const drivers = new PeltDrivers();
    drivers.joints = await Promise.all(rules.joints.map(async joint => ({
      object: await node(joint.node),
      parent: joint.parent_node === undefined ? gltf.scene : await node(joint.parent_node),
      rest: new Quaternion(...joint.rest), restInverse: new Quaternion(...joint.rest).invert(),
      turn: new Quaternion(), at: new Vector3(), r: new Vector3(),
    })));
    drivers.helpers = await Promise.all(rules.helpers.map(async helper => ({
      object: await node(helper.node), joint: drivers.joints[helper.joint], fraction: helper.fraction,
      axis: helper.rule === 'twist' ? new Vector3(...helper.axis) : null, push: new Vector3(...(helper.push ?? [0, 0, 0])),
    })));
    drivers.drives = rules.drives.map(drive => ({ ...drive, joint: drivers.joints[drive.joint], axis: new Vector3(...drive.axis), weight: 0 }));
    drivers.correctives = await Promise.all(rules.correctives.map(async ({ low, high, terms, ...corrective }) => ({
      low, high, terms: terms.map(term => ({ gain: term.gain, drives: term.drives.map(index => drivers.drives[index]) })),
      places: (await Promise.all(corrective.places.map(async place => {
        const object = await node(place.node); // a mesh, or a group with one for every primitive
        const meshes = object.isMesh ? [object] : object.children.filter(child => child.isMesh &&
          gltf.parser.associations.get(child)?.nodes === undefined);
        return meshes.map(mesh => ({ mesh, target: place.target }));
      }))).flat(),
    })));
    return drivers;
  }

  /** Poses helpers and sets weights of correctives, from the joints as they are now. */
  update() {
    for (const joint of this.joints) measure(joint);
    for (const { object, joint, fraction, axis, push } of this.helpers) {
      whole.copy(joint.turn);
      if (axis) { // turn = swing * twist
        const along = whole.x * axis.x + whole.y * axis.y + whole.z * axis.z;
        whole.set(along * axis.x, along * axis.y, along * axis.z, whole.w).normalize();
      }
      object.quaternion.identity().slerp(whole, fraction).multiply(joint.rest);
      object.position.copy(joint.at).addScaledVector(push, joint.r.length());
    }
    for (const drive of this.drives) drive.weight = weigh(drive);
    for (const { low, high, terms, places } of this.correctives) {
      const sum = terms.reduce((sum, term) => sum + term.drives.reduce((product, drive) => product * drive.weight, term.gain), 0);
      const weight = Math.min(Math.max(sum, low), high);
      for (const { mesh, target } of places) mesh.morphTargetInfluences[target] = weight;
    }
  }
}

/** The joint's place and turn against its parent joint. */
function measure(joint) {
  const { object, parent, restInverse, turn, at, r } = joint;
  turn.copy(object.quaternion);
  at.copy(object.position);
  for (let above = object.parent; above && above !== parent; above = above.parent) {
    above.updateMatrix();
    turn.premultiply(above.quaternion);
    at.applyMatrix4(above.matrix);
  }
  rotationVector(turn.multiply(restInverse), r);
}

function weigh({ joint, axis, from, to }) {
  return Math.min(Math.max((joint.r.dot(axis) - from) / (to - from), 0), 1);
}
