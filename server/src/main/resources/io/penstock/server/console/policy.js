// The active policy as the pages show it: rules, their tiers and where they come from.
import { get, ready } from './api.js';
import { figures } from './figures.js';
import { limit } from './format.js';

const LOCATION = ['path', 'method', 'host'];

let last = { version: null, rules: null };

/**
 * Returns the active rules. A rule that is a row of the database has `row`; `from` is where it comes
 * from, which is the name of the file if there are several; `location` is its file, line and column.
 * `database` is whether there is a database; if its rows can't be read, `problem` is why. The rules are
 * read again if the active policy has changed, or if `fresh`.
 */
export async function loadRules(fresh) {
  const version = policyVersion();
  if (fresh || !last.rules || version == null || version !== last.version) {
    last = { version, rules: read() };
    const forget = () => {
      last = { version: null, rules: null };
    };
    last.rules.then((policy) => policy.problem && forget(), forget);
  }
  return last.rules;
}

/** Returns what changes with the active policy; null if it is unknown. */
export function policyVersion() {
  const { now } = figures();
  return now ? now.policy.loaded : null;
}

async function read() {
  const [active, health] = await Promise.all([get('/v1/policy'), ready()]);
  const database = Boolean(health.database);
  const rows = new Map();
  let problem = null;
  try {
    for (let after = 0; database && after != null;) {
      const page = await get('/v1/rules?limit=1000&after=' + after);
      page.rules.forEach((row) => rows.set(row.name, row));
      after = page.next;
    }
  } catch (failure) {
    problem = failure;
  }
  const locations = new Map(Object.entries(active.locations));
  const several = new Set([...locations.values()].map(fileOf)).size > 1;
  const rules = active.policy.rules.map((rule) => {
    const row = rows.get(rule.name) || null;
    const location = locations.get(rule.name) || active.origin;
    const file = several ? fileOf(location).replace(/.*[/\\]/, '') : 'file';
    return { ...rule, row, location, from: row ? 'database' : problem ? 'unknown' : file };
  });
  rules.forEach((rule) => rows.delete(rule.name));
  return { active, rules, database, problem, unused: [...rows.values()] };
}

/** Returns the file of a location such as `policies/api.yaml:3:5`. */
function fileOf(location) {
  return location.replace(/(:\d+){2}$/, '');
}

/** Returns the values that all tiers of a group have in common. */
export function groupOf(rule) {
  const match = rule.match || {};
  return rule.group ? 'group ' + rule.group : JSON.stringify([rule.limit_keys, LOCATION.map((name) => match[name])]);
}

/** Returns the rules in groups, in the order of the policy; rules of one group are tiers. */
export function tiers(rules) {
  const groups = new Map();
  for (const rule of rules) {
    const code = groupOf(rule);
    if (!groups.has(code)) {
      groups.set(code, []);
    }
    groups.get(code).push(rule);
  }
  return [...groups.values()];
}

export function keysText(rule) {
  return rule.limit_keys.length ? rule.limit_keys.map(inlineKey).join(' and ') : 'all requests together';
}

const inlineKey = (key) => (typeof key === 'string' ? key : JSON.stringify(key));

export function matchText(rule) {
  const conditions = Object.entries(rule.match || {});
  return conditions.length ? conditions.map(([subject, value]) => subject + ' ' + value).join(', ') : 'every request';
}

export function limitsText(rule) {
  return (rule.limits || []).map(limit).join('; ') || 'no limit';
}

