/** The stacks of running jobs, whose code is loaded when somebody asks for them. */

import type { Host } from '../tokens.js';

export const loadStacks: NonNullable<Host['loadStacks']> = async () => {
  const { StacksView } = await import('../stacks/view.js');
  return context => new StacksView(context);
};
