import { useEffect, useState } from 'preact/hooks';
import { Fault, isAborted, type Verdict } from '../../api';
import { shown } from '../../../grid/shown';
import { Icon, Note, Progress } from '../../kit';
import { columnKey } from '../columns';
import type { Model } from '../model';

/** What is known of a change that is not made yet. */
export interface Look {
  readonly verdict: Verdict | null;
  /** Why it cannot be made, as a sentence. */
  readonly fault: string;
  readonly busy: boolean;
}

export const unknown: Look = { verdict: null, fault: '', busy: false };

const pause = 350;

/** Asks what a change would do, soon after it was last altered; null asks nothing. */
export function useLook(model: Model, name: string, ask: ((signal: AbortSignal) => Promise<Verdict>) | null): Look {
  const [look, setLook] = useState<Look>(unknown);
  useEffect(() => {
    if (!ask) return setLook(unknown);
    const asked = new AbortController();
    setLook((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      ask(asked.signal).then(
        (verdict) => !asked.signal.aborted && setLook({ verdict, fault: '', busy: false }),
        (cause) => !isAborted(cause) && !asked.signal.aborted && setLook({ verdict: null, fault: sentence(model, cause), busy: false }),
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [name]);
  return look;
}

export function sentence({ t, frame }: Model, cause: unknown): string {
  if (!(cause instanceof Fault)) return cause instanceof Error ? cause.message : String(cause);
  if (cause.kind === 'unauthorized' || cause.kind === 'gone') frame.broken(cause);
  return cause.kind === 'lost' ? t('unanswered') : (t.reword?.(cause.code, cause.message) ?? cause.message);
}

/** How many cells would change, what becomes of their rows, and some of them. */
export function Preview({ model, look, idle }: { model: Model; look: Look; idle: string }) {
  const { t } = model;
  const { verdict, fault, busy } = look;
  return (
    <section class="c-preview" aria-label={t('preview')} aria-busy={busy}>
      {fault && <Note tone="error"><span dir="auto">{fault}</span></Note>}
      <p class="c-preview-sum" role="status">{busy ? t('preview.busy') : verdict ? summaryOf(model, verdict) : !fault && idle}</p>
      {busy && <Progress label={t('preview.busy')} share={null} />}
      {verdict && verdict.samples.length > 0 && <Samples model={model} verdict={verdict} />}
    </section>
  );
}

/** "Changes 12,431 cells in 12,430 rows. 290 rows become valid, 3 become invalid." */
export function summaryOf({ t }: Model, { cells, rows, valid, invalid, added, deleted }: Verdict): string {
  const parts = [cells === 0 && added + deleted === 0 ? t('preview.none') : ''];
  if (cells > 0) parts.push(t('preview.cells', { n: cells, rows: t('inRows', { n: rows }) }));
  if (added > 0) parts.push(t('preview.added', { n: added }));
  if (deleted > 0) parts.push(t('preview.deleted', { n: deleted }));
  if (valid > 0) parts.push(t('preview.valid', { n: valid }));
  if (invalid > 0) parts.push(t('preview.invalid', { n: invalid }));
  return parts.filter(Boolean).join(' ');
}

function Samples({ model, verdict }: { model: Model; verdict: Verdict }) {
  const { t } = model;
  return (
    <div class="c-samples" tabIndex={0} role="region" aria-label={t('preview.samples')}>
      <table>
        <thead>
          <tr><th scope="col" class="c-at-end">{t('grid.rowHeader')}</th><th scope="col">{t('column')}</th><th scope="col">{t('before')}</th><th scope="col">{t('after')}</th></tr>
        </thead>
        <tbody>
          {verdict.samples.map((one, at) => (
            <tr key={at}>
              <td class="c-at-end c-quiet">{model.frame.locale.number(Number(one.id) + 1)}</td>
              <td class="c-quiet"><bdi>{model.place(columnKey(one.key, one.part ?? 0))?.column.label ?? one.key}</bdi></td>
              <td class="c-was"><CellText model={model} text={one.before.text} /></td>
              <td><CellText model={model} text={one.after.text} problem={one.after.problems?.find((problem) => problem.level === 'error')?.message ?? ''} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellText({ model, text, problem }: { model: Model; text: string; problem?: string }) {
  const short = text === '' ? <span class="c-quiet">{model.t('emptyCell')}</span> : <bdi>{shown(text)}</bdi>;
  return <>{short}{problem && <span class="c-sample-problem" title={problem}> <Icon name="error" size={12} label={problem} /></span>}</>;
}
