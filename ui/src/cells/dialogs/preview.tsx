import { useEffect, useState } from 'preact/hooks';
import { Fault, isAborted, messageOf, type Verdict } from '../../api';
import { Icon, Note, Progress } from '../../kit';
import { columnKey } from '../columns';
import { faultText } from '../fault-text';
import type { Message } from '../../i18n/types';
import { messageText } from '../../i18n/messages';
import type { Model } from '../model';
import { ValueText } from '../value-text';
import './dialogs.css';

/** The expected result of a change that has not been made yet. */
export interface PreviewState {
  readonly verdict: Verdict | null;
  /** Why the change is impossible, as a sentence; "" if it is possible. */
  readonly fault: string;
  readonly busy: boolean;
}

export const noPreview: PreviewState = { verdict: null, fault: '', busy: false };

const pause = 350;

/**
 * Requests a preview shortly after the user last edited the change. Requests nothing if ask
 * is null.
 */
export function usePreview(model: Model, name: string, ask: ((signal: AbortSignal) => Promise<Verdict>) | null): PreviewState {
  const [look, setLook] = useState<PreviewState>(noPreview);
  useEffect(() => {
    if (!ask) return setLook(noPreview);
    const asked = new AbortController();
    setLook((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      ask(asked.signal).then(
        (verdict) => !asked.signal.aborted && setLook({ verdict, fault: '', busy: false }),
        (cause) => !isAborted(cause) && !asked.signal.aborted && setLook({ verdict: null, fault: reportFault(model, cause), busy: false }),
      );
    }, pause);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [name]);
  return look;
}

/** Returns why a call failed. If the step cannot continue, reports the fault to the page. */
export function reportFault({ t, host }: Model, cause: unknown): string {
  if (cause instanceof Fault && cause.endsReview) host.onFault(cause);
  return isUnknownFormat(cause) ? t('upload.unread') : faultText(t, cause);
}

/** Reports whether a file was rejected because its format is unknown. */
function isUnknownFormat(cause: unknown): boolean {
  const problem = cause instanceof Fault ? (cause.detail?.params?.problem as Message | undefined) : undefined;
  return ['file.unknown_format', 'archive.unknown_format'].includes(problem?.code ?? '');
}

/** Shows how many cells and rows would change, with samples. */
export function Preview({ model, look, idle }: { model: Model; look: PreviewState; idle: string }) {
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

/**
 * Describes the result: "Changes 12,431 cells in 12,430 rows. 290 rows become valid, 3
 * become invalid."
 */
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
          {verdict.samples.map((one, at) => <Sample key={at} model={model} one={one} />)}
        </tbody>
      </table>
    </div>
  );
}

function Sample({ model, one: { id, key, part, before, after } }: { model: Model; one: Verdict['samples'][number] }) {
  const { t, host } = model;
  const place = model.place(columnKey(key, part ?? 0));
  const found = after.problems?.find(({ level }) => level === 'error');
  const problem = found && messageText(t, messageOf(found));
  return (
    <tr>
      <td class="c-at-end c-quiet">{host.locale.number(Number(id) + 1)}</td>
      <td class="c-quiet"><bdi>{place?.column.label ?? key}</bdi></td>
      <td class="c-was"><ValueText t={t} place={place} text={before.text} /></td>
      <td>
        <ValueText t={t} place={place} text={after.text} />
        {problem && <span class="c-sample-problem" title={problem}> <Icon name="error" size={12} label={problem} /></span>}
      </td>
    </tr>
  );
}
