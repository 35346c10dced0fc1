// Plots of uPlot in the colors of the page, each with its figures as a table.
import { html, Component, createRef } from './ui.js';
import { clock, count } from './format.js';

/** Returns a color of the style sheet as the browser computes it. */
function color(name) {
  const probe = document.createElement('i');
  probe.style.color = 'var(--' + name + ')';
  document.body.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}

function faded(rgb) {
  return rgb.replace('rgb(', 'rgba(').replace(')', ', 0.14)');
}

/**
 * A plot of `data` (x, then the values of each series). `x` formats a position, by default seconds
 * since 1970; `unit` formats a value. A series has a label, a color, and `bars` or `right` (its own
 * scale on the right, from 0 to at least `max`).
 */
export class Chart extends Component {
  constructor(props) {
    super(props);
    this.box = createRef();
    this.state = { at: null };
  }

  componentDidMount() {
    this.draw();
    this.resize = new ResizeObserver(() => {
      const width = this.box.current.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) {
        this.plot.setSize({ width, height: this.plot.height });
      }
    });
    this.resize.observe(this.box.current);
    this.redraw = () => this.draw();
    addEventListener('penstock-theme', this.redraw);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', this.redraw);
  }

  componentDidUpdate(before) {
    if (before.data !== this.props.data && this.plot) {
      this.plot.setData(this.props.data);
    }
  }

  componentWillUnmount() {
    this.resize.disconnect();
    removeEventListener('penstock-theme', this.redraw);
    this.dark.removeEventListener('change', this.redraw);
    this.plot.destroy();
  }

  draw() {
    if (this.plot) {
      this.plot.destroy();
    }
    const { series, data, height = 220, x, unit = count, zero = true } = this.props;
    const axis = { stroke: color('muted'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    const format = (plot, values) => values.map((value) => unit(value));
    const right = series.find((one) => one.right);
    const scale = (plot, min, max) => [zero ? 0 : min, Math.max(max * 1.08, 1)];
    this.plot = new uPlot({
      width: this.box.current.clientWidth || 300,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false, range: (plot, min, max) => (min === max ? [min - 60, max + 60] : [min, max]) }, y: { range: scale }, right: { range: (plot, min, max) => scale(plot, min, Math.max(max, this.props.max || 0)) } },
      axes: [
        { ...axis, size: 28, grid: { show: false }, space: 76, values: (plot, values) => values.map(x || ((value) => clock(value * 1000, values[1] - values[0] < 60))) },
        { ...axis, size: 58, values: format },
        ...(right ? [{ ...axis, scale: 'right', side: 1, size: 54, grid: { show: false }, values: format }] : []),
      ],
      series: [{}, ...series.map((one) => {
        const stroke = color(one.color);
        return {
          stroke, width: one.bars ? 0 : 1.6, fill: one.bars ? stroke : one.line ? undefined : faded(stroke),
          points: { show: (plot) => plot.data[0].length < 3 }, scale: one.right ? 'right' : 'y', spanGaps: false,
          paths: one.bars ? uPlot.paths.bars({ size: [0.85, 60] }) : undefined,
        };
      })],
      hooks: { setCursor: [(plot) => this.setState({ at: plot.cursor.idx })] },
    }, data, this.box.current);
  }

  render({ label, series, data, x, unit = count, table }, { at }) {
    const [positions, ...values] = data;
    const shown = at == null || at >= positions.length ? positions.length - 1 : at;
    const position = x || ((value) => clock(value * 1000));
    return html`<figure class="chart">
      <figcaption class="hidden">${label}</figcaption>
      <div class="legend">${series.map((one, i) => html`<span><i class="dot" style=${{ background: 'var(--' + one.color + ')' }}></i>${one.label}
        <b>${shown < 0 ? '–' : unit(values[i][shown])}</b></span>`)}${at != null && shown >= 0 && html`<span>at ${position(positions[shown])}</span>`}</div>
      <div class="plot" ref=${this.box} role="img" aria-label=${label}></div>
      <${Figures} ...${{ label, series, data, position, unit, table }} />
    </figure>`;
  }
}

/** The figures of a plot as a table of at most 20 rows, for readers that can't see it. */
class Figures extends Component {
  render({ label, series, data, position, unit }, { open }) {
    const [positions, ...values] = data;
    const step = Math.max(1, Math.ceil(positions.length / 20));
    const rows = open ? positions.map((at, i) => i).filter((i) => (positions.length - 1 - i) % step === 0) : [];
    return html`<details class="data" onToggle=${(event) => this.setState({ open: event.currentTarget.open })}>
      <summary>Show as table</summary>
      ${open && html`<div class="scroll" tabindex="0" role="group" aria-label=${label + ', as a table'}><table><caption class="hidden">${label}</caption>
        <thead><tr><th scope="col">At</th>${series.map((one) => html`<th scope="col" class="num">${one.label}</th>`)}</tr></thead>
        <tbody>${rows.map((i) => html`<tr><th scope="row">${position(positions[i])}</th>${values.map((list) =>
          html`<td class="num">${unit(list[i])}</td>`)}</tr>`)}</tbody></table></div>`}
    </details>`;
  }
}
