// @vitest-environment jsdom
import { TabPanel, Widget } from '@lumino/widgets';
import { expect, it, vi } from 'vitest';

import { addTab, type TabHost, activateTab } from '../../src/lab/tabplacement.js';

vi.hoisted(() => {
  globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent; // which lumino builds on, and jsdom lacks
});

/** An application with room for tabs in these areas; `areas` has where they were added, and which came to the front. */
function application(...rooms: string[]): TabHost & { readonly areas: string[] } {
  const areas: string[] = [];
  const shell = {
    add: (tab: Widget, area = '') => {
      areas.push(area);
      if (rooms.includes(area)) {
        Widget.attach(tab, document.body);
      }
    },
    activateById: (id: string) => void areas.push(id)
  };
  return { shell, areas, restored: Promise.resolve() };
}

function tabOf(id: string): Widget {
  const tab = new Widget();
  tab.id = id;
  return tab;
}

it('adds a tab to the main area, in front', async () => {
  const app = application('main', 'down');
  await addTab(app, tabOf('tab'));
  expect(app.areas).toEqual(['main', 'tab']);
});

it('adds it below where the main area takes none', async () => {
  const app = application('down');
  await addTab(app, tabOf('tab'));
  expect(app.areas).toEqual(['main', 'tab', 'down', 'tab']);
});

it('adds it beside where there is nothing below', async () => {
  const app = application('right');
  const tab = tabOf('tab');
  await addTab(app, tab);
  expect(app.areas).toEqual(['main', 'tab', 'down', 'tab', 'right', 'tab']);
  expect(tab.hasClass('pj-mod-below')).toBe(false);
});

it('adds none that was closed before the layout was back', async () => {
  const app = application('down');
  const tab = tabOf('tab');
  const added = addTab(app, tab);
  tab.dispose();
  await added;
  expect(app.areas).toEqual(['main', 'tab']);
});

it('brings up a tab among those below', () => {
  const panel = new TabPanel();
  const [first, second] = [tabOf('first'), tabOf('second')];
  [first, second].forEach(tab => panel.addWidget(tab));
  activateTab(application(), second);
  expect(panel.currentWidget).toBe(second);
});
