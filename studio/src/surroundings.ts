// What shiny things mirror: a plain room with a bright sky, two lamps and a dark floor, made by the page itself.
import { BackSide, BoxGeometry, Mesh, MeshBasicMaterial, PMREMGenerator, Scene, type Texture, type WebGLRenderer } from 'three';

export function surroundings(renderer: WebGLRenderer): Texture {
  const room = new Scene(), shape = new BoxGeometry(1, 1, 1);
  const grey = (v: number) => { const m = new MeshBasicMaterial({ side: BackSide }); m.color.setScalar(v); return m; }; // lamps are brighter than white
  room.add(new Mesh(shape, [0.7, 0.7, 1.6, 0.25, 0.8, 0.6].map(grey)));
  room.children[0].scale.setScalar(10);
  for (const [x, z] of [[3, 3], [-4, 1]]) {
    const lamp = new Mesh(shape, grey(12));
    lamp.position.set(x, 4, z);
    lamp.scale.set(2, 0.2, 2);
    room.add(lamp);
  }
  const maker = new PMREMGenerator(renderer), made = maker.fromScene(room, 0.03).texture;
  maker.dispose();
  shape.dispose();
  return made;
}
