// A sample of an access log: what the active policy would have done with it, and limits that fit it.
import { html, View, Card, Failure, Mode, RuleLink, Segments, Table } from './ui.js';
import { query, upload } from './api.js';
import { exact as count } from './format.js';
import { Chart } from './chart.js';

const MAX_BYTES = 8 * 1024 * 1024;
const QUANTILES = ['p50', 'p95', 'p99', 'p99.9'];
const COLORS = ['ok', 'allowed', 'accent', 'denied'];
const DENIALS = [{ label: 'Requests', color: 'allowed', bars: true }, { label: 'Denied', color: 'denied', bars: true }];

const share = (part, whole) => (whole ? (100 * part / whole).toFixed(1) + ' %' : '');
const over = (timeline) => [timeline.map((at) => Date.parse(at.start) / 1000), timeline.map((at) => at.requests), timeline.map((at) => at.denied)];
const unlog = (value) => count(Math.round(10 ** value));

export class LogSample extends View {
  constructor(props) {
    super(props);
    this.state = { kind: 'replay', key: 'ip:address', per: '', spare: '99', fold: '', foldIds: true };
  }

  async read(event) {
    event.preventDefault();
    const { file, kind, key, per, spare, fold, foldIds } = this.state;
    this.setState({ report: null, failure: null, busy: true });
    const path = kind === 'replay' ? '/v1/replay' : query('/v1/advise', { key: key.trim(), per: per.trim(), spare, fold: fold.trim(), fold_ids: foldIds ? '' : 'false' });
    await this.load('report', upload(path, file.slice(0, MAX_BYTES), this.abort.signal).then((answer) => ({ kind, answer, cut: file.size > MAX_BYTES })));
    if (this.mounted) {
      this.setState({ busy: false });
    }
  }

  render(props, { file, kind, key, per, spare, fold, foldIds, busy, report, failure }) {
    const set = (name) => (event) => this.setState({ [name]: event.currentTarget.value });
    return html`<p class="note">Reads a sample of an access log: at most 8 MiB and 100,000 requests, also compressed with gzip or zstd. It is not stored. For whole logs, use <code>penstock replay</code> and <code>penstock advise</code>.</p>
      <form class="card stack" onSubmit=${(event) => this.read(event)}>
        <${Segments} label="What to do with the log" value=${kind} onPick=${(code) => this.setState({ kind: code })}
          options=${[['replay', 'Replay under the active policy'], ['advise', 'Suggest limits']]} />
        <div class="fields">
          <label>Access log<input type="file" required onChange=${(event) => this.setState({ file: event.currentTarget.files[0] })} /></label>
          ${kind === 'advise' && html`<label>Key<input value=${key} onInput=${set('key')} required /></label>
            <label>A limit for each<input value=${per} onInput=${set('per')} placeholder="endpoint, method, host" /></label>
            <label>Keys to spare (%)<input type="number" min="1" max="100" step="any" value=${spare} onInput=${set('spare')} required /></label>
            <label>Fold paths that match<input value=${fold} onInput=${set('fold')} placeholder="/items/* /docs/*" /></label>
            <label class="check"><input type="checkbox" checked=${foldIds} onChange=${(event) => this.setState({ foldIds: event.currentTarget.checked })} /> Replace ids in paths by *</label>`}
        </div>
        <div><button class="primary" disabled=${!file || busy}>${kind === 'replay' ? 'Replay' : 'Suggest'}</button></div>
      </form>
      <div aria-live="polite" class="stack"><${Failure} of=${failure} />${busy && html`<p class="note">Reading…</p>`}
        ${report && (report.kind === 'replay' ? html`<${Replayed} ...${report} />` : html`<${Advised} ...${report} />`)}</div>`;
  }
}

