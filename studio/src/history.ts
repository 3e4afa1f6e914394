// Undo and redo of poses: what the hand changed, node by node.
import type { Studio } from './studio';
import type { Edits } from './skeleton';

export class History {
  private past: Edits[] = [];
  private future: Edits[] = [];
  constructor(private studio: Studio) {}

  get canUndo(): boolean { return this.past.length > 0; }
  get canRedo(): boolean { return this.future.length > 0; }

  /** Before a change: the present becomes what undo goes back to. */
  mark(): void {
    const skeleton = this.studio.skeleton;
    if (!skeleton) return;
    this.past.push(skeleton.copyEdits());
    if (this.past.length > 200)
      this.past.shift();
    this.future = [];
    this.studio.tell('history');
  }

  /** The change that `mark` announced did not come. */
  unmark(): void {
    this.past.pop();
    this.studio.tell('history');
  }

  clear(): void {
    this.past = [];
    this.future = [];
    this.studio.tell('history');
  }

  undo(): void { this.move(this.past, this.future); }
  redo(): void { this.move(this.future, this.past); }

  private move(from: Edits[], to: Edits[]): void {
    const skeleton = this.studio.skeleton, edits = from.pop();
    if (!skeleton || !edits) return;
    to.push(skeleton.copyEdits());
    skeleton.setEdits(edits);
    this.studio.posed();
    this.studio.tell('history');
  }
}
