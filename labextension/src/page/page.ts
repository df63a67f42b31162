/**
 * A job in a browser tab of its own: the page of `pai_jupyter/server/pages.py` with the live view, over our socket.
 *
 * The addresses are relative to the page, `.../pai-jupyter/jobs/<id>`, wherever a hub or a proxy has put that.
 */

import { mountJobView } from '../jobview.js';
import { loadStacks } from '../lab/stacks.js';
import { plain } from '../text/sanitize.js';
import { languageOf } from '../text/translation.js';
import { type Address, Connection } from '../wire/socket.js';

/** Show the job that `place` names; returns what ends the view. */
export function showJob(place: HTMLElement): () => void {
  const job = place.dataset['job'] ?? '';
  const language = languageOf(place.dataset['language']);
  const source = new Connection(addressFrom(location.href, language)).source(job);
  source.listen({
    push: push => {
      if (push.kind === 'snapshot') {
        document.title = plain(push.job.name, 100) || job;
      }
    }
  });
  const openJob = (other: string): void => location.assign(encodeURIComponent(other));
  const end = mountJobView(place, source, { host: { language, openJob, loadStacks } });
  return () => {
    end();
    source.dispose();
  };
}

/** Where our API is, seen from the page at `href`. The browser's cookie is the login. */
export function addressFrom(href: string, language: string): Address {
  const api = new URL('../api/', href);
  const socket = new URL(`socket?language=${language}`, api);
  socket.protocol = api.protocol === 'https:' ? 'wss:' : 'ws:';
  return { socket: socket.href, api: api.href, token: '' };
}

const place = document.querySelector<HTMLElement>('main[data-job]');
if (place) {
  const query = new URLSearchParams(location.search);
  if (query.has('token')) {
    query.delete('token'); // it would be in every copy of the address
    history.replaceState(null, '', `${location.pathname}?${query.toString()}`);
  }
  showJob(place);
}
