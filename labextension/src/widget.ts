/** The view of a job as an anywidget, for front ends without our server extension. */

import { mountJobView } from './jobview.js';
import { languageOf, translator } from './text/translation.js';
import { connect, type WidgetModel } from './wire/comm.js';
import { WireSource } from './wire/source.js';

const GONE = 'The kernel that ran this cell is gone. The job goes on: type %pai_attach {job} in a new cell to see it.';

export function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const job = String(model.get('job'));
  const language = languageOf(String(model.get('language')));
  const { exchange, begin, release } = connect(model, translator(language)(GONE, { job }));
  const source = new WireSource(job, exchange, { download: () => null, release });
  const end = mountJobView(el, source, { host: { language } });
  begin();
  return () => {
    end();
    source.dispose();
  };
}

export default { render };
