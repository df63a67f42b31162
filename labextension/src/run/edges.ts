/**
 * The edges of a picture, as paths of one SVG beneath the nodes. They come with the picture and stay: of an edge only
 * changes whether it is pale, since one of its ends was skipped, or was taken.
 */

import type { RunPicture, RunStep } from './tokens.js';

const SVG = 'http://www.w3.org/2000/svg';
const TIP = 4; // pixels

export class Edges {
  readonly element = document.createElementNS(SVG, 'svg');
  readonly #paths = new Map<string, [path: SVGPathElement, source: string, target: string][]>(); // by either end

  constructor() {
    this.element.setAttribute('class', 'pj-Run-edges');
    this.element.setAttribute('aria-hidden', 'true');
  }

  /** Draw them all anew. */
  draw({ nodes, edges, w, h }: RunPicture): void {
    this.#paths.clear();
    const paths = edges.map(({ source, target, points, is_condition: isCondition }) => {
      const path = document.createElementNS(SVG, 'path');
      path.setAttribute('d', pathOf(points));
      path.setAttribute('class', isCondition ? 'pj-Run-edge pj-mod-condition' : 'pj-Run-edge');
      const ends = [nodes[source]?.path ?? '', nodes[target]?.path ?? ''] as const;
      ends.forEach(end => this.#of(end).push([path, ...ends]));
      return path;
    });
    this.element.setAttribute('width', String(Math.ceil(w)));
    this.element.setAttribute('height', String(Math.ceil(h)));
    this.element.replaceChildren(...paths);
  }

  /** This step has changed. */
  update(path: string, stepOf: (path: string) => RunStep | undefined): void {
    for (const [drawn, source, target] of this.#paths.get(path) ?? []) {
      const ends = [stepOf(source)?.status, stepOf(target)?.status];
      const look = ends.includes('skipped') ? 'skipped' : ends[0] === 'succeeded' ? 'succeeded' : '';
      if (drawn.dataset['status'] !== look) {
        drawn.dataset['status'] = look;
      }
    }
  }

  #of(path: string): [SVGPathElement, string, string][] {
    const found = this.#paths.get(path) ?? [];
    this.#paths.set(path, found);
    return found;
  }
}

/** A line through the points, round where it bends, with a tip at its end. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  const [first, ...others] = points;
  if (!first) {
    return '';
  }
  let before = first;
  const parts = [`M${first[0]} ${first[1]}`];
  for (const point of others) {
    const middle = (before[1] + point[1]) / 2;
    const isStraight = before[0] === point[0];
    const curve = `C${before[0]} ${middle} ${point[0]} ${middle} ${point[0]} ${point[1]}`;
    parts.push(isStraight ? `V${point[1]}` : curve);
    before = point;
  }
  const [x, y] = before;
  return `${parts.join('')}M${x - TIP} ${y - 1.5 * TIP}L${x} ${y}L${x + TIP} ${y - 1.5 * TIP}`;
}
