// The frame of the console: login, navigation, theme.
import { html, render, View, Failure, Toast } from './ui.js';
import { onExpired, session, useToken } from './api.js';
import { close, figures, follow, start } from './figures.js';
import { Overview } from './overview.js';
import { Rules } from './rules.js';
import { RulePage } from './rule.js';
import { KeyPage } from './key.js';
import { TryIt } from './try.js';
import { Violations } from './violations.js';

const PAGES = [
  ['overview', 'Overview', Overview],
  ['rules', 'Rules', Rules],
  ['key', 'Key', KeyPage],
  ['try', 'Try it', TryIt],
  ['violations', 'Violations', Violations],
];

let visits = 0;

function route() {
  const [path, parameters] = location.hash.replace(/^#\/?/, '').split('?');
  const [page, ...rest] = path.split('/');
  let name = null;
  try {
    name = rest.length ? decodeURIComponent(rest.join('/')) : null;
  } catch (malformed) {
    name = rest.join('/');
  }
  const known = PAGES.find(([code]) => code === page) || PAGES[0];
  const query = new URLSearchParams(parameters || '');
  const single = known[0] === 'rules' && (name || query.has('new'));
  visits += 1;
  return { code: known[0], title: known[1], page: single ? RulePage : known[2], name, query, visit: visits };
}

class Login extends View {
  async submit(event) {
    event.preventDefault();
    const field = event.currentTarget.elements.token;
    try {
      this.props.onSession(await session(field.value.trim()));
    } catch (failure) {
      field.value = '';
      field.focus();
      this.setState({ failure: failure.status === 401 ? new Error('This token is not known') : failure });
    }
  }

  render({ reason }, { failure }) {
    return html`<main class="login"><form class="card" onSubmit=${(event) => this.submit(event)} autocomplete="off">
      <div class="brand"><img src="/console/icon.svg" alt="" />Penstock</div>
      <h1>Sign in</h1>
      <p class="note">${reason || 'This server needs an access token. It is kept until you close or reload this page.'}</p>
      <label>Access token<input name="token" type="password" required autocomplete="off" spellcheck="false" autofocus /></label>
      <${Failure} of=${failure} />
      <button class="primary">Sign in</button>
    </form></main>`;
  }
}

class Theme extends View {
  pick(theme) {
    if (theme === 'auto') {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = theme;
    }
    try {
      localStorage.setItem('penstock-theme', theme);
    } catch (unavailable) {
      // Without storage, the choice lasts until the page is closed.
    }
    dispatchEvent(new Event('penstock-theme'));
    this.setState({});
  }

  render() {
    const theme = document.documentElement.dataset.theme || 'auto';
    return html`<label><span class="text">Colors</span><select value=${theme} onChange=${(event) => this.pick(event.currentTarget.value)}>
      <option value="auto">As the system</option><option value="light">Light</option><option value="dark">Dark</option></select></label>`;
  }
}

class Connection extends View {
  componentDidMount() {
    follow(this);
  }

  render() {
    const { connection } = figures();
    const text = { live: 'Live', connecting: 'Connecting', reconnecting: 'Reconnecting', paused: 'Paused', full: 'Too many viewers' }[connection];
    const { now } = figures();
    return html`<span role="status" title=${now && now.version ? 'Penstock ' + now.version : undefined}><span class=${'dot ' + (connection === 'live' ? 'ok' : 'degraded')} aria-hidden="true"></span> ${text}</span>`;
  }
}

class App extends View {
  componentDidMount() {
    this.setState({ route: route(), session: null, needsToken: false });
    const change = () => {
      this.setState({ route: route() }, () => {
        scrollTo(0, 0);
        const heading = document.querySelector('main h1');
        if (heading) {
          heading.focus();
        }
      });
    };
    addEventListener('hashchange', change);
    this.own(() => removeEventListener('hashchange', change));
    onExpired(() => this.signOut('The server no longer accepts this token.'));
    this.open();
  }

  async open() {
    try {
      this.enter(await session(null));
    } catch (failure) {
      if (failure.status === 401) {
        this.setState({ needsToken: true });
      } else {
        this.setState({ failure });
      }
    }
  }

  enter(found) {
    start();
    this.setState({ session: found, needsToken: false, reason: null, failure: null });
  }

  signOut(reason) {
    useToken(null);
    close();
    this.setState({ session: null, needsToken: true, reason });
  }

  render(props, { route: at, session: caller, needsToken, reason, failure }) {
    if (needsToken) {
      return html`<${Login} reason=${reason} onSession=${(found) => this.enter(found)} />`;
    }
    if (!caller) {
      return html`<main class="loading"><h1>Penstock</h1><${Failure} of=${failure} />
        ${failure ? html`<button onClick=${() => this.open()}>Try again</button>` : html`<p>Loading the console.</p>`}</main>`;
    }
    const canWrite = caller.role === 'write';
    document.title = (at.name ? at.name + ' – ' : '') + at.title + ' – Penstock';
    return html`<a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      document.querySelector('main h1').focus();
    }}>Skip to content</a>
    <div class="shell">
      <header class="side">
        <div class="brand"><img src="/console/icon.svg" alt="" />Penstock</div>
        <nav aria-label="Pages"><ul>${PAGES.map(([code, title]) => html`<li>
          <a href=${'#/' + code} aria-current=${code === at.code ? 'page' : undefined}>${title}</a></li>`)}</ul></nav>
        <div class="foot">
          <${Connection} />
          <${Theme} />
          ${caller.name ? html`<span class="where">${caller.name}${canWrite ? '' : ' (read only)'}</span>
            <button onClick=${() => this.signOut(null)}>Sign out</button>` : null}
        </div>
      </header>
      <main class="page" id="main"><${at.page} key=${at.visit} name=${at.name} query=${at.query} canWrite=${canWrite} /></main>
    </div><${Toast} />`;
  }
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
