// What Penstock is doing now: decisions, the store, latency, and what is denied.
import { html, View, Head, Card, Segments, Table, KeyLevel, KeyLink, RuleLink, Confirm, announce } from './ui.js';
import { get, post, query, ready } from './api.js';
import { figures, follow } from './figures.js';
import { count, micros, clock, moment } from './format.js';
import { Chart } from './chart.js';

const OUTCOMES = [
  { name: 'allowed', label: 'Allowed', color: 'allowed' },
  { name: 'denied', label: 'Denied', color: 'denied' },
  { name: 'degraded', label: 'Degraded', color: 'degraded' },
  { name: 'shadow_denied', label: 'Would deny (shadow)', color: 'shadow' },
];
const LATENCIES = [
  { name: 'p50_us', label: 'Median', color: 'allowed', line: true },
  { name: 'p99_us', label: '99th percentile', color: 'shadow', line: true },
];
const SECONDS = 900;
const SHOWN_KEYS = 10;
const SHOWN_PROBLEMS = 3;

/** Converts a timeline of the server to lists: times, then each of the named series. */
function lists(timeline, series, perSecond) {
  const from = Date.parse(timeline.start) / 1000;
  const times = (timeline[series[0].name] || []).map((none, i) => from + i * timeline.step_seconds);
  return [times, ...series.map((one) => (timeline[one.name] || times.map(() => null)).map((value) =>
    perSecond && value != null ? value / timeline.step_seconds : value))];
}

const MAX_GAP_SECONDS = 3;

const lastTime = (data) => (data && data[0].length ? data[0][data[0].length - 1] : null);
const second = (now) => Math.floor(Date.parse(now.time) / 1000);

/** Adds the figures of a second to the lists; keeps the last 15 minutes. */
function extended(data, now, series) {
  const at = second(now);
  if (!data || (data[0].length && lastTime(data) >= at)) {
    return data;
  }
  return [[...data[0], at], ...series.map((one, i) => [...data[i + 1], now[one.name]])]
    .map((list) => list.slice(-SECONDS));
}

/** The decisions of all requests or of a rule over time. */
export class Timeline extends View {
  componentDidMount() {
    this.setState({ resolution: 'second' });
    this.fetch('second');
    if (!this.props.rule) {
      follow(this, (now) => this.state.resolution === 'second' && this.extend(now));
    }
    this.every(this.props.rule ? 5000 : 60000, () => this.state.resolution && this.fetch(this.state.resolution));
  }

  /** Adds the figures of a second; reads all again if some are missing because the stream was interrupted. */
  extend(now) {
    if (second(now) - lastTime(this.state.decisions) > MAX_GAP_SECONDS && lastTime(this.state.decisions) != null && !this.filling) {
      this.filling = true;
      this.fetch('second').finally(() => {
        this.filling = false;
      });
    } else if (!this.filling) {
      this.setState({
        decisions: extended(this.state.decisions, now, OUTCOMES),
        latency: extended(this.state.latency, now, LATENCIES),
      });
    }
  }

  async fetch(resolution) {
    const timeline = await this.load('timeline',
      get(query('/v1/timeline', { rule: this.props.rule, resolution }), this.abort.signal));
    if (timeline && this.mounted) {
      this.setState({ resolution, decisions: lists(timeline, OUTCOMES, true), latency: lists(timeline, LATENCIES, false) });
    }
  }

