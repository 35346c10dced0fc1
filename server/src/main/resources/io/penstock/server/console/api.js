// Calls of the admin API. The token is kept in this module only: never in an address or in storage.
let token = null;
let whenExpired = () => {};

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || 'The server responded with ' + status);
    this.status = status;
    this.errors = problem.errors || [];
  }
}

export function useToken(value) {
  token = value;
}

export function onExpired(handler) {
  whenExpired = handler;
}

function request(method, path, body, signal) {
  const headers = {};
  if (token) {
    headers.Authorization = 'Bearer ' + token;
  }
  if (body !== undefined) {
    headers['Content-Type'] = body instanceof Blob ? 'application/octet-stream' : 'application/json';
  }
  return fetch(path, {
    method, headers, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
    body: body === undefined || typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
  });
}

async function checked(response, quiet) {
  if (response.ok) {
    return response;
  }
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401 && !quiet) {
    whenExpired();
  }
  throw new ApiError(response.status, problem);
}

async function call(method, path, body, signal) {
  let response;
  try {
    response = await request(method, path, body, signal);
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new ApiError(0, { detail: 'The server can\'t be reached' });
  }
  return (await checked(response)).json();
}

export const get = (path, signal) => call('GET', path, undefined, signal);
export const post = (path, body, signal) => call('POST', path, body, signal);
export const upload = post;
export const put = (path, body) => call('PUT', path, body);
export const remove = (path) => call('DELETE', path);

/** Returns a path with a query of the values that are set. */
export function query(path, values) {
  const set = Object.entries(values).filter(([, value]) => value !== '' && value != null);
  return set.length ? path + '?' + new URLSearchParams(set) : path;
}

/** Returns the name and role of the caller; throws an ApiError with status 401 if a token is needed. */
export async function session(candidate) {
  const before = token;
  token = candidate;
  try {
    return await (await checked(await request('GET', '/v1/session'), true)).json();
  } catch (failure) {
    token = before;
    throw failure instanceof ApiError ? failure : new ApiError(0, { detail: 'The server can\'t be reached' });
  }
}

export async function ready() {
  return (await request('GET', '/readyz')).json();
}

const SILENCE_MILLIS = 10000;
const MAX_BACKOFF_MILLIS = 10000;

/**
 * Reads the stream of figures until the returned function is called; reconnects after a failure.
 * EventSource can't be used: it sends no Authorization header.
 */
export function stream(onFigures, onState) {
  let stopped = false;
  let abort = new AbortController();
  let timer;
  let backoff = 500;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE_MILLIS);
  };
  const read = async () => {
    abort = new AbortController();
    watch();
    const response = await checked(await request('GET', '/v1/stream', undefined, abort.signal));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) {
        return;
      }
      watch();
      text += value;
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop();
      for (const event of events) {
        const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5)).join('\n');
        if (data.trim()) {
          backoff = 500;
          onState('live');
          onFigures(JSON.parse(data));
        }
      }
    }
  };
  const loop = () => {
    if (stopped) {
      return;
    }
    read().catch((failure) => failure).then((failure) => {
      clearTimeout(timer);
      if (!stopped) {
        onState(failure && failure.status === 503 ? 'full' : 'reconnecting');
        timer = setTimeout(loop, backoff);
        backoff = Math.min(MAX_BACKOFF_MILLIS, backoff * 2);
      }
    });
  };
  loop();
  return () => {
    stopped = true;
    clearTimeout(timer);
    abort.abort();
  };
}
