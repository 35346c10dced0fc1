// One key: the levels of its buckets, the limits that apply to it, and what an operator may do.
import { html, View, Head, Card, Bucket, Failure, Table, RuleLink, openKey, takeSelectedKey, tightest } from './ui.js';
import { get, post, query } from './api.js';
import { count, duration, isHashed, keyParts, limit, moment, tokens } from './format.js';
import { keysText, limitsText, loadRules } from './policy.js';
import { Change, Overrides } from './change.js';
import { Chart } from './chart.js';

const MAX_OTHERS = 20;
const RECENT = 20;
const MAX_TRAIL = 300;
const LEVEL = [{ label: 'Tokens left', color: 'ok', line: true }];

export class KeyPage extends View {
  constructor(props) {
    super(props);
    const { rule, key } = takeSelectedKey();
    this.state = { rule: rule || '', text: key || '', asked: rule == null ? null : { rule, key } };
  }

  componentDidMount() {
    this.load('policy', loadRules());
    this.every(2000, () => this.state.asked && this.peek());
    this.every(10000, () => this.state.asked && this.loadDenials());
  }

  async peek() {
    const { asked } = this.state;
    try {
      const seen = await post('/v1/keys/peek', asked, this.abort.signal);
      if (this.mounted && asked === this.state.asked) {
        this.setState({ seen, failure: null, trail: extended(this.state.trail, tightest(seen.levels)) });
      }
    } catch (failure) {
      if (this.mounted && failure.name !== 'AbortError') {
        this.setState({ failure, seen: null });
      }
    }
  }

  /** The key as it is in records, which is not always how it was typed. */
  recordedKey() {
    const { asked, seen } = this.state;
    return seen ? seen.key : asked.key;
  }

  async loadDenials() {
    const { asked } = this.state;
    const page = await get(query('/v1/violations', { rule: asked.rule, key: this.recordedKey(), limit: RECENT }), this.abort.signal).catch(() => null);
    if (this.mounted && asked === this.state.asked) {
      this.setState({ denials: page ? page.violations : [] });
    }
  }

  ask(event) {
    event.preventDefault();
    const asked = { rule: this.state.rule, key: this.state.text.trim() };
    this.setState({ asked, seen: null, trail: null, failure: null, denials: null }, () => this.peek().then(() => this.loadDenials()));
  }

