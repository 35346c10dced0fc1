// One rule: figures, definition, mode override, and where rules are rows, the editor and the history.
import { html, View, Head, Card, Confirm, Failure, Mode, Table, announce } from './ui.js';
import { get, post, query } from './api.js';
import { follow } from './figures.js';
import { count, inline, moment } from './format.js';
import { groupOf, keysText, limitsText, loadRules, matchText, policyVersion } from './policy.js';
import { Timeline, TopKeys } from './overview.js';
import { followActivity, lastMinute } from './rules.js';
import { Editor } from './editor.js';

const SHADOW = '30m';
const SHOWN = ['name', 'limit_keys', 'limits', 'match', 'mode', 'group'];

/** Opens the page of a rule that was saved under a new name. */
async function open(name) {
  await loadRules(true).catch(() => null);
  location.hash = '#/rules/' + encodeURIComponent(name);
}

export class RulePage extends View {
  componentDidMount() {
    follow(this, () => policyVersion() !== this.version && this.refresh());
    followActivity(this);
    this.refresh();
    this.every(15000, () => this.loadState());
  }

  async loadState() {
    await this.loadMode();
    if (this.props.name) {
      const top = await get(query('/v1/top', { rule: this.props.name, limit: 10 }), this.abort.signal).catch(() => null);
      this.mounted && this.setState({ top: top ? top.keys : [] });
    }
  }

  async loadMode() {
    const modes = await get('/v1/mode', this.abort.signal).catch(() => null);
    const own = modes && (modes.rules || []).find((rule) => rule.rule === this.props.name);
    this.mounted && this.setState({ override: own || null });
  }

  async refresh(fresh) {
    this.version = policyVersion();
    const policy = await this.load('policy', loadRules(fresh));
    if (policy && policy.database && !policy.problem && this.props.name) {
      await this.load('history', get(query('/v1/history', { rule: this.props.name, limit: 50 }), this.abort.signal));
    }
  }

  async setMode(mode) {
    await post('/v1/mode', mode === 'policy' ? { mode, rule: this.props.name } : { mode, for: SHADOW, rule: this.props.name });
    await this.loadState();
    announce(mode === 'shadow' ? 'The rule is in shadow mode for 30 minutes' : 'The rule uses its own mode again');
  }

