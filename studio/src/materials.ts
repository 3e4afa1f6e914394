// The file's own materials: the page reads the .glb the command shows for colours and textures, nothing else.
import {
  BufferAttribute, ClampToEdgeWrapping, Color, DataTexture, DoubleSide, FrontSide, LinearFilter, LinearMipmapLinearFilter, LinearMipmapNearestFilter, MeshBasicMaterial, MeshStandardMaterial, MeshToonMaterial,
  MirroredRepeatWrapping, NearestFilter, NearestMipmapLinearFilter, NearestMipmapNearestFilter, NoColorSpace, RedFormat, RepeatWrapping, SRGBColorSpace, Texture, Vector2,
} from 'three';
import type { Character } from 'messages';
import { openGlb, readNumbers, type Gltf, type GltfMaterial, type Primitive, type TextureRef } from './gltf';

export type Worn = MeshStandardMaterial | MeshBasicMaterial | MeshToonMaterial;
export interface Dress {
  materials: Worn[]; groups: { start: number; count: number; material: number }[];
  attributes: Record<string, BufferAttribute>; // uv, uv1, color: what the file has of them
  rich: boolean; // it tells more than one plain colour
  dispose(): void;
}

/** null: the file is of a kind this page does not read, or is not there. */
export async function dressed(character: Character): Promise<Dress | null> {
  try {
    const answer = await fetch('/character');
    if (answer.status !== 200) return null;
    const { json, bin } = openGlb(await answer.arrayBuffer());
    return await dress(json, bin, character);
  } catch {
    return null; // clay shows everything but the colours
  }
}

/** Primitives in the order of the points: meshes, for each the nodes of the scene that use it, for each its primitives. */
function primitives(json: Gltf): Primitive[] {
  const shown = new Set<number>(), walk = (n: number) => { shown.add(n); json.nodes?.[n].children?.forEach(walk); };
  json.scenes?.[json.scene ?? 0]?.nodes?.forEach(walk);
  const out: Primitive[] = [];
  json.meshes?.forEach((mesh, m) => json.nodes?.forEach((node, n) => { if (node.mesh === m && shown.has(n)) out.push(...mesh.primitives); }));
  return out;
}

async function dress(json: Gltf, bin: Uint8Array, character: Character): Promise<Dress | null> {
  const list = primitives(json), counts = list.map(p => json.accessors?.[p.attributes.POSITION]?.count ?? 0), points = counts.reduce((sum, n) => sum + n, 0);
  if (points !== character.welds.length) return null;
  const attributes: Dress['attributes'] = {}, owner = new Int32Array(points), coloured = new Set<number>(), plain = json.materials?.length ?? 0; // after the file's: what has none
  const gather = (name: string, as: string, width: number, blank: number): void => {
    const all = new Float32Array(points * width).fill(blank);
    let first = 0, any = false;
    list.forEach((p, i) => {
      const read = p.attributes[name] === undefined ? null : readNumbers(json, bin, p.attributes[name]);
      if (read && read.values.length === counts[i] * read.width) {
        for (let v = 0; v < counts[i]; v++) for (let k = 0; k < Math.min(width, read.width); k++) all[(first + v) * width + k] = read.values[v * read.width + k];
        any = true;
        if (as === 'color') coloured.add(p.material ?? plain);
      }
      owner.fill(p.material ?? plain, first, first += counts[i]);
    });
    if (any) attributes[as] = new BufferAttribute(all, width);
  };
  gather('TEXCOORD_0', 'uv', 2, 0);
  gather('TEXCOORD_1', 'uv1', 2, 0);
  gather('COLOR_0', 'color', 4, 1);
  const wardrobe = new Wardrobe(json, bin);
  const materials = await Promise.all([...json.materials ?? [], {}].map((m, i) => wardrobe.make(m, i, coloured.has(i))));
  const groups: Dress['groups'] = [], { triangles } = character;
  for (let t = 0; t < triangles.length; t += 3) {
    const material = owner[triangles[t]], last = groups.at(-1);
    if (last?.material === material) last.count += 3;
    else groups.push({ start: t, count: 3, material });
  }
  const worn = [...new Set(groups.map(g => g.material))], hues = new Set(worn.map(m => materials[m].color.getHex()));
  return { materials, groups, attributes, rich: Boolean(attributes.color) || hues.size > 1 || wardrobe.textures.length > 0, dispose: () => { [...materials, ...wardrobe.textures].forEach(m => m.dispose()); } };
}

const WRAPS: Record<number, Texture['wrapS']> = { 33071: ClampToEdgeWrapping, 33648: MirroredRepeatWrapping, 10497: RepeatWrapping };
const SMALLER: Record<number, Texture['minFilter']> = { 9728: NearestFilter, 9729: LinearFilter, 9984: NearestMipmapNearestFilter, 9985: LinearMipmapNearestFilter, 9986: NearestMipmapLinearFilter, 9987: LinearMipmapLinearFilter };

/** Makes materials of one file; each picture is read once. */
class Wardrobe {
  readonly textures: Texture[] = [];
  private pictures = new Map<number, Promise<ImageBitmap | null>>();
  constructor(private json: Gltf, private bin: Uint8Array) {}

