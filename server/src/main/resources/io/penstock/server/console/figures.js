// The figures of the stream, which all pages share: one connection for each console that is visible.
import { stream } from './api.js';

const listeners = new Set();
const state = { connection: 'connecting', now: null };
let stop = null;
let started = false;

export function figures() {
  return state;
}

function notify() {
  listeners.forEach((listener) => listener(state));
}

function show(connection) {
  if (connection !== state.connection) {
    state.connection = connection;
    notify();
  }
}

/**
 * Connects while the page is visible. Browsers open at most six connections to a host, which hidden
 * consoles would otherwise use up.
 */
function connect() {
  if (started && !document.hidden && !stop) {
    show('connecting');
    stop = stream(
      (now) => {
        state.now = now;
        notify();
      },
      show);
  } else if ((!started || document.hidden) && stop) {
    stop();
    stop = null;
    show('paused');
  }
}

document.addEventListener('visibilitychange', connect);

export function start() {
  started = true;
  connect();
}

export function close() {
  started = false;
  connect();
  state.now = null;
  state.connection = 'connecting';
}

/** Renders a view again whenever new figures arrive. */
export function follow(view, onFigures) {
  const listener = () => {
    if (onFigures && state.now) {
      onFigures(state.now);
    }
    view.setState({});
  };
  listeners.add(listener);
  view.own(() => listeners.delete(listener));
}
