// Edits a rule that is a row of the database: errors at their lines, preview by a dry run, version check.
import { html, View, Card, Confirm, announce } from './ui.js';
import { post, put, query, remove } from './api.js';
import { inline, moment } from './format.js';

const EXAMPLE = { name: 'search', limit_keys: ['ip:address'], match: { path: '/search' }, rate: '10/s', burst: 20 };

export class Editor extends View {
  constructor(props) {
    super(props);
    const { row, revision } = props;
    const shown = revision ? revision.rule_before : row;
    this.state = {
      text: JSON.stringify(shown ? shown.rule : EXAMPLE, null, 2),
      active: shown ? shown.active : true,
      order: shown ? shown.tier_order : null,
      version: row ? row.version : null,
      errors: [],
    };
  }

  componentDidMount() {
    if (this.props.revision) {
      this.send(true);
    }
  }

  /**
   * Sends the rule. Its text is in the body as it was typed, one line below the first, so that the
   * lines and columns of errors are those of the editor.
   */
  async send(dryRun) {
    const { text, active, order, version } = this.state;
    const head = JSON.stringify({ ...(version == null ? {} : { version }), ...(order == null ? {} : { tier_order: order }), active });
    const body = head.slice(0, -1) + ',"rule":\n' + text + '\n}';
    this.setState({ busy: true, errors: [], failure: null, preview: null });
    try {
      if (!dryRun) {
        JSON.parse(text);
      }
      const path = query('/v1/rules' + (this.props.row ? '/' + encodeURIComponent(this.props.row.name) : ''), { dry_run: dryRun ? 'true' : '' });
      const result = await (this.props.row ? put(path, body) : post(path, body));
      this.mounted && this.setState({ busy: false, preview: dryRun ? result.changes[0] : null });
      return result.changes[0];
    } catch (failure) {
      this.setState({ busy: false, errors: failure.errors || [], failure });
      return null;
    }
  }

  async save() {
    const change = await this.send(false);
    if (change) {
      announce('Rule ' + change.name + ' saved');
      this.setState({ version: change.after.version });
      this.props.onSaved(change.name);
    }
  }

  async delete() {
    const { row } = this.props;
    await remove(query('/v1/rules/' + encodeURIComponent(row.name), { version: this.state.version }));
    announce('Rule ' + row.name + ' deleted');
    this.props.onDeleted();
  }

  reload() {
    const { row } = this.props;
    this.setState({ text: JSON.stringify(row.rule, null, 2), version: row.version, active: row.active, order: row.tier_order, errors: [], failure: null, preview: null });
  }

  render({ row, revision, canWrite }, { text, active, errors, failure, preview, busy, version, confirm }) {
    const lines = text.split('\n').length;
    const placed = errors.map((error) => ({ ...error, at: Math.max(1, Math.min(lines, error.line - 1)) }));
    const wrong = new Set(placed.map((error) => error.at));
    const outdated = row && version < row.version;
    const change = (event) => this.setState({ text: event.currentTarget.value, preview: null });
    return html`<${Card} title=${row ? 'Edit' : 'Rule'} id="editor">
      ${revision && html`<p class="banner info">This is the version before the change of ${moment(revision.changed_at)}. Save it to ${row ? 'roll back' : 'restore the rule'}.</p>`}
      ${outdated && html`<div class="banner warn"><span>The rule has changed since you opened it.</span><button onClick=${() => this.reload()}>Discard my text and load version ${row.version}</button></div>`}
      <div class="stack">
        <div><label for="rule-text">The rule, as in a policy file (JSON)</label>
        <div class="editor"><ol aria-hidden="true">${Array.from({ length: lines }, (none, i) => html`<li class=${wrong.has(i + 1) ? 'wrong' : ''}>${i + 1}</li>`)}</ol>
          <textarea id="rule-text" spellcheck="false" autocapitalize="off" rows=${lines} value=${text} readonly=${!canWrite} onInput=${change}
            aria-invalid=${String(errors.length > 0)} aria-describedby="rule-errors"></textarea></div></div>
        <div id="rule-errors" role="alert">${failure && (placed.length === 0 || failure.status !== 400) ? html`<p class="error">${failure.message}</p>` : null}
          ${placed.length > 0 && html`<ul class="error">${placed.map((error) => html`<li>Line ${error.at}${error.field ? ', ' + error.field.replace(/^rule\.?/, '') : ''}: ${error.message}</li>`)}</ul>`}</div>
        ${preview && html`<${Preview} change=${preview} />`}
        ${canWrite ? html`<div class="row">
          <label class="check"><input type="checkbox" checked=${active} onChange=${(event) => this.setState({ active: event.currentTarget.checked, preview: null })} />Active</label>
          <button type="button" disabled=${busy} onClick=${() => this.send(true)}>Preview</button>
          <button type="button" class="primary" disabled=${busy} onClick=${() => this.save()}>Save</button>
          ${row && html`<button type="button" class="danger" onClick=${() => this.setState({ confirm: true })}>Delete</button>`}
        </div>` : html`<p class="note">Your token can read rules but not change them.</p>`}
      </div>
      ${confirm && html`<${Confirm} danger title="Delete this rule?" text=${'The rule ' + row.name + ' no longer applies. Its page keeps the history, from which it can be restored.'}
        label="Delete the rule" onClose=${() => this.setState({ confirm: false })} action=${() => this.delete()} />`}
    <//>`;
  }
}

/** What a dry run would change, field by field. */
function Preview({ change }) {
  const before = content(change.before);
  const after = content(change.after);
  const fields = change.action === 'create' ? Object.keys(after) : change.fields;
  return html`<div role="status"><h3>${change.action === 'none' ? 'Saving this changes nothing' : 'Saving this will ' + change.action + ' the rule ' + change.name}</h3>
    <dl class="list">${fields.map((field) => html`<dt><code>${field}</code></dt><dd class="mono">${field in before && html`<span class="was">${inline(before[field])}</span> `}
      ${field in after && html`<span class="now">${inline(after[field])}</span>`}</dd>`)}</dl></div>`;
}

function content(side) {
  return side ? { ...side.rule, tier_order: side.tier_order, active: side.active } : {};
}
