// Tries a request or an access log against the active policy, and limits against traffic in a sandbox.
import { html, View, Head, Card, Failure, Mode, RuleLink, Segments, Table } from './ui.js';
import { post } from './api.js';
import { duration, tokens } from './format.js';
import { LogSample } from './logsample.js';
import { Sandbox } from './sandbox.js';

export class TryIt extends View {
  render({ query }, { tab = query.get('tab') || 'request' }) {
    return html`<${Head} title="Try it"><${Segments} label="What to try" value=${tab} onPick=${(code) => this.setState({ tab: code })}
        options=${[['request', 'A request'], ['sandbox', 'Sandbox'], ['log', 'Access log']]} /><//>
      ${tab === 'sandbox' ? html`<${Sandbox} />` : tab === 'log' ? html`<${LogSample} />` : html`<${RequestForm} />`}`;
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** A list of names with values, such as headers. */
function Pairs({ title, noun, rows, onChange }) {
  const set = (i, change) => onChange(rows.map((row, at) => (at === i ? { ...row, ...change } : row)));
  return html`<fieldset><legend>${title}</legend>${rows.map((row, i) => html`<div class="pair">
      <input aria-label=${'Name of ' + noun + ' ' + (i + 1)} placeholder="name" value=${row.name} onInput=${(event) => set(i, { name: event.currentTarget.value })} />
      <input aria-label=${'Value of ' + noun + ' ' + (i + 1)} placeholder="value" value=${row.value} onInput=${(event) => set(i, { value: event.currentTarget.value })} />
      <button type="button" aria-label=${'Remove ' + noun + ' ' + (i + 1)} onClick=${() => onChange(rows.filter((none, at) => at !== i))}>×</button></div>`)}
    <button type="button" class="plain" onClick=${() => onChange([...rows, { name: '', value: '' }])}>Add ${noun === 'attribute' ? 'an attribute' : 'a header'}</button></fieldset>`;
}

class RequestForm extends View {
  constructor(props) {
    super(props);
    this.state = { method: 'GET', path: '/', host: '', ip: '203.0.113.7', cost: '', headers: [], attributes: [] };
  }

  async explain(event) {
    event.preventDefault();
    const { method, path, host, ip, cost, headers, attributes } = this.state;
    const question = { method, path };
    const named = (rows) => Object.fromEntries(rows.filter((row) => row.name.trim()).map((row) => [row.name.trim(), row.value]));
    for (const [name, value] of Object.entries({ host, ip, headers: named(headers), attributes: named(attributes) })) {
      if (typeof value === 'string' ? value.trim() : Object.keys(value).length) {
        question[name] = typeof value === 'string' ? value.trim() : value;
      }
    }
    if (cost) {
      question.cost = Number(cost);
    }
    this.setState({ answer: null });
    await this.load('answer', post('/v1/explain', question, this.abort.signal));
  }

  render(props, { method, path, host, ip, cost, headers, attributes, answer, failure }) {
    const set = (name) => (event) => this.setState({ [name]: event.currentTarget.value });
    return html`<p class="note">Describes a request and explains the decision of each rule. Nothing is charged.</p>
      <form class="card stack" onSubmit=${(event) => this.explain(event)}>
        <div class="fields">
          <label>Method<select value=${method} onChange=${set('method')}>${METHODS.map((one) => html`<option>${one}</option>`)}</select></label>
          <label>Path<input value=${path} onInput=${set('path')} required /></label>
          <label>Client address<input value=${ip} onInput=${set('ip')} placeholder="203.0.113.7" /></label>
          <label>Host<input value=${host} onInput=${set('host')} placeholder="shop.example" /></label>
          <label>Cost<input type="number" min="0" step="any" value=${cost} onInput=${set('cost')} placeholder="of the rule" /></label>
        </div>
        <div class="grid">
          <${Pairs} title="Headers" noun="header" rows=${headers} onChange=${(rows) => this.setState({ headers: rows })} />
          <${Pairs} title="Attributes that the caller supplies, such as user_id or plan" noun="attribute" rows=${attributes} onChange=${(rows) => this.setState({ attributes: rows })} />
        </div>
        <div><button class="primary">Explain</button></div>
      </form>
      <div aria-live="polite" class="stack"><${Failure} of=${failure} />${answer && html`<${Answer} answer=${answer} />`}</div>`;
  }
}

function Answer({ answer }) {
  const { verdict, rules, token } = answer;
  const text = verdict.allowed
    ? 'Allowed' + (verdict.delay_ms ? ' after ' + duration(verdict.delay_ms) : '')
    : 'Denied' + (verdict.rule ? ' by ' + verdict.rule : '') + (verdict.retry_after_ms ? '; the same request is allowed in ' + duration(verdict.retry_after_ms) : '');
  return html`<div class=${'banner ' + (verdict.allowed ? 'good' : 'bad')}><span><strong>${text}</strong>${verdict.reason ? ' (' + verdict.reason + ')' : ''}${verdict.degraded ? ', degraded' : ''}.
      ${verdict.rule && verdict.allowed ? ' Least left under ' + verdict.rule + ': ' + tokens(verdict.remaining) + ' of ' + tokens(verdict.limit) + '.' : ''}
      ${!verdict.rule ? ' No enforced rule applies to it.' : ''}${token && !['none', 'absent'].includes(token) ? ' Token: ' + token + '.' : ''}</span></div>
    <${Card} title="Rule by rule"><${Table} caption="The decision of each rule" rows=${rules.map((rule) => ({ ...rule, id: rule.rule }))} empty="The policy has no rules, or the request is exempt." columns=${[
      { title: 'Rule', kind: 'name', cell: (rule) => html`<${RuleLink} name=${rule.rule} />` },
      { title: 'Result', cell: (rule) => html`<span class=${'badge ' + (!rule.applies ? '' : !rule.outcome ? 'info' : rule.outcome.allowed ? 'good' : 'bad')}>${
        !rule.applies ? 'does not apply' : !rule.outcome ? 'not decided' : rule.outcome.allowed ? 'allows' : rule.mode === 'shadow' ? 'would deny' : 'denies'}</span>` },
      { title: 'Why', kind: 'key', cell: (rule) => rule.why },
      { title: 'Mode', cell: (rule) => rule.mode && html`<${Mode} mode=${rule.mode} />` },
      { title: 'Key', kind: 'key', cell: (rule) => html`<span class="mono">${rule.key || ''}</span>` },
      { title: 'Cost', num: true, cell: (rule) => (rule.cost == null ? '' : tokens(rule.cost)) },
      { title: 'Level', num: true, cell: (rule) => (rule.levels || []).map((level) => html`<div>${tokens(level.before)}${level.after == null ? '' : ' → ' + tokens(level.after)} of ${tokens(level.limit)}</div>`) },
    ]} /><//>`;
}
