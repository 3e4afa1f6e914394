// The plainest picture of a skin: one small program, ready long before the lit and shadowed one is. Normals come from the picture
// itself, so nothing is made before the first one.
const VERTEX = `#version 300 es
uniform mat4 look; in vec3 place; out vec3 at;
void main() { at = place; gl_Position = look * vec4(place, 1.0); }`;
const FRAGMENT = `#version 300 es
precision highp float; in vec3 at; out vec4 colour;
void main() {
  vec3 n = normalize(cross(dFdx(at), dFdy(at)));
  float light = 0.42 + 0.2 * n.y + 0.38 * max(dot(n, vec3(0.39, 0.73, 0.56)), 0.0);
  colour = vec4(vec3(0.83, 0.67, 0.55) * light, 1.0);
}`;

export class Sketch {
  private program: WebGLProgram;
  private array: WebGLVertexArrayObject;
  private places: WebGLBuffer;
  private corners: WebGLBuffer;
  private of: ArrayLike<number> | null = null; // whose triangles are there

  constructor(private gl: WebGL2RenderingContext) {
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.bindAttribLocation(this.program, 0, 'place');
    gl.linkProgram(this.program);
    this.array = gl.createVertexArray();
    this.places = gl.createBuffer();
    this.corners = gl.createBuffer();
  }

  /** `look`: from the world to the picture. Leaves the state as a new context has it, but for what is cleared to. */
  draw(points: Float32Array, triangles: Int32Array, look: Float32Array): void {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners);
    if (this.of !== triangles) gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    this.of = triangles;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, 'look'), false, look);
    gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.useProgram(null);
  }

  dispose(): void {
    const { gl } = this;
    gl.deleteProgram(this.program);
    gl.deleteVertexArray(this.array);
    gl.deleteBuffer(this.places);
    gl.deleteBuffer(this.corners);
  }
}