  render({ name, canWrite }, { policy, failure, history, top, confirm, revision, override }) {
    if (!policy) {
      return html`<${Head} title=${name || 'New rule'} /><${Failure} of=${failure} />`;
    }
    if (!name) {
      return html`<${Head} title="New rule" about="The rule takes effect when it is saved." /><${Editor} key="new" row=${null} canWrite=${canWrite}
        onSaved=${(saved) => open(saved)} />`;
    }
    const rule = policy.rules.find((one) => one.name === name);
    const row = rule ? rule.row : policy.unused.find((one) => one.name === name);
    if (!rule && !row) {
      return html`<${Head} title=${name}><a class="button" href="#/rules">All rules</a><//>
        <${Failure} of=${failure} />
        <p class="banner warn">No rule has this name. It may have been deleted or renamed.</p>
        ${revision && html`<${Editor} key=${'deleted ' + revision.id} row=${null} ...${{ revision, canWrite }} onSaved=${(saved) => {
          this.setState({ revision: null });
          saved === name ? this.refresh(true) : open(saved);
        }} />`}
        ${policy.database && !policy.problem && html`<${History} changes=${history && history.changes} canWrite=${canWrite} onRestore=${(one) => this.setState({ revision: one })} />`}`;
    }
    const seen = lastMinute(name) || {};
    return html`<${Head} title=${name}>
        ${rule && html`<${Mode} mode=${(override && override.mode) || rule.mode} />`}
        <a class="button" href=${'#/violations?rule=' + encodeURIComponent(name)}>Violations</a>
        ${rule && canWrite && (override
          ? html`<button onClick=${() => this.setState({ confirm: 'policy' })}>End ${override.mode} mode</button>`
          : html`<button onClick=${() => this.setState({ confirm: 'shadow' })}>Shadow for 30 minutes</button>`)}
      <//>
      <${Failure} of=${failure} />
      ${!rule && html`<p class="banner warn">This row is not in effect: it is inactive, or was rejected (see Overview).</p>`}
      ${override && html`<p class="banner info">Mode ${override.mode} until ${moment(override.until)}; the rule's own mode is ${rule ? rule.mode : 'unknown'}.</p>`}
      ${confirm && html`<${Confirm} key=${confirm} title=${confirm === 'shadow' ? 'Shadow this rule for 30 minutes?' : 'End the override?'}
        text=${confirm === 'shadow' ? 'The rule ' + name + ' allows every request for 30 minutes, and keeps counting what it would have denied.' : 'The rule ' + name + ' uses its own mode again.'}
        label=${confirm === 'shadow' ? 'Shadow for 30 minutes' : 'End the override'} onClose=${() => this.setState({ confirm: null })}
        action=${() => this.setMode(confirm)} />`}
      ${rule && html`<div class="wide"><div class="stack"><${Timeline} rule=${name} /></div>
        <div class="stack"><${Definition} ...${{ rule, policy, seen }} /></div></div>
        <${Card} title="Top denied keys of this rule, last 15 minutes"><${TopKeys} rows=${top} /><//>`}
      ${row ? html`<${Editor} key=${'row ' + (revision ? revision.id : '')} ...${{ row, revision, canWrite }}
          onSaved=${(saved) => { this.setState({ revision: null }); saved === name ? this.refresh(true) : open(saved); }}
          onDeleted=${() => { this.setState({ revision: null }); this.refresh(true); }} />
          <${History} changes=${history && history.changes} canWrite=${canWrite} onRestore=${(one) => this.setState({ revision: one })} />`
        : policy.problem ? html`<div class="banner warn"><span><strong>Read only.</strong> The rows of the database can't be read, so it is unknown
          where this rule comes from: ${policy.problem.message}.</span></div>`
        : html`<div class="banner info"><span><strong>Read only.</strong> This rule comes from ${rule.location}. To change it, edit the file;
          Penstock reloads it when it has been unchanged for two seconds. Rules in PostgreSQL can be edited here.</span></div>`}`;
  }
}

function Definition({ rule, policy, seen }) {
  const tiers = policy.rules.filter((other) => groupOf(other) === groupOf(rule));
  const rest = Object.entries(rule).filter(([name, value]) => !SHOWN.includes(name) && !['row', 'from', 'location'].includes(name) && value != null);
  return html`<${Card} title="Definition"><dl class="list">
      <dt>Limits</dt><dd>${limitsText(rule)}</dd>
      <dt>By</dt><dd>${keysText(rule)}</dd>
      <dt>Applies to</dt><dd>${matchText(rule)}</dd>
      ${tiers.length > 1 && html`<dt>Tier</dt><dd>${tiers.indexOf(rule) + 1} of ${tiers.length}: ${tiers.map((tier) => tier.name).join(', ')}</dd>`}
      <dt>Comes from</dt><dd>${rule.row ? 'the database, version ' + rule.row.version : policy.problem ? 'unknown' : rule.location}</dd>
      <dt>Last minute</dt><dd>${count(seen.allowed)} allowed, ${count(seen.denied)} denied, ${count(seen.shadow_denied)} would have been denied</dd>
    </dl><details class="data"><summary>All fields</summary><dl class="list">${rest.map(([field, value]) =>
      html`<dt><code>${field}</code></dt><dd><code>${inline(value)}</code></dd>`)}</dl></details><//>`;
}

function History({ changes, canWrite, onRestore }) {
  return html`<${Card} title="History"><${Table} caption="Changes of this rule" rows=${changes || []}
    empty=${changes ? 'No changes are recorded.' : 'Loading the history.'} columns=${[
      { title: 'Time', kind: 'short', cell: (change) => moment(change.changed_at) },
      { title: 'Change', cell: (change) => change.action },
      { title: 'By', cell: (change) => change.changed_by },
      { title: 'Fields', kind: 'key', cell: (change) => html`<span class="mono">${changedColumns(change)}</span>` },
      { title: 'Restore', cell: (change) => canWrite && change.rule_before
        ? html`<button class="plain" onClick=${() => onRestore(change)}>Restore the version before</button>` : '' },
    ]} /><//>`;
}

function changedColumns(change) {
  const before = change.before || {};
  const after = change.after || {};
  return change.action.toLowerCase() === 'update'
    ? Object.keys({ ...before, ...after }).filter((name) => !['version', 'updated_at'].includes(name)
      && inline(before[name]) !== inline(after[name])).map((name) => name + ': ' + inline(before[name]) + ' → ' + inline(after[name])).join('; ')
    : '';
}
