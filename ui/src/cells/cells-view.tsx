import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Row, Spot } from '../../grid';
import { Dialog, Progress } from '../kit';
import type { CellsHandle } from './host';
import type { DialogProps, OpenDialog } from './dialogs/props';
import { isFiltered } from './filter';
import { shortcuts } from './shortcuts';
import { Lazy, preloadLazy } from './lazy';
import type { Model } from './model';
import { ProblemPanel } from './problem-panel';
import { useStore } from './store';
import { StatusBar } from './status-bar';
import { Table } from './table';
import { Toolbar } from './toolbar';
import { useLayoutWidth } from './layout-width';

interface Props {
  readonly model: Model;
  readonly onHandle: (handle: CellsHandle | null) => void;
}

/** Delay between the first rows and preloading the dialogs, in milliseconds. */
const restAfter = 400;
const nothing = () => {};

/** The table and everything around it. */
export function CellsView({ model, onHandle }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const width = useLayoutWidth(root);
  // In a narrow window, draw the bars at once, because their height depends on their content.
  const around = useDrawn() || width !== 'wide';
  const [panel, setPanel] = useState(false);
  const raced = useStore(model.store, (now) => now.conflicts.length > 0);
  const rowless = useStore(model.store, ({ totals, total, pending, filter }) => total === 0 && (isFiltered(filter) || totals.rows + pending === 0));
  const [menu, setMenu] = useState<{ x: number; y: number } | null>(null);
  const [open, setOpen] = useState<OpenDialog | null>(null);

  useEffect(() => model.subscribe(), [model]);
  // A layout effect runs before the table and the cards are removed. They still contain
  // unsaved text.
  useLayoutEffect(() => () => model.host.onUnsent(model.unsent()), [model]);
  useEffect(() => {
    const timer = setTimeout(preloadLazy, restAfter);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    onHandle(handleOf(model));
    return () => onHandle(null);
  }, [model]);
  useEffect(() => {
    const act = {
      search: () => search.current?.focus(),
      replace: () => setOpen({ kind: 'replace' }),
      goTo: () => setOpen({ kind: 'goTo' }),
    };
    const onKey = (event: KeyboardEvent) => shortcuts(event, model, act);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [model]);

  const then = useRef<(() => void) | undefined>(undefined);
  const close = (after?: () => void) => {
    then.current = after;
    setOpen(null);
  };
  const opened = useRef(false);
  opened.current ||= open !== null;
  useEffect(() => {
    if (open) return;
    // If nothing has the focus, keys go to the table.
    if (opened.current && document.activeElement === document.body) model.grid?.focus();
    opened.current = false;
    then.current?.();
    then.current = undefined;
  }, [open]);

  // A phone shows one row at a time, so start with a row to fix.
  useEffect(() => void (width === 'small' && model.showFirstErrors()), [width]);

  const closePanel = () => {
    setPanel(false);
    root.current?.querySelector<HTMLElement>('.c-panel-button')?.focus();
  };
  const long = async (spot: Spot, row: Row) => {
    const whole = await model.openLongCell(spot, row.id);
    if (whole) setOpen({ kind: 'longText', spot, row: whole });
  };
  return (
    <div ref={root} class={`c-cells is-${width}`} onFocusOut={() => setTimeout(() => model.advance())}>
      {around ? <Toolbar model={model} search={search} narrow={width !== 'wide'} onOpen={setOpen} panel={panel} onPanel={() => setPanel(!panel)} /> : <div class="c-bar" />}
      <div class="c-main">
        <div class="c-table" id="cells-table" tabIndex={-1}>
          <Table model={model} onMenu={(x, y) => setMenu({ x, y })} onLong={({ spot, row }) => void long(spot, row)} />
          {width === 'small' && <Lazy kind="cards" model={model} onLong={(spot, row) => void long(spot, row)} onClose={nothing} />}
          {rowless && <Lazy kind="emptyTable" model={model} onClose={nothing} />}
          {raced && <Lazy kind="conflicts" model={model} onClose={nothing} />}
        </div>
        {around ? (width === 'wide' || panel) && <ProblemPanel model={model} sheet={width !== 'wide'} onClose={closePanel} onOpen={setOpen} /> : <div class="c-panel" />}
      </div>
      {around ? <StatusBar model={model} width={width} onGoTo={() => setOpen({ kind: 'goTo' })} /> : <div class="c-status" />}
      {menu && <Lazy kind="menu" model={model} at={menu} onClose={() => setMenu(null)} onOpen={setOpen} />}
      {open && <OpenedDialog model={model} open={open} onClose={close} />}
    </div>
  );
}

/** The open dialog, or a placeholder until its code is loaded. */
function OpenedDialog({ model, open, onClose }: DialogProps) {
  const opening = <Dialog title={model.t('cells.opening')} closeLabel={model.t('close')} onClose={() => onClose()}><Progress label={model.t('cells.opening')} share={null} /></Dialog>;
  return <Lazy key={open.kind} kind={open.kind} model={model} open={open as never} onClose={onClose} meanwhile={opening} />;
}

/**
 * Reports whether the first rows have been drawn. After that, the bars are drawn in the
 * space reserved for them.
 */
function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return drawn;
}

function handleOf(model: Model): CellsHandle {
  return {
    showErrors: () => void model.filterBy({ show: 'errors' }).then(() => model.grid?.goToProblem(1)),
    whenSaved: () => model.whenSaved(),
  };
}
