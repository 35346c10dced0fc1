// Denied requests: filters, a histogram, top offenders, CSV.
import { html, View, Head, Card, Failure, Segments, Table, KeyLink, RuleLink } from './ui.js';
import { get, query } from './api.js';
import { clock, count, csv, moment } from './format.js';
import { Chart } from './chart.js';

const PAGE = 1000;
const MAX_ROWS = 5000;
const STEP = 50;
const RANGES = [['900', '15 minutes'], ['3600', '1 hour'], ['86400', '24 hours'], ['604800', '7 days'], ['', 'All']];
const GROUPS = [['key', 'Key'], ['user', 'User'], ['address', 'Address'], ['rule', 'Rule'], ['endpoint', 'Endpoint']];
const COLUMNS = ['requested_at', 'rule', 'reason', 'key', 'user', 'address', 'endpoint', 'tokens_at_time', 'denied'];
const DAY = 86400;
const SERIES = [{ label: 'Denied', color: 'denied', bars: true }];
const MODES = [['', 'Denied'], ['shadow', 'Would have been denied (shadow)']];

/** The names under which penstock advise reads them. */
const CSV_NAMES = { user: 'user_id', address: 'ip_address' };

export class Violations extends View {
  constructor(props) {
    super(props);
    this.state = { rule: props.query.get('rule') || '', key: '', user: '', address: '', endpoint: '', mode: '', range: '3600', by: 'key', shown: STEP };
  }

  componentDidMount() {
    this.search();
  }

  filters() {
    const { rule, key, user, address, endpoint, mode, range } = this.state;
    const from = range ? new Date(Date.now() - Number(range) * 1000).toISOString() : '';
    return { rule: rule.trim(), key: key.trim(), user: user.trim(), address: address.trim(), endpoint: endpoint.trim(), mode, from };
  }

  async search(event) {
    if (event) {
      event.preventDefault();
    }
    const filters = this.filters();
    this.searched = filters.mode;
    this.setState({ shown: STEP, busy: true });
    const rows = [];
    let complete = true;
    let source = null;
    try {
      for (let after = ''; after != null;) {
        const page = await get(query('/v1/violations', { ...filters, after, limit: PAGE }), this.abort.signal);
        rows.push(...page.violations);
        source = page.source;
        after = page.next;
        if (rows.length >= MAX_ROWS && after != null) {
          complete = false;
          break;
        }
      }
      this.mounted && this.setState({ rows, complete, source, failure: null, busy: false });
      await Promise.all([this.loadTop(), this.load('bars', get(query('/v1/violations/histogram', filters), this.abort.signal))]);
    } catch (failure) {
      this.mounted && failure.name !== 'AbortError' && this.setState({ failure, busy: false });
    }
  }

  async loadTop() {
    await this.load('top', get(query('/v1/violations/top', { ...this.filters(), by: this.state.by, limit: 10 }), this.abort.signal));
  }

  /** Saves the rows that have been read as a file. */
  save() {
    const text = csv([COLUMNS.map((name) => CSV_NAMES[name] || name), ...this.state.rows.map((row) => COLUMNS.map((name) => row[name]))]);
    const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = 'violations.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  render(props, { rule, key, user, address, endpoint, mode, range, by, rows, complete, source, bars, top, failure, shown, busy }) {
    const set = (name) => (event) => this.setState({ [name]: event.currentTarget.value });
    const denied = rows ? rows.reduce((sum, row) => sum + row.denied, 0) : 0;
    return html`<${Head} title="Violations"><button disabled=${!rows || rows.length === 0} onClick=${() => this.save()}>Download CSV</button><//>
      <form class="card stack" onSubmit=${(event) => this.search(event)}><div class="fields">
        <label>Rule<input value=${rule} onInput=${set('rule')} /></label>
        <label>Key<input class="mono" value=${key} onInput=${set('key')} placeholder="user_id=42" spellcheck="false" /></label>
        <label>User<input value=${user} onInput=${set('user')} /></label>
        <label>Address or network<input value=${address} onInput=${set('address')} placeholder="203.0.113.0/24" /></label>
        <label>Endpoint<input value=${endpoint} onInput=${set('endpoint')} placeholder="/login" /></label>
        <label>Requests<select value=${mode} onChange=${set('mode')}>${MODES.map(([code, text]) => html`<option value=${code}>${text}</option>`)}</select></label>
        <label>Period<select value=${range} onChange=${set('range')}>${RANGES.map(([code, text]) => html`<option value=${code}>${text}</option>`)}</select></label>
        <div><button class="primary" disabled=${busy}>Apply</button></div></div>
        <p class="note" role="status">${rows ? count(denied) + (this.searched === 'shadow' ? ' requests would have been denied in ' : ' denied requests in ') + count(rows.length) + (complete ? '' : ' of the latest') + ' records'
          + (source === 'memory' ? ', from memory: the last 10,000 records of this node' : '') + '.' : failure ? '' : 'Loading.'}</p></form>
      <${Failure} of=${failure} />
      ${rows && html`<div class="wide">
        <div class="stack">${bars && bars.denied.some((number) => number > 0) && html`<${Card} title="Denied requests over time"><${Chart} key=${bars.start + bars.end} label="Denied requests over time" height=${190}
          series=${SERIES} data=${middles(bars)} x=${(at) => (span(bars) > DAY ? moment(at * 1000).slice(5, 16) : clock(at * 1000, false))} /><//>`}</div>
        <${Card} title="Top offenders" actions=${html`<${Segments} label="Group by" value=${by} options=${GROUPS}
            onPick=${(code) => this.setState({ by: code }, () => this.loadTop())} />`}>
          <${Table} caption="Top offenders" rows=${((top && top.offenders) || []).map((row, i) => ({ ...row, id: i }))} empty="No denied requests." columns=${[
            { title: GROUPS.find(([code]) => code === (top ? top.by : by))[1], kind: 'key', cell: (row) => html`<span class="mono">${value(row, top.by)}</span>` },
            { title: 'Denied', num: true, cell: (row) => count(row.denied) },
          ]} /><//></div>
      <${Card} title="Records"><${Table} caption="Denied requests, the latest first" rows=${rows.slice(0, shown).map((row, i) => ({ ...row, id: row.id == null ? i : row.id }))}
        empty="No denied request matches." columns=${[
          { title: 'Time', kind: 'short', cell: (row) => moment(row.requested_at) },
          { title: 'Rule', kind: 'name', cell: (row) => html`<${RuleLink} name=${row.rule} />` },
          { title: 'Key', kind: 'key', cell: (row) => html`<${KeyLink} rule=${row.rule} of=${row.key} />` },
          { title: 'Denied', num: true, cell: (row) => count(row.denied) },
          { title: 'Reason', cell: (row) => row.reason },
          { title: 'User', kind: 'text', cell: (row) => row.user || '' },
          { title: 'Address', cell: (row) => row.address || '' },
          { title: 'Endpoint', kind: 'text', cell: (row) => row.endpoint || '' },
        ]} />
        ${rows.length > shown && html`<button onClick=${() => this.setState({ shown: shown + STEP })}>Show more</button>`}<//>`}`;
  }
}

function value(offender, by) {
  const found = offender[by] === undefined ? offender.value : offender[by];
  return found == null ? '(none)' : String(found);
}

/** Converts the bars of the server to lists: the times of their middles, and their numbers. */
function middles({ start, step_seconds: step, denied }) {
  const from = Date.parse(start) / 1000;
  return [denied.map((none, i) => from + (i + 0.5) * step), denied];
}

const span = (bars) => bars.denied.length * bars.step_seconds;