function Notes({ log, cut, notes: all }) {
  const notes = [...(cut ? ['only the first 8 MiB of the file are read'] : []), ...(all || log.notes)];
  return html`<p><strong>${count(log.requests)}</strong> requests${log.requests ? ' from ' + log.first + ' to ' + log.last : ''} (${count(log.lines)} lines${log.formats.length > 0 && ', format ' + log.formats.join(', ')}).</p>
    ${notes.length > 0 && html`<ul class="note">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}`;
}

function Replayed({ answer, cut }) {
  if (answer.log.requests === 0) {
    return html`<${Card} title="Replay"><${Notes} log=${answer.log} cut=${cut} /><p>The log has no requests, so there is nothing to replay.</p><//>`;
  }
  const policy = answer.policies[0];
  const rules = policy.rules.map((rule) => ({ ...rule, id: rule.rule }));
  return html`<${Card} title="Replay"><${Notes} log=${answer.log} cut=${cut} />
      <p><strong>${count(policy.denied)}</strong> requests denied (${share(policy.denied, answer.log.requests)})${policy.delayed > 0 && `, ${count(policy.delayed)} delayed`}${policy.path_rejected > 0 && `, ${count(policy.path_rejected)} with a rejected path`}, <strong>${count(policy.unlimited)}</strong> without a limit.</p>
      <${Chart} label="Requests and denials over time" series=${DENIALS} height=${160} data=${over(policy.timeline)} />
      ${policy.warnings.map((warning) => html`<div class="banner bad"><span>${warning.replace(/^warning: /, '')}</span></div>`)}
      <${Table} caption="Decisions of each rule" rows=${rules} columns=${[
        { title: 'Rule', kind: 'name', cell: (rule) => html`<${RuleLink} name=${rule.rule} />` },
        { title: 'Mode', cell: (rule) => html`<${Mode} mode=${rule.mode} />` },
        { title: 'Requests', num: true, cell: (rule) => count(rule.requests) },
        { title: 'Denied', num: true, cell: (rule) => count(rule.denied) },
        { title: 'Share', num: true, cell: (rule) => share(rule.denied, rule.requests) },
        { title: 'Keys', num: true, cell: (rule) => count(rule.keys) },
        { title: 'Keys denied', num: true, cell: (rule) => count(rule.keys_denied) },
      ]} /><//>
    ${rules.filter((rule) => rule.denied > 0).map((rule) => html`<${Card} key=${rule.rule} title=${'Denied by ' + rule.rule}>
      <${Chart} label=${'Requests and denials of ' + rule.rule + ' over time'} series=${DENIALS} height=${160} data=${over(rule.timeline)} />
      <${Keys} caption=${'Keys that ' + rule.rule + ' denies most'} keys=${rule.worst_keys} /><//>`)}`;
}

function Keys({ caption, keys }) {
  return html`<${Table} caption=${caption} rows=${keys.map((one) => ({ ...one, id: one.key }))} columns=${[
    { title: 'Key', kind: 'key', cell: (one) => html`<span class="mono">${one.key || 'all requests'}</span>` },
    { title: 'Requests', num: true, cell: (one) => count(one.requests) },
    { title: 'Denied', num: true, cell: (one) => count(one.denied) },
    { title: 'Share', num: true, cell: (one) => share(one.denied, one.requests) },
  ]} />`;
}

function Advised({ answer, cut }) {
  const { advice, policy, cases } = answer;
  return html`<${Card} title="Suggested limits"><${Notes} log=${advice.log} cut=${cut} notes=${advice.notes} />
      ${policy ? html`<div class="scroll" tabindex="0" role="group" aria-label="Policy"><pre>${policy}</pre></div>
        <details><summary>Cases that test the policy</summary><div class="scroll" tabindex="0" role="group" aria-label="Cases"><pre>${cases}</pre></div></details>` : html`<p>No request has this key, so there is nothing to suggest.</p>`}<//>
    ${policy && advice.groups.map((group) => html`<${Group} key=${JSON.stringify(group.match)} group=${group} />`)}`;
}

function Group({ group }) {
  const title = Object.values(group.match).join(' ') || 'All requests';
  const { bursts } = group;
  return html`<${Card} title=${title}><p>${count(group.requests)} requests of ${count(group.keys)} keys. The plot shows the smallest burst that denies none of the requests of a share of the keys, by rate.</p>
    <${Chart} label=${'Burst by rate, ' + title} height=${200} unit=${unlog} x=${(at) => (bursts[Math.round(at)] || {}).rate || ''}
      series=${QUANTILES.map((label, i) => ({ label, color: COLORS[i], line: true }))}
      data=${[bursts.map((point, i) => i), ...QUANTILES.map((name) => bursts.map((point) => Math.log10(Math.max(1, point[name]))))]} />
    <${Table} caption=${'Suggestions, ' + title} rows=${group.suggestions.map((one) => ({ ...one, id: one.name }))} columns=${[
      { title: 'Suggestion', kind: 'name', cell: (one) => one.name },
      { title: 'Rate', num: true, cell: (one) => one.rate },
      { title: 'Burst', num: true, cell: (one) => count(one.burst) },
      { title: 'Denied', num: true, cell: (one) => count(one.denied) },
      { title: 'Share', num: true, cell: (one) => share(one.denied, group.requests) },
      { title: 'Keys denied', num: true, cell: (one) => count(one.keys_denied) },
      { title: 'Denies most', kind: 'key', cell: (one) => html`<span class="mono">${one.worst_keys.slice(0, 3).map((key) => key.key || 'all requests').join(', ')}</span>` },
    ]} /><//>`;
}
