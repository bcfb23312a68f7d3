import type { ComponentChildren, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button, IconButton, Menu, Tabs, type MenuItem, type Tab } from '../kit';
import type { OpenDialog } from './dialogs/props';
import { isFiltered, type Show } from './filter';
import { problemName, fieldName, problemsIn } from './problem-groups';
import { keys } from './shortcuts';
import type { Model } from './model';
import { Search } from './search';
import type { State } from './state';
import { useStore } from './store';

interface Props {
  readonly model: Model;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly narrow: boolean;
  readonly panel: boolean;
  readonly onPanel: () => void;
  readonly onOpen: (open: OpenDialog) => void;
}

/** The toolbar. It shows which rows are in view, the search and the tools. */
export function Toolbar({ model, search, narrow, panel, onPanel, onOpen }: Props) {
  const { t } = model;
  const wanted = useStore(model.store, (now) => now.wanted);
  const totals = useStore(model.store, (now) => now.totals);
  const problems = useStore(model.store, (now) => (now.totals.errors > 0 && problemsIn(now.counts)) || now.totals.errors);
  const choose = (show: Show) => void model.filterBy({ show, ...(wanted.search && { search: wanted.search, ...(wanted.in && { in: wanted.in }), ...(wanted.whole && { whole: true }) }) });
  return (
    <div class={`c-bar${wanted.code === undefined ? '' : ' has-chip'}`} role="toolbar" aria-label={t('bar')}>
      <div class="c-views">
        <Tabs label={t('tabs')} tabs={tabsOf(model, totals, wanted.show)} active={wanted.show} onChange={choose} controls="cells-table" />
        <Chip model={model} />
        <FilterDrift model={model} />
        <HiddenColumns model={model} />
      </div>
      <div class="c-tools">
        <Search model={model} field={search} narrow={narrow} />
        <Button look="quiet" icon="replace" event="FIND_AND_REPLACE_OPEN" onClick={() => onOpen({ kind: 'replace' })} title={`${t('replace.open')} (${model.host.locale.isolate(keys.replace)})`} class="c-wordy">
          {t('replace.short')}
        </Button>
        <More model={model} onOpen={onOpen} />
        {narrow && (
          <Button icon={totals.errors > 0 ? 'error' : totals.rows > 0 ? 'good' : 'info'} onClick={onPanel} expanded={panel} class="c-panel-button">{totals.rows > 0 ? t('panel.button', { n: problems }) : t('noRows')}</Button>
        )}
      </div>
    </div>
  );
}

function tabsOf({ t, host }: Model, totals: State['totals'], now: Show): Tab<Show>[] {
  const label = (name: string, n: number): ComponentChildren => <>{name} <span class="c-tab-count">{host.locale.number(n)}</span></>;
  const tabs: Tab<Show>[] = [
    { id: 'all', label: label(t('tab.all'), totals.rows) },
    { id: 'errors', label: label(t('tab.errors'), totals.errors) },
  ];
  if (totals.warnings > 0 || now === 'warnings') tabs.push({ id: 'warnings', label: label(t('tab.warnings'), totals.warnings) });
  if (totals.infos > 0 || now === 'infos') tabs.push({ id: 'infos', label: label(t('tab.infos'), totals.infos) });
  return tabs;
}

/** Shows the problem that the rows in view share, with a button to remove the filter. */
function Chip({ model }: { model: Model }) {
  const wanted = useStore(model.store, (now) => now.wanted);
  const counts = useStore(model.store, (now) => now.counts);
  if (wanted.code === undefined) return null;
  const group = counts.find((one) => one.code === wanted.code && one.key === wanted.key) ?? {
    key: wanted.key ?? '', code: wanted.code, level: 'error' as const, rows: 0, message: wanted.code,
  };
  const name = `${fieldName(group, model.places, model.t)} · ${problemName(group, model.t)}`;
  return (
    <span class="c-chip">
      <span class="c-chip-text" dir="auto">{name}</span>
      <IconButton icon="close" small label={model.t('filter.drop')} onClick={() => { void model.filterBy({ show: wanted.show }); model.focus(); }} />
    </span>
  );
}

/** Reports that rows in view no longer match the filter, or that more rows match now. */
function FilterDrift({ model }: { model: Model }) {
  const fitting = useStore(model.store, (now) => (isFiltered(now.filter) ? now.fitting : null));
  const total = useStore(model.store, (now) => now.total);
  if (fitting === null) return null;
  const text = fitting < total ? model.t('unfit', { n: total - fitting }) : model.t('newlyFit', { n: fitting - total });
  return (
    <span class="c-unfit">
      <span>{text}</span>
      <button type="button" class="c-link" onClick={() => { void model.refilter(); model.focus(); }}>{model.t('refresh')}</button>
    </span>
  );
}

/** Reports how many columns are hidden. */
function HiddenColumns({ model }: { model: Model }) {
  const n = useStore(model.store, (now) => now.hidden.size);
  if (n === 0) return null;
  return (
    <span class="c-unfit">
      <span>{model.t('column.hidden', { n })}</span>
      <button type="button" class="c-link" onClick={() => { model.showAllColumns(); model.focus(); }}>{model.t('column.showAll')}</button>
    </span>
  );
}

/** The menu for downloads, uploads and adding a row. */
function More({ model, onOpen }: { model: Model; onOpen: (open: OpenDialog) => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const { t } = model;
  const totals = useStore(model.store, (now) => now.totals);
  const bad = model.tableApi.fileUrl({ show: 'errors' });
  const items: MenuItem[] = [
    { label: t('file.download', { n: totals.errors }), icon: 'download', disabled: totals.errors === 0, onSelect: () => download(model, bad) },
    { label: t('file.downloadAll', { n: totals.rows }), icon: 'download', disabled: totals.rows === 0, onSelect: () => download(model, model.tableApi.fileUrl({ show: 'all' })) },
    { label: t('file.upload'), icon: 'upload', onSelect: () => onOpen({ kind: 'upload' }) },
    ...(model.host.forbids?.adding ? [] : [{ label: t('add.one'), icon: 'add' as const, apart: true, onSelect: () => model.addRow() }]),
  ];
  return (
    <>
      <IconButton icon="more" label={t('more')} refTo={button} popup="menu" expanded={open} onClick={() => setOpen(!open)} />
      {open && <Menu anchor={button} label={t('more')} items={items} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Downloads a file. The response is an attachment, so the page stays. */
function download(model: Model, address: string): void {
  if (!model.host.isConnected()) return model.showMessage({ text: model.t(navigator.onLine ? 'unanswered' : 'notOffline'), wrong: true });
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}
