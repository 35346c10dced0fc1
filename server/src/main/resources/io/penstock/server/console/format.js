// Numbers, times and texts as the pages show them.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value) {
  return value == null ? '–' : Math.abs(value) >= 100000 ? compact.format(value) : whole.format(value);
}

/** Like {@link count}, with all digits. */
export function exact(value) {
  return value == null ? '–' : whole.format(value);
}

export function tokens(value) {
  return value == null ? '–' : fine.format(value);
}

/** Formats microseconds. */
export function micros(value) {
  if (value == null) {
    return '–';
  }
  return value < 1000 ? whole.format(value) + ' µs'
    : value < 1e6 ? fine.format(Math.round(value / 10) / 100) + ' ms' : fine.format(value / 1e6) + ' s';
}

export function duration(millis) {
  const seconds = millis / 1000;
  if (seconds < 1) {
    return Math.round(millis) + ' ms';
  }
  if (seconds < 120) {
    return fine.format(Math.round(seconds * 10) / 10) + ' s';
  }
  return seconds < 7200 ? Math.round(seconds / 60) + ' min' : Math.round(seconds / 3600) + ' h';
}

const two = (value) => String(value).padStart(2, '0');

export function clock(date, withSeconds = true) {
  const at = new Date(date);
  return two(at.getHours()) + ':' + two(at.getMinutes()) + (withSeconds ? ':' + two(at.getSeconds()) : '');
}

export function moment(date) {
  const at = new Date(date);
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + ' ' + clock(at);
}

/** Formats a limit of a policy: 100/s, burst 500. */
export function limit(value) {
  return value.rate
    ? value.rate + ', burst ' + tokens(value.burst)
    : tokens(value.burst) + ' in ' + duration(value.window_ms) + ' (' + value.algorithm.replaceAll('_', ' ') + ')';
}

/** Formats a value of a JSON document in one line. */
export function inline(value) {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** Writes characters that would control the text around them, such as its direction, as their code. Keeps line breaks. */
export const visible = (text) => text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, (character) =>
  (/[\t\r]/.test(character) ? ' ' : '\\u{' + character.codePointAt(0).toString(16).toUpperCase() + '}'));

/** Splits the text form of a key into names and values; hashes stay as they are. */
export function keyParts(text) {
  return text.split('&').filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    return at < 0 ? { name: part, value: null, text: part } : { name: decoded(part.slice(0, at)), value: decoded(part.slice(at + 1)), text: part };
  });
}

export const isHashed = (text) => /(^|=)#/.test(text);

/** Returns whether a key can be looked up: it has all values, each as it is or as a hash. */
export const isComplete = (text) => text.startsWith('#') || keyParts(text).every((part) => part.value != null);

function decoded(text) {
  return text.replace(/%u([0-9A-F]{4})|%([0-9A-F]{2})/g, (all, four, pair) => String.fromCharCode(parseInt(four || pair, 16)));
}

/** Writes rows as CSV. Cells that a spreadsheet would run as a formula begin with an apostrophe. */
export function csv(rows) {
  return rows.map((row) => row.map((cell) => {
    let text = cell == null ? '' : String(cell);
    if (/^[=+\-@\t\r]/.test(text)) {
      text = '\'' + text;
    }
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  }).join(',')).join('\r\n') + '\r\n';
}
