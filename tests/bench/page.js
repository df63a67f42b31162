/*
 * What a page goes through, noted in the page itself: to be asked while it works would be part of what is measured.
 * Runs before the page's own scripts. Times are milliseconds of `performance.now()`.
 */
globalThis.bench = {
  frames: [], // when each began
  messages: [], // that WebSockets brought: [path, bytes]
  pressed: 0, // when a key or a button of the mouse last went down
  moments: {}, // promises, by name

  begin() {
    bench.frames = [];
    bench.messages = [];
  },

  /** When a frame first began with `condition` true: then what made it so was drawn by the frame before, or is by this. */
  seen(condition) {
    return new Promise(resolve => {
      const look = () => (condition() ? resolve(performance.now()) : requestAnimationFrame(look));
      look();
    });
  },

  /** When an element of this kind came into the page. */
  added(selector) {
    return new Promise(resolve => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(selector)) {
          observer.disconnect();
          resolve(performance.now());
        }
      });
      observer.observe(document, { subtree: true, childList: true });
    });
  }
};

globalThis.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    const { pathname } = new URL(this.url);
    this.addEventListener('message', ({ data }) => {
      bench.messages.push([pathname, data.length ?? data.byteLength ?? data.size]);
    });
  }
};

for (const kind of ['keydown', 'pointerdown']) {
  addEventListener(kind, () => (bench.pressed = performance.now()), true);
}

requestAnimationFrame(function note() {
  bench.frames.push(performance.now());
  requestAnimationFrame(note);
});
