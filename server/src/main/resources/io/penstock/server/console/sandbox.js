// The sandbox: a limit and a traffic pattern, decided by the engine of the server under virtual time.
import { html, View, Card, Failure, Segments } from './ui.js';
import { get, post } from './api.js';
import { count, duration, tokens } from './format.js';
import { Chart } from './chart.js';

const KINDS = [['steady', 'Steady'], ['bursts', 'Bursts'], ['app_start', 'App start'], ['retry_storm', 'Retry storm'], ['drawn', 'Drawn']];
const UNITS = { s: 1, min: 60, h: 3600, d: 86400 };
const COLUMNS = 60;
const MAX_DRAWN = 100;
const WAIT_MILLIS = 150;

const SERIES = [
  { label: 'Bucket level', color: 'ok', right: true, line: true },
  { label: 'Allowed per second', color: 'allowed' },
  { label: 'Denied per second', color: 'denied' },
];

function Slider({ label, value, max, onChange, unit }) {
  return html`<label><span>${label}: <b class="mono">${tokens(value)}${unit || ''}</b></span>
    <input type="range" min="1" max=${max} value=${value} onInput=${(event) => onChange(Number(event.currentTarget.value))} /></label>`;
}

/** Requests a second, drawn with the pointer or written as numbers. */
class Drawing extends View {
  draw(event) {
    if (event.buttons === 0 && event.type !== 'pointerdown') {
      return;
    }
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.floor((event.clientX - box.left) / box.width * COLUMNS);
    if (at >= 0 && at < COLUMNS) {
      const height = Math.max(0, Math.min(1, 1 - (event.clientY - box.top) / box.height));
      this.props.onChange(this.props.values.map((value, i) => (i === at ? Math.round(height * MAX_DRAWN) : value)));
    }
  }

  render({ values, onChange }) {
    const draw = (event) => this.draw(event);
    return html`<div><div class="draw" onPointerDown=${draw} onPointerMove=${draw} aria-hidden="true">${values.map((value) => html`<i style=${{ height: value + '%' }}></i>`)}</div>
      <label>Requests in each second, up to ${MAX_DRAWN}<input class="mono" value=${values.join(' ')} onChange=${(event) => {
        const typed = event.currentTarget.value.split(/[\s,;]+/).map(Number);
        onChange(values.map((none, i) => Math.max(0, Math.min(MAX_DRAWN, Math.round(typed[i]) || 0))));
      }} /></label></div>`;
  }
}

export class Sandbox extends View {
  constructor(props) {
    super(props);
    this.state = {
      burst: 50, rate: 10, unit: 's', kind: 'bursts', load: 20, seconds: 60, retry: 'none',
      drawn: Array.from({ length: COLUMNS }, (none, i) => (i % 20 < 4 ? 45 : 6)),
    };
  }

  componentDidMount() {
    this.own(() => clearTimeout(this.timer));
    get('/v1/policy', this.abort.signal).then((active) => this.mounted && this.setState({
      rules: active.policy.rules.filter((rule) => (rule.limits || []).some((limit) => limit.rate)),
    })).catch(() => {});
    this.run();
  }

