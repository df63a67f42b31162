/** A chart as a picture of its own. */

import { element } from '../parts/dom.js';
import type { ChartSpec } from './card.js';
import { patternOf, type ChartTheme } from './theme.js';

/** `chart` with background, its title above and the names of its lines below. */
export function chartImage(
  chart: HTMLCanvasElement,
  { title, labels, styles }: Pick<ChartSpec, 'title' | 'labels' | 'styles'>,
  theme: ChartTheme
): HTMLCanvasElement {
  const scale = chart.width / (chart.clientWidth || chart.width);
  const line = 20 * scale;
  const names = labels.filter(label => label !== '');
  const made = element('canvas', { width: chart.width, height: chart.height + line * (1.5 + names.length) });
  const pen = made.getContext('2d');
  if (pen) {
    pen.fillStyle = theme.background;
    pen.fillRect(0, 0, made.width, made.height);
    pen.drawImage(chart, 0, line * 1.5);
    pen.font = `${13 * scale}px ${theme.font.replace(/^\S+ /, '')}`;
    pen.fillStyle = theme.text;
    pen.fillText(title.slice(0, 200), line / 2, line, made.width - line);
    names.forEach((name, index) => {
      const y = chart.height + line * (2 + index);
      const style = styles[index] ?? index;
      pen.strokeStyle = theme.lines[style % theme.lines.length] ?? theme.text;
      pen.lineWidth = 2 * scale;
      pen.setLineDash(patternOf(style).dash.map(part => part * scale));
      pen.beginPath();
      pen.moveTo(line / 2, y - 4 * scale);
      pen.lineTo(line * 1.6, y - 4 * scale);
      pen.stroke();
      pen.fillText(name.slice(0, 200), line * 2, y, made.width - line * 2.5);
    });
  }
  return made;
}
