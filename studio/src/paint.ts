// Colours of a skin: what a person chose to see on it.
import type { Studio } from './studio';
import type { View } from './view';
import { paintedValues } from './brush';
import { distance, diverging, fold, rising, stretch, touching } from './heat';

/** What the colours mean, for the legend. */
export const legends: Record<string, [string, string, string]> = {
  stretch: ['−50 %', 'as at rest', '+50 %'],
  distance: ['0', '2.5 %', '5 % of the size'],
  fold: ['ridge', 'flat', 'fold'],
  touch: ['free', 'near', 'skin on skin'],
  weights: ['0', '0.5', '1'],
  rig: ['as it is', 'little', 'much'],
};

export function paint(studio: Studio, view: View): void {
  const { character, look } = studio;
  if (!character || look.colour === 'clay' || look.colour === 'file') return;
  view.skins.forEach((skin, i) => {
    if (!skin || (i && look.compare === 'ghost')) return;
    skin.freshen();
    const values = new Float32Array(character.welds.length), out = skin.colours;
    let colour = rising, scale = 1;
    if (look.colour === 'stretch') { stretch(character, skin.positions, values); colour = diverging; scale = 2; }
    else if (look.colour === 'fold') { fold(character, skin.positions, skin.normals, view.size, values); colour = diverging; scale = 1 / 60; }
    else if (look.colour === 'touch') touching(character, skin.positions, skin.normals, view.size, values);
    else if (look.colour === 'distance' && view.skins[1 - i]) { distance(skin.positions, view.skins[1 - i]!.positions, view.size, values); scale = 20; }
    else if (look.colour === 'rig') paintedValues(studio, values);
    else if (look.colour === 'weights') { const w = weights.of(studio); if (w) for (let p = 0; p < values.length; p++) values[p] = w[p] / 65535; }
    if (look.colour === 'normals')
      for (let k = 0; k < out.length; k++) out[k] = 0.5 + 0.5 * skin.normals[k];
    else
      for (let p = 0; p < values.length; p++) colour(values[p] * scale, out, p * 3);
    skin.coloured();
  });
}

/** The weights of the joint that is selected, kept until another is. */
export const weights = {
  node: -1, epoch: 0, values: null as Uint16Array | null,
  of(studio: Studio): Uint16Array | null {
    return this.node === studio.selected && this.epoch === studio.character?.epoch ? this.values : null;
  },
};
