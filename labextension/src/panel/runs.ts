/** The section of runs, as far as it is there from the beginning: the rest is loaded when it is first shown. */

import type { RunList } from '../run/section.js';
import { LateSection } from './late.js';
import type { PanelContext, Section } from './section.js';

export function runsSection(context: PanelContext): Section {
  return new LateSection<RunList>(context, async () => {
    const { RunList } = await import('../run/section.js');
    return new RunList(context);
  });
}