  render({ canWrite }, { policy, rule, text, asked, seen, trail, failure, denials, changed }) {
    const rules = policy ? policy.rules : [];
    const known = rules.find((one) => one.name === rule);
    const example = known ? known.limit_keys.map((key) => String(key).split('|')[0] + '=…').join('&') : 'ip:address=203.0.113.7';
    return html`<${Head} title="Key" about="The buckets of one client or user under one rule." />
      <form class="card" onSubmit=${(event) => this.ask(event)}><div class="fields">
        <label>Rule<select required value=${rule} onChange=${(event) => this.setState({ rule: event.currentTarget.value })}>
          <option value="">Choose a rule</option>${rules.map((one) => html`<option value=${one.name}>${one.name}</option>`)}
          ${rule && !known && html`<option value=${rule}>${rule}</option>`}</select></label>
        <label class="long">Key${known ? ', by ' + keysText(known) : ''}<input class="mono" value=${text} spellcheck="false" autocomplete="off" placeholder=${example}
          onInput=${(event) => this.setState({ text: event.currentTarget.value })} /></label>
        <div><button class="primary">Look up</button></div></div></form>
      <${Failure} of=${failure} />
      ${seen && html`<div class="grid"><${Card} title="Level" actions=${html`<${RuleLink} name=${asked.rule}>Rule ${asked.rule}<//>`}>
          <p class="mono">${seen.key || '(the only key)'}</p>
          ${isHashed(seen.key) && html`<p class="note">Values that may be secrets appear only as their hash.</p>`}
          ${seen.override && html`<p class="banner info">The limit of this key is overridden until ${moment(seen.override.until)}: ${limit(seen.override)}.</p>`}
          <div class="row" role="group" aria-label="Buckets">${seen.levels.map((level) => html`<${Bucket} large level=${level.remaining} limit=${level.limit}>
            <div class="note">${level.remaining >= level.limit ? 'full' : 'full in ' + duration(level.reset_after_ms)}${level.degraded ? '; degraded, from this node only' : ''}</div><//>`)}</div>
          ${trail && trail[0].length > 1 && html`<${Chart} key=${asked.rule + ' ' + asked.key} label="Level since the key was looked up" series=${LEVEL} data=${trail} unit=${tokens} height=${130} />`}
        <//>
        ${canWrite ? html`<${Change} key=${asked.rule + ' ' + asked.key} asked=${asked} rule=${rules.find((one) => one.name === asked.rule)} override=${seen.override}
          onChange=${(after) => this.setState({ seen: after, changed: after })} />` : html`<p class="note">Your token can look at keys but not change them.</p>`}
      </div>`}
      <${Overrides} changed=${changed} />
      ${seen && html`<${Others} key=${asked.rule + ' ' + asked.key} asked=${asked} rules=${rules} />
        <${Card} title="Recent denials of this key"><${Table} caption="Recent denials" rows=${denials || []}
          empty=${denials ? 'No denial of this key is recorded.' : 'Loading.'} columns=${[
            { title: 'Time', kind: 'short', cell: (row) => moment(row.requested_at) },
            { title: 'Denied', num: true, cell: (row) => count(row.denied) },
            { title: 'Reason', cell: (row) => row.reason },
            { title: 'Endpoint', kind: 'key', cell: (row) => row.endpoint || '' },
            { title: 'Address', cell: (row) => row.address || '' },
          ]} /><//>`}`;
  }
}

/** Adds a level to those seen so far, with their times. */
function extended(trail, level) {
  const [times, levels] = trail || [[], []];
  return [[...times, Date.now() / 1000].slice(-MAX_TRAIL), [...levels, level.remaining].slice(-MAX_TRAIL)];
}

/** The limits of all rules whose keys are among the values of this key. */
class Others extends View {
  componentDidMount() {
    this.every(5000, () => this.refresh());
  }

  async refresh() {
    const values = Object.fromEntries(keyParts(this.props.asked.key).filter((part) => part.value != null).map((part) => [part.name, part.text]));
    const rows = [];
    for (const rule of this.props.rules) {
      const names = rule.limit_keys.map((key) => String(key).split('|').find((name) => name in values));
      if (rule.mode === 'off' || rows.length >= MAX_OTHERS || names.includes(undefined) || !(rule.limits || []).length) {
        continue;
      }
      const key = names.map((name) => values[name]).join('&');
      const seen = await post('/v1/keys/peek', { rule: rule.name, key }, this.abort.signal).catch(() => null);
      if (seen) {
        rows.push({ id: rule.name, rule, seen });
      }
    }
    this.mounted && this.setState({ rows });
  }

  render(props, { rows }) {
    return html`<${Card} title="Limits with the values of this key"><${Table} caption="Limits with the values of this key" rows=${rows || []} empty="Loading." columns=${[
      { title: 'Rule', cell: ({ rule }) => html`<${RuleLink} name=${rule.name} />` },
      { title: 'Limit', cell: ({ rule }) => limitsText(rule) },
      { title: 'Mode', cell: ({ rule }) => rule.mode },
      { title: 'Level', cell: ({ seen }) => seen.levels.map((level) => html`<div><${Bucket} level=${level.remaining} limit=${level.limit} /></div>`) },
      { title: 'Open', kind: 'short', cell: ({ rule, seen }) => html`<button class="plain" onClick=${() => openKey(rule.name, seen.key)} aria-label=${'Open this key under rule ' + rule.name}>Open</button>` },
    ]} /><//>`;
  }
}