  render({ rule, show }, { decisions, latency, resolution, failure }) {
    const chart = (label, series, data, unit, height) => data && html`<${Chart} key=${label + resolution} ...${{ label, series, data, unit, height }}
      x=${resolution === 'minute' ? (at) => clock(at * 1000, false) : undefined} />`;
    const range = html`<${Segments} label="Time range" value=${resolution} onPick=${(code) => this.fetch(code)}
      options=${[['second', '15 minutes'], ['minute', '24 hours']]} />`;
    const problem = failure ? html`<p class="error">${failure.message}</p>` : null;
    const latencies = (title, actions) => html`<${Card} ...${{ title, actions }}>${problem}${chart('Latency of a decision', LATENCIES, latency, micros, 200)}<//>`;
    return show === 'latency' ? latencies('Latency of a decision', range)
      : html`<${Card} title=${rule ? 'Decisions of this rule per second' : 'Decisions per second'} actions=${range}>${problem}
        ${chart('Decisions per second by outcome', OUTCOMES, decisions, perSecond, 250)}<//>
        ${rule && latencies('Latency of requests that this rule applies to', null)}`;
  }
}

const perSecond = (value) => (value == null ? '–' : value > 0 && value < 100 ? value.toFixed(1).replace('.0', '') : count(value));

function Tile({ label, dot, value, unit, sub }) {
  return html`<dl class="tile"><dt>${dot && html`<i class=${'dot ' + dot} aria-hidden="true"></i>`}${label}</dt>
    <dd class=${'big' + (/^[A-Z]/.test(value) ? ' word' : '')}>${value}${unit && html` <small>${unit}</small>`}</dd><dd class="sub">${sub || '\u00a0'}</dd></dl>`;
}

export class Overview extends View {
  componentDidMount() {
    follow(this);
    this.every(10000, () => this.load('health', ready()));
  }

  render({ canWrite }, { health, confirm }) {
    const { now } = figures();
    return html`<${Head} title="Overview" />
      <${Problems} health=${health} now=${now} />
      ${now && now.mode && html`<div class="banner warn"><span>All rules are in ${now.mode.mode} mode until ${moment(now.mode.until)}.</span>
        ${canWrite && html`<button onClick=${() => this.setState({ confirm: true })}>End now</button>`}</div>`}
      ${confirm && html`<${Confirm} title="End the mode override?" text="Each rule uses its own mode again." label="End the override"
        onClose=${() => this.setState({ confirm: false })} action=${async () => {
          await post('/v1/mode', { mode: 'policy' });
          announce('Each rule uses its own mode again');
        }} />`}
      <${Tiles} now=${now} />
      <div class="wide"><${Timeline} show="decisions" /><${DenyingRules} now=${now} /></div>
      <div class="wide"><${Card} title="Top denied keys, last 15 minutes"><${TopKeys} rows=${now ? now.top.slice(0, SHOWN_KEYS) : null} withRule />
        ${now && now.uncounted > 0 && html`<p class="note">${count(now.uncounted)} more denials are not counted by key, because there are too many keys.</p>`}<//>
        <${Timeline} show="latency" /></div>`;
  }
}

function Tiles({ now }) {
  const { store, leases, policy } = now || {};
  const total = now ? now.allowed + now.denied : 0;
  return html`<div class="tiles" aria-label="Current figures" role="group">
    <${Tile} label="Allowed" dot="allowed" value=${now ? count(now.allowed) : '–'} unit="/s" sub=${now && 'last second'} />
    <${Tile} label="Denied" dot="denied" value=${now ? count(now.denied) : '–'} unit="/s"
      sub=${now && (total ? (100 * now.denied / total).toFixed(now.denied && now.denied < total / 10 ? 1 : 0) + ' % of requests' : 'no requests')} />
    <${Tile} label="Would deny" dot="shadow" value=${now ? count(now.shadow_denied) : '–'} unit="/s" sub="rules in shadow mode" />
    <${Tile} label="Latency" value=${now ? micros(now.p99_us) : '–'} sub=${now && now.p50_us != null ? 'p99; median ' + micros(now.p50_us) : 'p99'} />
    <${Tile} label="Store" dot=${store && (store.available ? 'ok' : 'denied')} value=${store ? (store.available ? 'Available' : 'Unavailable') : '–'}
      sub=${store && (store.available ? store.kind + (store.keys != null ? ', ' + count(store.keys) + ' keys' : '') : (store.reason || store.problem || '').replaceAll('_', ' '))} />
    <${Tile} label="Leases" value=${leases ? count(leases.unspent) : 'None'}
      sub=${leases ? 'unspent tokens on ' + count(leases.keys) + ' keys' : 'no leased keys'} />
    <${Tile} label="Policy" value=${policy ? count(policy.rules) : '–'} unit=${policy ? (policy.rules === 1 ? 'rule' : 'rules') : ''}
      sub=${policy && policy.loaded ? 'loaded ' + moment(policy.loaded) : ''} />
  </div>`;
}

