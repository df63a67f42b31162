/**
 * Notifications of the browser itself, for a page that nobody looks at.
 *
 * Rule: a browser asks its user only when something was pressed on the page. So what turns them on is a button of a
 *   notification of JupyterLab, shown when the settings want them and the browser has not been asked.
 */

import { Notification as LabNotification } from '@jupyterlab/apputils';

import type { Say } from '../tokens.js';

/** What the browser's own notifications can do; none of it in a page that is not served safely. */
type DesktopApi = typeof Notification;

function desktopApi(): DesktopApi | null {
  return typeof Notification === 'undefined' ? null : Notification;
}

/** The settings want notifications of the browser: ask for what is missing. */
export function wantDesktop(say: Say): void {
  const api = desktopApi();
  if (!api || api.permission === 'denied') {
    LabNotification.warning(say('The browser does not show notifications of this page.'));
  } else if (api.permission === 'default') {
    const callback = (): void => void api.requestPermission();
    const actions = [{ label: say('Allow'), callback }];
    LabNotification.info(say('Let the browser show notifications of training jobs?'), { autoClose: false, actions });
  }
}

/** Show a notification of the browser, if it may and nobody sees the page; `show` follows a click on it. */
export function showDesktop(title: string, body: string, show: () => void): void {
  const api = desktopApi();
  if (!api || api.permission !== 'granted' || !document.hidden) {
    return;
  }
  try {
    const shown = new api(title, { body });
    shown.onclick = () => {
      window.focus();
      shown.close();
      show();
    };
  } catch {
    // Some browsers have it for service workers only
  }
}