  set(change) {
    this.setState({ ...change, busy: true });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), WAIT_MILLIS);
  }

  async run() {
    const { burst, rate, unit, kind, load, seconds, retry, drawn } = this.state;
    const step = seconds * 1000 / COLUMNS;
    const traffic = kind === 'drawn'
      ? { arrivals: drawn.flatMap((perSecond, i) => spread(perSecond * step / 1000, i * step, step)) }
      : { pattern: { kind, rate: load } };
    this.runs = (this.runs || 0) + 1;
    const run = this.runs;
    const result = await this.load('answer', post('/v1/simulate',
      { burst, rate: rate + '/' + unit, duration_ms: seconds * 1000, retry, ...traffic }, this.abort.signal));
    // Another run may have been started; its result is the one to show.
    if (run === this.runs && this.mounted && !result) {
      this.setState({ busy: false });
    } else if (run === this.runs && this.mounted) {
      const points = result.points;
      const perSecond = points.length > 1 ? 1000 / (points[1].at_ms - points[0].at_ms) : 1;
      const rates = (name) => smooth(points.map((point) => point[name] * perSecond));
      this.setState({ busy: false, result, data: [points.map((point) => point.at_ms), points.map((point) => point.level), rates('allowed'), rates('denied')] });
    }
  }

  useRule(name) {
    const rule = this.state.rules.find((one) => one.name === name);
    const limit = rule && rule.limits.find((one) => one.rate);
    if (limit) {
      this.set({ burst: limit.burst, ...rateOf(limit) });
    }
  }

  render(props, { burst, rate, unit, kind, load, seconds, retry, drawn, result, data, failure, busy, rules = [] }) {
    const denied = result ? result.denied : 0;
    const all = result ? result.allowed + denied : 0;
    return html`<p class="note">The engine of this server decides invented traffic for one key under virtual time. No bucket of the policy is used.</p>
      <div class="wide"><div class="stack">
        <${Card} title="Bucket level, allowed and denied"><${Failure} of=${failure} />
          <p role="status" aria-busy=${String(Boolean(busy))}>${result && html`<strong>${count(result.allowed)}</strong> of ${count(all)} requests allowed, <strong>${count(denied)}</strong> denied (${all ? (100 * denied / all).toFixed(1) : 0} %).`}</p>
          ${data && html`<${Chart} label="Bucket level, allowed and denied requests over time" series=${SERIES} data=${data} max=${result ? result.burst : 0} height=${300} x=${(at) => duration(at)} />`}<//>
        ${kind === 'drawn' && html`<${Card} title="Draw the traffic"><${Drawing} values=${drawn} onChange=${(values) => this.set({ drawn: values })} /><//>`}
      </div>
      <${Card} title="Settings"><div class="stack">
        ${rules.length > 0 && html`<label>Start from a rule<select onChange=${(event) => this.useRule(event.currentTarget.value)}><option value="">Choose a rule</option>${rules.map((rule) => html`<option value=${rule.name}>${rule.name}</option>`)}</select></label>`}
        <${Slider} label="Burst" value=${burst} max=${Math.max(500, burst)} onChange=${(value) => this.set({ burst: value })} />
        <${Slider} label="Rate" value=${rate} max=${Math.max(200, rate)} unit=${'/' + unit} onChange=${(value) => this.set({ rate: value })} />
        <${Segments} label="Unit of the rate" value=${unit} options=${Object.keys(UNITS).map((code) => [code, 'per ' + code])} onPick=${(code) => this.set({ unit: code })} />
        <label>Traffic<select value=${kind} onChange=${(event) => this.set({ kind: event.currentTarget.value })}>${KINDS.map(([code, text]) => html`<option value=${code}>${text}</option>`)}</select></label>
        ${kind !== 'drawn' && html`<${Slider} label="Requests" value=${load} max="200" unit="/s" onChange=${(value) => this.set({ load: value })} />`}
        <label>Duration<select value=${String(seconds)} onChange=${(event) => this.set({ seconds: Number(event.currentTarget.value) })}>
          <option value="10">10 seconds</option><option value="60">1 minute</option><option value="600">10 minutes</option><option value="3600">1 hour</option></select></label>
        <label>Denied clients<select value=${retry} onChange=${(event) => this.set({ retry: event.currentTarget.value })}>
          <option value="none">do not retry</option><option value="after_hint">retry after the hint</option><option value="at_once">retry at once</option></select></label>
      </div><//></div>`;
  }
}

/** Returns the rate of a limit as a number per unit; of any other period, per the smallest unit in which it is at least 1. */
function rateOf(limit) {
  const parts = /^([\d.]+)\/(s|min|h|d)$/.exec(limit.rate);
  if (parts) {
    return { rate: Number(parts[1]), unit: parts[2] };
  }
  const perSecond = limit.burst / limit.window_ms * 1000;
  const unit = Object.keys(UNITS).find((code) => perSecond * UNITS[code] >= 1) || 'd';
  return { rate: Number((perSecond * UNITS[unit]).toFixed(3)), unit };
}

/** Returns the averages over a sixtieth of the list up to each value. */
function smooth(values) {
  const width = Math.max(1, Math.round(values.length / 60));
  let sum = 0;
  return values.map((value, i) => {
    sum += value - (i >= width ? values[i - width] : 0);
    return Math.max(0, sum / width);
  });
}

/** Spreads requests evenly over an interval, in at most 300 arrivals. */
function spread(requests, from, length) {
  const whole = Math.round(requests);
  const parts = Math.min(300, whole);
  return Array.from({ length: parts }, (none, i) => ({
    at_ms: Math.round(from + i * length / parts),
    requests: Math.floor(whole * (i + 1) / parts) - Math.floor(whole * i / parts),
    cost: 1,
  }));
}
