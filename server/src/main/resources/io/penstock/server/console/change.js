// What an operator may change about a key: its level, and for a limited time its limit.
import { html, View, Card, Confirm, KeyLink, RuleLink, Table, announce } from './ui.js';
import { get, post } from './api.js';
import { limit, moment, tokens } from './format.js';
import { limitsText } from './policy.js';

const DURATIONS = [['15m', '15 minutes'], ['1h', '1 hour'], ['8h', '8 hours'], ['24h', '1 day'], ['168h', '7 days']];

/** The controls for the key that is shown; `onChange` receives its levels after each change. */
export class Change extends View {
  constructor(props) {
    super(props);
    const own = props.override || (props.rule && (props.rule.limits || []).find((one) => one.rate));
    this.state = { amount: '1', rate: own ? own.rate : '', burst: own ? String(own.burst) : '', time: '1h' };
  }

  /** What each control asks before it acts, and what it does. */
  actions() {
    const { asked, rule } = this.props;
    const { amount, rate, burst, time } = this.state;
    const of = (asked.key || '(the only key)') + ' under rule ' + asked.rule;
    const span = (DURATIONS.find(([code]) => code === time) || [])[1];
    return {
      reset: { title: 'Reset this key?', label: 'Reset the key', text: 'The buckets of the key become full: ' + of + '.', path: 'reset', done: 'The key is reset' },
      grant: { title: 'Grant tokens to this key?', label: 'Grant tokens', text: 'The key receives ' + tokens(Number(amount)) + ' tokens: ' + of + '.',
        path: 'grant', more: { tokens: Number(amount) }, done: 'Tokens granted' },
      override: { title: 'Override the limit of this key?', label: 'Override the limit', path: 'override',
        text: 'For ' + span + ', this key has the limit ' + rate + (burst ? ', burst ' + burst : '') + ' instead of ' + (rule ? limitsText(rule) : 'that of the rule') + ': ' + of + '.',
        more: { rate, ...(burst ? { burst: Number(burst) } : {}), for: time }, done: 'The limit of the key is overridden' },
      end: { title: 'End the override of this key?', label: 'End the override', path: 'override/end',
        text: 'The key has the limit of the rule again: ' + of + '.', done: 'The key has the limit of the rule again' },
    };
  }

  async run({ path, more, done }) {
    const seen = await post('/v1/keys/' + path, { ...this.props.asked, ...more });
    announce(done);
    this.props.onChange(seen);
  }

  render({ override }, { amount, rate, burst, time, confirm }) {
    const set = (name) => (event) => this.setState({ [name]: event.currentTarget.value });
    const ask = (name) => (event) => { event.preventDefault(); this.setState({ confirm: name }); };
    const action = confirm && this.actions()[confirm];
    return html`<${Card} title="Change"><div class="stack">
        <div class="row"><button onClick=${ask('reset')}>Reset</button><span class="note">fills the buckets of this key</span></div>
        <form class="row" onSubmit=${ask('grant')}>
          <label>Tokens<input type="number" min="0.001" step="any" required value=${amount} onInput=${set('amount')} /></label>
          <button>Grant</button><span class="note">never above full</span></form>
        <form class="row" onSubmit=${ask('override')}>
          <label>Rate<input class="mono" required placeholder="100/s" value=${rate} onInput=${set('rate')} /></label>
          <label>Burst<input type="number" min="0.001" step="any" placeholder="of the rate" value=${burst} onInput=${set('burst')} /></label>
          <label>For<select value=${time} onChange=${set('time')}>${DURATIONS.map(([code, text]) => html`<option value=${code}>${text}</option>`)}</select></label>
          <button>${override ? 'Override again' : 'Override'}</button>
          ${override && html`<button type="button" onClick=${ask('end')}>End override</button>`}</form>
        <p class="note">An override replaces the limits of the rule for this key, on this node. All changes are recorded in the audit log.</p></div>
      ${action && html`<${Confirm} key=${confirm} title=${action.title} text=${action.text} label=${action.label}
        onClose=${() => this.setState({ confirm: null })} action=${() => this.run(action)} />`}<//>`;
  }
}

/** All keys of this node whose limit is overridden. */
export class Overrides extends View {
  componentDidMount() {
    this.every(10000, () => this.refresh());
  }

  componentDidUpdate(before) {
    if (before.changed !== this.props.changed) {
      this.refresh();
    }
  }

  refresh() {
    return this.load('found', get('/v1/keys/overrides', this.abort.signal));
  }

  render(props, { found }) {
    return found && found.overrides.length > 0 && html`<${Card} title="Overridden keys of this node"><${Table} caption="Overridden keys of this node"
      rows=${found.overrides.map((one) => ({ ...one, id: one.rule + ' ' + one.key }))} columns=${[
        { title: 'Key', kind: 'key', cell: (one) => html`<${KeyLink} rule=${one.rule} of=${one.key} />` },
        { title: 'Rule', cell: (one) => html`<${RuleLink} name=${one.rule} />` },
        { title: 'Limit', cell: limit },
        { title: 'Until', kind: 'short', cell: (one) => moment(one.until) },
      ]} /><//>`;
  }
}
