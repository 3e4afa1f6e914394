// pelt studio: the page. Puts the parts together and keeps the picture going.
import type { Boot } from './boot';
import { Studio } from './studio';
import { Link } from './link';
import { View } from './view';
import { Bones } from './bones';
import { Hand } from './hand';
import { Things, worldPanel } from './things';
import { Posing } from './posing';
import { timeline } from './timeline';
import { methodPanel } from './options';
import { comparePanel, followWeights, legend, lookPanel, wipeLine } from './look';
import { header, numbers, takeFiles, troubles } from './frame';
import { insidePanel } from './inside';
import { bakePanel } from './bake';
import { keys } from './keys';
import { Project } from './project';
import { Muscles } from './muscles';
import { rigPanel } from './rig_panel';
import { keyedPanel } from './keyed_panel';
import { Grip, gripPanel } from './grip';
import { filmPart } from './film';
import { meters } from './meters';
import { nameTags } from './names';
import { h, section } from './ui';

const boot = (window as unknown as { peltBoot: Boot }).peltBoot, part = (name: string) => document.querySelector<HTMLElement>(`body > ${name}`)!;
const studio = new Studio(), link = new Link(studio, boot.tab), picture = part('main');
if (innerWidth < 800) document.body.classList.add('folded');
const view = new View(studio, picture, boot), bones = new Bones(studio, view), things = new Things(studio, view), muscles = new Muscles(studio, view), hand = new Hand(studio, view, bones, things, muscles), grip = new Grip(studio, view), posing = new Posing(studio, hand);
const project = new Project(studio, link, view);
const open = (file: File) => project.open(file), save = () => project.save();

const panel = h('aside', { 'aria-label': 'Panels' },
  section('Skin', true, methodPanel(studio, link, 0)),
  section('Compare', true, methodPanel(studio, link, 1), ...comparePanel(studio)),
  section('Pose', true, ...posing.panel()),
  section('Clip of your own', false, ...keyedPanel(studio, link)),
  section('Rig', false, ...rigPanel(studio, muscles)),
  section('Look', true, ...lookPanel(studio, view), filmPart(studio, link, view)),
  section('Inside', false, ...insidePanel(studio, view)),
  section('World', false, ...worldPanel(studio, view, link), gripPanel(studio, grip)),
  section('Times', false, ...meters(studio, link)),
  section('Bake and measure', false, ...bakePanel(studio, link)));
picture.append(nameTags(studio, view), wipeLine(studio), legend(studio), numbers(studio, link), ...troubles(studio, link));
part('header').replaceWith(header(studio, link, view, open, save));
part('aside').replaceWith(panel);
part('footer').replaceWith(timeline(studio));
link.floor = () => view.floor;
followWeights(studio, link, view);
keys(studio, view, posing, save);

addEventListener('dragover', event => { event.preventDefault(); document.body.classList.add('dropping'); });
addEventListener('dragleave', event => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
addEventListener('drop', event => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  if (event.dataTransfer?.files.length) void takeFiles(studio, link, [...event.dataTransfer.files], open);
});

function picturesGoOn(now: number): void {
  link.tick(now);
  view.draw();
  requestAnimationFrame(picturesGoOn);
}

void boot.said.then(said => said.length ? link.begin(said) : link.start()).then(() => project.begin());
requestAnimationFrame(picturesGoOn);

// what tests and curious people ask the page
Object.assign(window, { peltStudio: { studio, link, view, posing, hand, muscles, grip } });
