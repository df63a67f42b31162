/** The icon of the panel: axes, and a metric that rises. */

import { LabIcon } from '@jupyterlab/ui-components';

export const panelIcon = new LabIcon({
  name: 'pai-jupyter:jobs',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<path class="jp-icon3" fill="#616161" d="M3 3h2v16h16v2H3z"/>' +
    '<path class="jp-icon3" fill="#616161" d="M7.2 15.6 11 9.9l3.6 3.5 4.2-7.9 1.8 1-5.5 10.2-3.7-3.6-2.5 3.8z"/></svg>'
});
