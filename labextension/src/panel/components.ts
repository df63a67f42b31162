/** The section of components, as far as it is there from the beginning: the rest is loaded when it is first shown. */

import type { ComponentList } from '../component/section.js';
import { LateSection } from './late.js';
import type { PanelContext, Section } from './section.js';

export interface ComponentsSection extends Section {
  /** Have a new component described; resolves when its form is on its way. */
  newComponent(): Promise<void>;
}

export function componentsSection(context: PanelContext): ComponentsSection {
  return new Components(context);
}

class Components extends LateSection<ComponentList> implements ComponentsSection {
  constructor(context: PanelContext) {
    super(context, async () => {
      const { ComponentList } = await import('../component/section.js');
      return new ComponentList(context);
    });
  }

  async newComponent(): Promise<void> {
    (await this.load())?.newComponent();
  }
}
