// As much of glTF as the page reads itself: the JSON, the bytes behind it, and numbers out of an accessor.
export interface TextureRef { index: number; texCoord?: number; scale?: number; strength?: number; extensions?: { KHR_texture_transform?: { offset?: number[]; rotation?: number; scale?: number[]; texCoord?: number } } }
export interface GltfMaterial {
  doubleSided?: boolean; alphaMode?: string; alphaCutoff?: number; emissiveFactor?: number[];
  normalTexture?: TextureRef; occlusionTexture?: TextureRef; emissiveTexture?: TextureRef;
  pbrMetallicRoughness?: { baseColorFactor?: number[]; baseColorTexture?: TextureRef; roughnessFactor?: number; metallicFactor?: number; metallicRoughnessTexture?: TextureRef };
  extensions?: { KHR_materials_unlit?: object; KHR_materials_emissive_strength?: { emissiveStrength?: number }; VRMC_materials_mtoon?: { shadeColorFactor?: number[] } };
}
export interface Primitive { attributes: Record<string, number>; material?: number; indices?: number; mode?: number }
export interface Gltf {
  accessors?: { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string; normalized?: boolean }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  images?: { bufferView?: number; mimeType?: string; uri?: string }[];
  samplers?: { magFilter?: number; minFilter?: number; wrapS?: number; wrapT?: number }[];
  textures?: { source?: number; sampler?: number; extensions?: { EXT_texture_webp?: { source: number } } }[];
  materials?: GltfMaterial[];
  meshes?: { primitives: Primitive[] }[];
  nodes?: { mesh?: number; children?: number[] }[];
  scene?: number;
  scenes?: { nodes?: number[] }[];
  extensions?: { VRM?: { materialProperties?: { shader?: string; vectorProperties?: { _ShadeColor?: number[] } }[] } };
}

export function openGlb(buffer: ArrayBuffer): { json: Gltf; bin: Uint8Array } {
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x46546c67)
    return { json: JSON.parse(new TextDecoder().decode(buffer)), bin: new Uint8Array() };
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, length)));
  const at = 20 + length;
  return { json, bin: at + 8 <= buffer.byteLength ? new Uint8Array(buffer, at + 8, view.getUint32(at, true)) : new Uint8Array() };
}

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
/** Bytes, how one is read, and what is 1 where they stand for fractions. */
const KINDS: Record<number, [number, 'getInt8' | 'getUint8' | 'getInt16' | 'getUint16' | 'getUint32' | 'getFloat32', number]> = {
  5120: [1, 'getInt8', 127], 5121: [1, 'getUint8', 255], 5122: [2, 'getInt16', 32767], 5123: [2, 'getUint16', 65535], 5125: [4, 'getUint32', 1], 5126: [4, 'getFloat32', 1],
};

/** The numbers of an accessor; null: they are not in this file, or of a kind nobody needs here. */
export function readNumbers({ accessors, bufferViews }: Gltf, bin: Uint8Array, index: number): { values: Float64Array; width: number } | null {
  const a = accessors?.[index], view = a?.bufferView === undefined ? undefined : bufferViews?.[a.bufferView], kind = KINDS[a?.componentType ?? 0], width = WIDTHS[a?.type ?? ''];
  if (!a || !view || view.buffer !== 0 || !kind || !width) return null;
  const [size, get, whole] = kind, stride = view.byteStride ?? width * size, start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0), one = a.normalized ? whole : 1;
  if (start + stride * (a.count - 1) + width * size > bin.byteLength) return null;
  const data = new DataView(bin.buffer, bin.byteOffset, bin.byteLength), values = new Float64Array(a.count * width);
  for (let i = 0; i < a.count; i++)
    for (let k = 0; k < width; k++) values[i * width + k] = Math.max(data[get](start + i * stride + k * size, true) / one, a.normalized ? -1 : -Infinity);
  return { values, width };
}
