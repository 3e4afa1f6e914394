// Where a browser has no WebGL 2: the page says so and goes on with the plain picture it began with; poses, bakes and rigs can still be had.
import { Vector2, type WebGLRenderer } from 'three';

export function noPicture(domElement: HTMLCanvasElement): WebGLRenderer {
  const size = new Vector2(1, 1);
  const silent = {
    domElement, shadowMap: {}, autoClear: false,
    setSize: (width: number, height: number) => { size.set(width, height); domElement.width = width; domElement.height = height; domElement.style.width = `${width}px`; domElement.style.height = `${height}px`; },
    getSize: (out: Vector2) => out.copy(size),
    compileAsync: () => Promise.resolve(),
    setPixelRatio: () => undefined, clear: () => undefined, clearDepth: () => undefined, render: () => undefined, setScissorTest: () => undefined, setScissor: () => undefined, setViewport: () => undefined,
  };
  return silent as unknown as WebGLRenderer;
}
