import { render } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { english, type Grid, type GridEvent, type Range } from '../grid';
import { GridView } from '../src/grid-view';
import '../src/tokens.css';
import './demo.css';
import { columnsOf } from './generate';
import type {} from './window';
import { DemoSource, type Behavior } from './source';

const asked = new URLSearchParams(location.search);
const count = (name: string, usual: number) => Number(asked.get(name) ?? usual);
const figure = new Intl.NumberFormat('en');

document.documentElement.dir = asked.get('dir') ?? 'ltr';
if (asked.get('theme')) document.documentElement.dataset.theme = asked.get('theme')!;

function Demo() {
  const columns = useMemo(() => columnsOf(count('columns', 12)), []);
  const source = useMemo(() => makeSource(columns), []);
  const texts = useMemo(() => english('en'), []);
  const [grid, setGrid] = useState<Grid | null>(null);
  const [selected, setSelected] = useState('');
  const [saving, setSaving] = useState('Saved');
  const [place, setPlace] = useState('');
  const [notice, setNotice] = useState('');
  const [total, setTotal] = useState(0);

  const listen = (event: GridEvent) => {
    window.demo.events.push(event);
    if (event.type === 'rows') setTotal(event.total);
    if (event.type === 'saving') setSaving(savingText(event.state, event.pending));
    if (event.type === 'notice' || event.type === 'refused') setNotice(event.message);
    if (event.type !== 'selection') return;
    setNotice('');
    setSelected(sizeText(event.range));
    setPlace(event.active.row < 0 ? '' : figure.format(event.active.row + 1));
  };
  const onGrid = (made: Grid | null) => {
    window.demo.grid = made;
    setGrid(made);
  };
  return (
    <>
      <Bar grid={grid} total={total} />
      <main class="demo-main">
        <GridView source={source} columns={columns} label="Contacts" texts={texts} listen={listen} onGrid={onGrid} />
      </main>
      <footer class="demo-foot">
        <span class="demo-selected" dir="auto">{notice || selected || '1 cell selected'}</span>
        <span class="demo-saving" dir="auto">{saving}</span>
        <span class="demo-place" dir="auto">{place && total ? `Row ${place} of ${figure.format(total)}` : ''}</span>
        <button type="button" class="demo-quiet" dir="auto" onClick={() => void grid?.goToProblem(1)}>Next problem <kbd>Alt ↓</kbd></button>
      </footer>
    </>
  );
}

function Bar({ grid, total }: { grid: Grid | null; total: number }) {
  return (
    <header class="demo-bar">
      <span class="demo-mark" aria-hidden="true" />
      <h1>Contacts</h1>
      <p dir="auto">kunden_export.csv{total ? ` · ${figure.format(total)} rows` : ''}</p>
      <form onSubmit={(event) => go(event, grid)}>
        <label for="demo-row">Go to row</label>
        <input id="demo-row" name="row" inputMode="numeric" autocomplete="off" />
      </form>
    </header>
  );
}

function go(event: Event, grid: Grid | null): void {
  event.preventDefault();
  const row = Number(new FormData(event.target as HTMLFormElement).get('row'));
  if (row >= 1) grid?.goToRow(row - 1);
}

function makeSource(columns: ReturnType<typeof columnsOf>): DemoSource {
  const outcome = (asked.get('outcome') ?? 'fine') as Behavior['outcome'];
  const source = new DemoSource(columns, { rows: count('rows', 10_000_000), latency: count('latency', 8), outcome });
  window.demo = { grid: null, source, events: [] };
  return source;
}

function savingText(state: 'saved' | 'saving' | 'waiting', pending: number): string {
  if (state === 'saved') return 'Saved';
  return state === 'saving' ? 'Saving …' : `${figure.format(pending)} not saved yet`;
}

function sizeText(range: Range | null): string {
  if (!range) return 'Header';
  const cells = (range.bottom - range.top + 1) * (range.right - range.left + 1);
  return cells === 1 ? '1 cell selected' : `${figure.format(cells)} cells selected`;
}

render(<Demo />, document.getElementById('app')!);