/** What `/readyz` reports, as sentences. */
function Problems({ health, now }) {
  const problems = [];
  const store = now && now.store;
  if (store && !store.available) {
    problems.push(['bad', (store.problem || 'The store is unavailable' + (store.reason ? ' (' + store.reason + ')' : ''))
      + '. The failure policy of each rule decides.']);
  }
  if (health) {
    for (const [part, title] of [['jwt', 'Token keys'], ['database', 'Database'], ['tls', 'Certificates']]) {
      if (health[part] && health[part].problem) {
        problems.push(['bad', title + ': ' + health[part].problem]);
      }
    }
    const policy = health.policy || {};
    (policy.rejected || []).forEach((text) => problems.push(['bad', 'Rejected, not in effect: ' + text]));
    (policy.warnings || []).forEach((text) => problems.push(['warn', text]));
  }
  const banner = ([kind, text]) => html`<div class=${'banner ' + kind}><span>${text}</span></div>`;
  return problems.length === 0 ? null : html`<div role="status" class="stack tight">${problems.slice(0, SHOWN_PROBLEMS).map(banner)}
    ${problems.length > SHOWN_PROBLEMS && html`<details class="data"><summary>${problems.length - SHOWN_PROBLEMS} more</summary>
      <div class="stack tight">${problems.slice(SHOWN_PROBLEMS).map(banner)}</div></details>`}</div>`;
}

function DenyingRules({ now }) {
  const rules = (now ? now.rules : []).filter((rule) => rule.denied + rule.shadow_denied > 0).slice(0, 10);
  const most = Math.max(1, ...rules.map((rule) => rule.denied));
  return html`<${Card} title="Rules that deny most, last minute">
    <${Table} caption="Rules that deny most" empty=${now ? 'No rule has denied a request in the last minute.' : 'Waiting for figures.'} rows=${rules.map((rule) => ({ ...rule, id: rule.rule }))} columns=${[
      { title: 'Rule', kind: 'name', cell: (rule) => html`<${RuleLink} name=${rule.rule} /><div class="bar"><i style=${{ width: (100 * rule.denied / most) + '%' }}></i></div>` },
      { title: 'Denied', num: true, cell: (rule) => count(rule.denied) },
      { title: 'Would deny', num: true, cell: (rule) => count(rule.shadow_denied) },
      { title: 'Allowed', num: true, cell: (rule) => count(rule.allowed) },
    ]} /><//>`;
}

/** The most denied keys, each with the current level of its bucket. */
export function TopKeys({ rows, withRule }) {
  return html`<${Table} caption="Top denied keys" empty=${rows ? 'No key has been denied in the last 15 minutes.' : 'Waiting for figures.'}
    rows=${(rows || []).map((row) => ({ ...row, id: row.rule + ' ' + row.key }))} columns=${[
      { title: 'Key', kind: 'key', cell: (row) => html`<${KeyLink} rule=${row.rule} of=${row.key} />` },
      ...(withRule ? [{ title: 'Rule', cell: (row) => html`<${RuleLink} name=${row.rule} />` }] : []),
      { title: 'Denied', num: true, cell: (row) => html`${count(row.denied)}${row.error >= 1 ? html` <span class="quiet" title="May be too high by this amount">±${count(row.error)}</span>` : ''}` },
      { title: 'Bucket', cell: (row) => html`<${KeyLevel} rule=${row.rule} of=${row.key} live=${row.level} streamed=${withRule} />` },
    ]} />`;
}
