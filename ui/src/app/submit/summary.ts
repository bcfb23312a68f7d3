import type { Import, Submission } from '../../api';
import type { T } from '../context';

export interface Summary {
  readonly title: string;
  readonly lines: readonly string[];
  /** Label of the button; null if submitting is impossible. */
  readonly action: string | null;
  /** Whether no row would be submitted. */
  readonly empty?: boolean;
}

/** Summarizes what a submission would do. */
export function summaryOf(of: Submission, behavior: Import['invalidDataBehavior'] | undefined, t: T): Summary {
  const { rows, rowsWithError: bad, rowsLeftOut: left } = of;
  if (of.blocked) return { title: t('submit.blockedTitle', { n: bad || left }), lines: [t('submit.blocked', { n: bad || left })], action: null };
  if (rows === 0) {
    const [line, action] = left > 0 ? [t('submit.left', { n: left }), t('submit.doNone', { n: left })] : [t('submit.empty'), t('submit.doEmpty')];
    return { title: t('submit.emptyTitle'), lines: [line], action, empty: true };
  }
  const lines = [t('submit.rows', { n: rows })];
  if (left > 0) lines.push(t('submit.left', { n: left }));
  if (bad > 0) lines.push(t(behavior === 'INCLUDE_INVALID_ROWS' ? 'submit.badEmptied' : 'submit.badKept', { n: bad }));
  return { title: t('submit.title'), lines, action: actionOf(rows, left, t) };
}

function actionOf(rows: number, left: number, t: T): string {
  if (left === 0) return t('submit.do', { n: rows });
  return t('submit.doAndLeave', { rows: t('submit.rowsToSend', { n: rows }), n: left });
}