  async make(from: GltfMaterial, index: number, coloured: boolean): Promise<Worn> {
    const pbr = from.pbrMetallicRoughness ?? {}, [r, g, b, a] = pbr.baseColorFactor ?? [1, 1, 1, 1], shade = this.shade(from, index);
    const common = { color: new Color(r, g, b), map: await this.texture(pbr.baseColorTexture, true), side: from.doubleSided ? DoubleSide : FrontSide, vertexColors: coloured };
    const made = shade ? new MeshToonMaterial(common) : from.extensions?.KHR_materials_unlit ? new MeshBasicMaterial(common) : new MeshStandardMaterial(common);
    if (from.alphaMode === 'MASK') { made.alphaTest = from.alphaCutoff ?? 0.5; made.opacity = a; }
    if (from.alphaMode === 'BLEND') { made.transparent = true; made.opacity = a; made.depthWrite = false; }
    made.userData = { transparent: made.transparent, opacity: made.opacity, depthWrite: made.depthWrite };
    if (made instanceof MeshToonMaterial) made.gradientMap = steps(shade!, [r, g, b]);
    if (made instanceof MeshStandardMaterial) {
      made.roughness = pbr.roughnessFactor ?? 1;
      made.metalness = pbr.metallicFactor ?? 1;
      made.metalnessMap = made.roughnessMap = await this.texture(pbr.metallicRoughnessTexture, false);
    }
    if (!(made instanceof MeshBasicMaterial)) await this.relief(made, from);
    return made;
  }

  /** What light falls on beside the base colour. Tangents come from the picture, so y of a normal map turns round. */
  private async relief(made: MeshStandardMaterial | MeshToonMaterial, from: GltfMaterial): Promise<void> {
    const bumps = from.normalTexture?.scale ?? 1, strength = from.extensions?.KHR_materials_emissive_strength?.emissiveStrength ?? 1;
    made.normalMap = await this.texture(from.normalTexture, false);
    made.normalScale = new Vector2(bumps, -bumps);
    made.aoMap = await this.texture(from.occlusionTexture, false);
    made.aoMapIntensity = from.occlusionTexture?.strength ?? 1;
    made.emissive = new Color(...(from.emissiveFactor ?? [0, 0, 0]) as [number, number, number]);
    made.emissiveMap = await this.texture(from.emissiveTexture, true);
    made.emissiveIntensity = strength;
  }

  /** The colour of a toon's shaded side (VRM 1 and 0); null: it is no toon. */
  private shade(from: GltfMaterial, index: number): number[] | null {
    const old = this.json.extensions?.VRM?.materialProperties?.[index], mtoon = from.extensions?.VRMC_materials_mtoon;
    if (mtoon) return mtoon.shadeColorFactor ?? [0, 0, 0];
    return old?.shader === 'VRM/MToon' ? old.vectorProperties?._ShadeColor?.slice(0, 3) ?? [0.97, 0.81, 0.86] : null;
  }

  private async texture(ref: TextureRef | undefined, colours: boolean): Promise<Texture | null> {
    const from = ref && this.json.textures?.[ref.index], source = from?.extensions?.EXT_texture_webp?.source ?? from?.source ?? -1;
    if (!this.pictures.has(source)) this.pictures.set(source, this.picture(source));
    const picture = await this.pictures.get(source)!;
    if (!ref || !picture) return null;
    const texture = new Texture(picture), sampler = this.json.samplers?.[from?.sampler ?? -1] ?? {}, moved = ref.extensions?.KHR_texture_transform;
    texture.flipY = false;
    texture.colorSpace = colours ? SRGBColorSpace : NoColorSpace;
    texture.wrapS = WRAPS[sampler.wrapS ?? 10497] ?? RepeatWrapping;
    texture.wrapT = WRAPS[sampler.wrapT ?? 10497] ?? RepeatWrapping;
    texture.magFilter = sampler.magFilter === 9728 ? NearestFilter : LinearFilter;
    texture.minFilter = SMALLER[sampler.minFilter ?? 9987] ?? LinearMipmapLinearFilter;
    texture.anisotropy = 4;
    texture.channel = moved?.texCoord ?? ref.texCoord ?? 0;
    if (moved) {
      texture.offset.fromArray(moved.offset ?? [0, 0]);
      texture.repeat.fromArray(moved.scale ?? [1, 1]);
      texture.rotation = moved.rotation ?? 0;
    }
    texture.needsUpdate = true;
    this.textures.push(texture);
    return texture;
  }

  private async picture(source: number): Promise<ImageBitmap | null> {
    const image = this.json.images?.[source], view = image?.bufferView === undefined ? null : this.json.bufferViews?.[image.bufferView];
    if (!view || view.buffer !== 0) return null;
    const bytes = this.bin.slice(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
    return createImageBitmap(new Blob([bytes], { type: image!.mimeType }), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' }).catch(() => null); // a texture less
  }
}

/** Two tones: how bright the shaded side is beside the lit one. */
function steps(shade: number[], [r, g, b]: number[]): DataTexture {
  const bright = (c: number[]) => 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2], ratio = Math.min(bright(shade) / Math.max(bright([r, g, b]), 1e-3), 1);
  const made = new DataTexture(Uint8Array.from([255 * ratio, 255 * ratio, 255, 255]), 4, 1, RedFormat);
  made.minFilter = made.magFilter = NearestFilter;
  made.needsUpdate = true;
  return made;
}
