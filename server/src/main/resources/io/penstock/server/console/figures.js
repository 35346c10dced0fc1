// The figures of the stream, which all pages share: one connection for each open console.
import { stream } from './api.js';

const listeners = new Set();
const state = { connection: 'connecting', now: null };
let stop = null;

export function figures() {
  return state;
}

function notify() {
  listeners.forEach((listener) => listener(state));
}

export function start() {
  if (!stop) {
    stop = stream(
      (now) => {
        state.now = now;
        notify();
      },
      (connection) => {
        if (connection !== state.connection) {
          state.connection = connection;
          notify();
        }
      });
  }
}

export function close() {
  if (stop) {
    stop();
    stop = null;
  }
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
