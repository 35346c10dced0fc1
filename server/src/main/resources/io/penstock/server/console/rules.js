// The list of rules, in tiers, with search and figures of the last minute.
import { html, View, Head, Failure, Mode, RuleLink } from './ui.js';
import { get } from './api.js';
import { figures, follow } from './figures.js';
import { count } from './format.js';
import { keysText, limitsText, loadRules, matchText, policyVersion, tiers } from './policy.js';

const SHOWN = 200;

function matches(rule, words) {
  const text = [rule.name, keysText(rule), matchText(rule), limitsText(rule), rule.mode, rule.group || '',
    rule.from].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

export class Rules extends View {
  componentDidMount() {
    this.setState({ search: '', shown: SHOWN });
    follow(this, () => policyVersion() !== this.version && this.reload());
    followActivity(this);
    this.reload();
  }

  reload() {
    this.version = policyVersion();
    return this.load('policy', loadRules());
  }

  render({ canWrite }, { policy, failure, search = '', shown = SHOWN }) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (policy && this.grouped !== policy) {
      this.grouped = policy;
      this.groups = tiers(policy.rules);
    }
    const groups = this.groups || [];
    const found = groups.map((group) => ({ group, hits: group.filter((rule) => matches(rule, words)) }))
      .filter(({ hits }) => hits.length > 0);
    const listed = cut(found, shown);
    const single = listed.filter(({ group }) => group.length === 1).map(({ hits }) => hits[0]);
    const rules = found.reduce((sum, { hits }) => sum + hits.length, 0);
    return html`<${Head} title="Rules">
        ${policy && policy.database && !policy.problem && canWrite && html`<a class="button" href="#/rules?new=1">New rule</a>`}
      <//>
      <${Failure} of=${failure || (policy && policy.problem)} />
      <div class="card row"><label class="hidden" for="search">Search rules</label>
        <input id="search" type="search" placeholder="Search by name, key, path, mode or origin" value=${search}
          onInput=${(event) => this.setState({ search: event.currentTarget.value, shown: SHOWN })} />
        <p class="note" role="status">${policy ? count(rules) + (words.length ? ' of ' + count(policy.rules.length) : '') + (rules === 1 ? ' rule' : ' rules')
          + ' from ' + policy.active.origin + '. Figures are of the last minute.' : 'Loading the rules.'}</p></div>
      ${policy && policy.unused.length > 0 && words.length === 0 && html`<div class="card"><h2>Not in effect</h2>
        <p class="note">Rows of the database that are inactive or rejected: ${policy.unused.slice(0, 50).map((row, i) =>
          html`${i ? ', ' : ''}<${RuleLink} name=${row.name} />`)}</p></div>`}
      ${listed.filter(({ group }) => group.length > 1).map(({ group, hits }) => html`<${Tiers} key=${group[0].name} group=${group} hits=${hits} />`)}
      ${single.length > 0 && html`<section class="card" aria-label="Rules without tiers"><header><h2>Rules without tiers</h2>
        <span class="note">all that match a request apply</span></header>
        <div role="list">${single.map((rule) => html`<${Tier} key=${rule.name} rule=${rule} />`)}</div></section>`}
      ${rules > shown && html`<button onClick=${() => this.setState({ shown: shown + SHOWN })}>Show more rules</button>`}`;
  }
}

/** Returns the first groups that have at most so many rules together, at least one. */
function cut(found, rules) {
  let sum = 0;
  return found.filter(({ hits }) => {
    sum += hits.length;
    return sum - hits.length < rules;
  });
}

function Tiers({ group, hits }) {
  const first = group[0];
  const title = first.group ? 'Group ' + first.group : 'By ' + keysText(first);
  return html`<section class="card" aria-label=${title}>
    <header><h2>${title}</h2><span class="note">${group.length} tiers: the first that matches applies</span></header>
    <div class="tiers" role="list">${hits.map((rule) =>
      html`<${Tier} key=${rule.name} rule=${rule} place=${group.indexOf(rule) + 1} />`)}</div>
  </section>`;
}

const STREAMED = 50;
let activity = null;

/** Reads the figures of all rules while there are more than the stream contains. */
export function followActivity(view) {
  view.every(5000, async () => {
    const { now } = figures();
    if (!now || now.rules.length >= STREAMED) {
      const found = await get('/v1/activity', view.abort.signal).catch(() => null);
      activity = found ? new Map(found.rules.map((rule) => [rule.rule, rule])) : activity;
    }
  });
}

/** Returns the figures of a rule in the last minute; null if they are unknown. */
export function lastMinute(name) {
  const { now } = figures();
  const streamed = now && now.rules.find((rule) => rule.rule === name);
  const known = now && (now.rules.length < STREAMED || activity);
  return streamed || (known ? (now.rules.length >= STREAMED && activity.get(name)) || { allowed: 0, denied: 0, shadow_denied: 0, degraded: 0 } : null);
}

function Tier({ rule, place }) {
  const seen = lastMinute(rule.name);
  const figure = (label, name) => html`<span class="num"><b>${seen ? count(seen[name]) : '–'}</b><small>${label}</small></span>`;
  return html`<div class="tier" role="listitem" data-place=${place && place + '.'}>
    <span class="name"><${RuleLink} name=${rule.name} /></span>
    <span class="what">${limitsText(rule)}<br /><span class="quiet">by ${keysText(rule)}; ${matchText(rule)}</span></span>
    <span><${Mode} mode=${(seen && seen.mode) || rule.mode} /></span>
    <span class="quiet">${rule.from}</span>
    ${figure('allowed', 'allowed')}${figure('denied', 'denied')}${figure('would deny', 'shadow_denied')}
  </div>`;
}
