// The parts that all pages use. All data become text nodes or attributes; no markup is parsed, and
// no character of a text changes how others are shown.
import { h, render, Component, createRef } from '/console/vendor/preact.js';
import htm from '/console/vendor/htm.js';
import { clock, count, duration, isComplete, tokens, visible } from './format.js';
import { post } from './api.js';

export const html = htm.bind((type, props, ...children) =>
  h(type, props, ...children.map((child) => (typeof child === 'string' ? visible(child) : child))));
export { render, Component, createRef };

/** A component that releases what it has registered when it leaves the page. */
export class View extends Component {
  constructor(props) {
    super(props);
    this.state = {};
    this.cleanups = [];
    this.mounted = true;
    this.abort = new AbortController();
  }

  /** Registers a function to call when the component leaves the page. */
  own(cleanup) {
    this.cleanups.push(cleanup);
  }

  every(millis, action) {
    const timer = setInterval(() => document.hidden || action(), millis);
    this.own(() => clearInterval(timer));
    action();
  }

  /** Sets the state to the result of a call under a name, or the failure under `failure`. */
  async load(name, call) {
    try {
      const value = await call;
      if (this.mounted) {
        this.setState({ [name]: value, failure: null });
      }
      return value;
    } catch (failure) {
      if (this.mounted && failure.name !== 'AbortError') {
        this.setState({ failure });
      }
      return null;
    }
  }

  componentWillUnmount() {
    this.mounted = false;
    this.abort.abort();
    this.cleanups.forEach((cleanup) => cleanup());
  }
}

export function Head({ title, about, children }) {
  return html`<div class="head"><h1 tabindex="-1">${title}</h1>${children}${about && html`<p>${about}</p>`}</div>`;
}

export function Card({ title, actions, children, id }) {
  return html`<section class="card" aria-label=${title} id=${id}>
    <header><h2>${title}</h2>${actions}</header>${children}
  </section>`;
}

export function Failure({ of }) {
  return of ? html`<div class="banner bad" role="alert"><span>${of.message}${of.errors && of.errors.length
    ? html`: ${of.errors.map((error) => (error.field ? error.field + ' ' : '') + error.message).join('; ')}` : ''}</span></div>` : null;
}

export function Segments({ label, options, value, onPick }) {
  return html`<div class="segments" role="group" aria-label=${label}>${options.map(([code, text]) =>
    html`<button type="button" aria-pressed=${String(code === value)} onClick=${() => onPick(code)}>${text}</button>`)}</div>`;
}

/** A table that scrolls sideways on narrow screens. */
export function Table({ caption, columns, rows, empty }) {
  return rows.length === 0 ? html`<p class="note">${empty || 'Nothing to show.'}</p>`
    : html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}><table>
      <caption class="hidden">${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.num ? 'num' : ''}>${column.title}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.id}>${columns.map((column) =>
        html`<td class=${column.num ? 'num' : column.kind || ''}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

export function Mode({ mode }) {
  const kind = mode === 'enforce' ? 'enforce' : mode === 'shadow' ? 'shadow' : '';
  return html`<span class=${'badge ' + kind}>${mode}</span>`;
}

/** A bucket: its level between empty and full, as a picture and as text. */
export function Bucket({ level, limit, large, children }) {
  const share = limit > 0 ? Math.max(0, Math.min(1, level / limit)) : 0;
  const rounded = tokens(Number(level.toFixed(limit < 10 ? 2 : limit < 1000 ? 1 : 0)));
  return html`<span class=${'bucket' + (large ? ' large' : '')}>
    <span class="tank" aria-hidden="true"><i class=${share < 0.2 ? 'low' : ''} style=${{ height: (share * 100).toFixed(1) + '%' }}></i></span>
    <span>${large ? html`<strong>${rounded}</strong>` : rounded} of ${tokens(limit)}${children}</span></span>`;
}

/** The level of a key's bucket under a rule: `live`, or else read every three seconds unless `streamed`. */
export class KeyLevel extends View {
  componentDidMount() {
    if (!this.props.streamed && isComplete(this.props.of)) {
      this.every(3000, () => this.state.missing || this.peek());
    }
  }

  async peek() {
    try {
      const seen = await post('/v1/keys/peek', { rule: this.props.rule, key: this.props.of }, this.abort.signal);
      this.setState({ level: tightest(seen.levels), missing: false });
    } catch (failure) {
      if (this.mounted) {
        this.setState({ missing: true });
      }
    }
  }

  render({ of, live }, { level, missing }) {
    if (live) {
      return html`<${Bucket} level=${live.remaining} limit=${live.limit} />`;
    }
    return level && !missing ? html`<${Bucket} level=${level.remaining} limit=${level.limit} />` : html`<span class="note">–</span>`;
  }
}

/** Returns the level with the smallest remaining share. */
export function tightest(levels) {
  return levels.reduce((least, level) =>
    !least || level.remaining / level.limit < least.remaining / least.limit ? level : least, null);
}

/** Asks before an action. The action returns a promise; a failure is shown in the dialog. */
export class Confirm extends Component {
  constructor(props) {
    super(props);
    this.dialog = createRef();
    this.state = {};
  }

  componentDidMount() {
    this.dialog.current.showModal();
  }

  async run(event) {
    event.preventDefault();
    this.setState({ busy: true, failure: null });
    try {
      await this.props.action();
      // The browser returns the focus to where it was, and reports the end as if it was cancelled.
      this.dialog.current?.close();
    } catch (failure) {
      this.setState({ busy: false, failure });
    }
  }

  render({ title, text, label, danger, onClose }, { busy, failure }) {
    return html`<dialog ref=${this.dialog} onClose=${onClose} aria-label=${title}>
      <form onSubmit=${(event) => this.run(event)}>
        <h2>${title}</h2><p>${text}</p><${Failure} of=${failure} />
        <div class="row"><button class=${danger ? 'danger' : 'primary'} disabled=${busy}>${label}</button>
          <button type="button" onClick=${() => this.dialog.current.close()}>Cancel</button></div>
      </form></dialog>`;
  }
}

/** Announces a message to screen readers and shows it for a few seconds. */
export class Toast extends View {
  componentDidMount() {
    const show = (event) => {
      this.setState({ text: event.detail });
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.setState({ text: null }), 6000);
    };
    addEventListener('penstock-message', show);
    this.own(() => removeEventListener('penstock-message', show));
    this.own(() => clearTimeout(this.timer));
  }

  render(props, { text }) {
    return html`<div role="status" aria-live="polite">${text && html`<p class="toast banner good">${text}</p>`}</div>`;
  }
}

export function announce(text) {
  dispatchEvent(new CustomEvent('penstock-message', { detail: text }));
}

let selected = {};

/** Opens the page of a key. The key is passed in memory, because addresses end up in histories. */
export function openKey(rule, key) {
  selected = { rule, key };
  if (location.hash === '#/key') {
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = '#/key';
  }
}

export function takeSelectedKey() {
  const taken = selected;
  selected = {};
  return taken;
}

export function KeyLink({ rule, of }) {
  return html`<button type="button" class="plain mono" onClick=${() => openKey(rule, of)}>${of || '(the only key)'}</button>`;
}

export function RuleLink({ name, children }) {
  return html`<a href=${'#/rules/' + encodeURIComponent(name)}>${children || name}</a>`;
}

export { clock, count, duration };
