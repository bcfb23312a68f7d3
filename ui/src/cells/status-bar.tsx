import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon, Progress } from '../kit';
import { keys } from './shortcuts';
import type { Model } from './model';
import type { State } from './state';
import { useStore } from './store';
import type { LayoutWidth } from './layout-width';

interface Props {
  readonly model: Model;
  readonly width: LayoutWidth;
  readonly onGoTo: () => void;
}

/** The status bar: selection, saving state, and the result of the last change. */
export function StatusBar({ model, width, onGoTo }: Props) {
  const now = useStore(model.store, (state) => state);
  const { t } = model;
  const hint = (label: string, shortcut: string) => `${label} (${model.host.locale.isolate(shortcut)})`;
  const wide = width === 'wide';
  // In a narrow window, the result of a change takes precedence.
  const counted = wide || (width === 'narrow' && !now.message && !now.searching && !now.progress);
  return (
    <div class="c-status" role="group" aria-label={t('status')}>
      {counted && <span class="c-selected">{selectionOf(model, now)}</span>}
      {now.searching && <Searching model={model} now={now} />}
      <Outcome model={model} now={now} />
      <span class="c-turns">
        <Saving model={model} now={now} />
        <Turn label={t('undo')} keys={wide ? keys.undo : ''} title={hint(t('undo'), keys.undo)} disabled={now.undo === 0 && now.pending === 0} onClick={() => model.undo()} icon={<Icon name="undo" size={14} />} />
        <Turn label={t('redo')} keys="" title={hint(t('redo'), keys.redo)} disabled={now.redo === 0} onClick={() => model.redo()} icon={<Icon name="redo" size={14} />} />
        {width !== 'small' && <Turn label={model.rowName} keys="" title={hint(t('goTo'), keys.goTo)} disabled={now.total === 0} onClick={onGoTo} note={model.lineName} />}
        <Turn label={t('next')} keys={wide ? keys.next : ''} disabled={now.totals.errors + now.totals.warnings + now.totals.infos === 0} onClick={() => void model.goToProblem(1)} />
      </span>
    </div>
  );
}

interface TurnProps {
  readonly label: string;
  readonly keys: string;
  readonly title?: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly icon?: ComponentChildren;
  readonly note?: string;
}

function Turn({ label, keys: shortcut, title, disabled, onClick, icon, note }: TurnProps) {
  return (
    <button type="button" class="c-turn" disabled={disabled} onClick={onClick} title={title}>
      {icon}<span class="c-turn-label">{label}</span>{note && <span class="c-quiet">{note}</span>}{shortcut && <kbd dir="ltr">{shortcut}</kbd>}
    </button>
  );
}

function selectionOf({ t }: Model, { area }: State): string {
  if (!area) return '';
  const rows = area.toRow - area.fromRow;
  const cells = rows * area.columns.length;
  return cells > 1 ? t('selected', { n: cells }) : '';
}

/** Shows that a search is running, after a short delay. */
function Searching({ model, now: { wanted } }: { model: Model; now: State }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300);
    return () => clearTimeout(timer);
  }, []);
  const { t } = model;
  const text = t(wanted.search ? 'searching' : 'grid.loading');
  if (!late) return null;
  return (
    <span class="c-searching">
      <span>{text}</span>
      <Progress label={text} share={null} />
      <button type="button" class="c-link" onClick={() => { model.stopSearch(); model.focus(); }}>{t('stop')}</button>
    </span>
  );
}

/** Shows the result of the last change, or the progress of a running one. */
function Outcome({ model, now: { message, progress } }: { model: Model; now: State }) {
  const { t, host } = model;
  const far = progress && progress.total > 0 ? t('progress', { done: progress.done, total: progress.total }) : '';
  return (
    <span class="c-outcome">
      <span role="status">{message && !far && <span class={message.wrong ? 'is-wrong' : ''} dir="auto">{message.wrong && <Icon name="error" size={12} />} {message.text}</span>}</span>
      {far && <span class="c-far">{far} {progress && host.locale.percent(progress.done / progress.total)}</span>}
      {message?.turn && !far && <button type="button" class="c-link" onClick={() => { model[message.turn!](); model.focus(); }}>{t(message.turn)}</button>}
    </span>
  );
}

function Saving({ model, now: { saving, pending } }: { model: Model; now: State }) {
  const { t } = model;
  const waits = saving === 'waiting';
  const text = waits ? t(navigator.onLine ? 'grid.waiting' : 'saving.waiting', { n: pending }) : t(`saving.${saving}`);
  return (
    <span class={`c-saving is-${saving}`} {...(waits && { role: 'status' as const })}>
      {waits && <Icon name="offline" size={14} />}{text}
    </span>
  );
}
