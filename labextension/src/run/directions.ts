/** Which node an arrow key leads to: the nearest in its direction, where what lies aside counts twice. Pure. */

import type { PictureNode } from './tokens.js';

const WAYS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0]
};

/** The path of the node to go to; null where this key means none, or none lies there. */
export function neighbour(nodes: readonly PictureNode[], from: string, key: string): string | null {
  const way = WAYS[key];
  const start = nodes.find(({ path }) => path === from);
  if (key === 'Home' || key === 'End') {
    return nodes.at(key === 'Home' ? 0 : -1)?.path ?? null;
  }
  if (!way || !start) {
    return null;
  }
  let [best, least] = [null as string | null, Infinity];
  for (const node of nodes) {
    const [dx, dy] = [middle(node)[0] - middle(start)[0], middle(node)[1] - middle(start)[1]];
    const ahead = dx * way[0] + dy * way[1];
    const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    const isThere = node !== start && ahead > 1 && (way[0] === 0 || aside < start.h); // left and right keep the layer
    const distance = ahead + 2 * aside;
    if (isThere && distance < least) {
      [best, least] = [node.path, distance];
    }
  }
  return best;
}

function middle({ x, y, w, h }: PictureNode): readonly [number, number] {
  return [x + w / 2, y + h / 2];
}
