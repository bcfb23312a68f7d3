import type { Import, Submission } from '../../api';
import type { T } from '../context';

export interface Summary {
  readonly title: string;
  /** What happens to the rows, each with a number. */
  readonly counts: readonly { readonly n: number; readonly label: string }[];
  /** What prevents submitting, or what would be submitted instead of invalid cells; "" if there is nothing to say. */
  readonly note: string;
  /** Label of the button; null if submitting is impossible. */
  readonly action: string | null;
  /** Whether no row would be submitted. */
  readonly empty: boolean;
}

interface Known {
  readonly behavior: Import['invalidDataBehavior'] | undefined;
  /** Number of rows in the file. */
  readonly fileRows: number;
  /** Number of changes during the review. */
  readonly changes: number;
  /** Whether at least one row must be submitted. */
  readonly needsRows?: boolean | undefined;
}

/** Summarizes what a submission would do. */
export function summaryOf(of: Submission, { behavior, fileRows, changes, needsRows }: Known, t: T): Summary {
  const { rows, rowsWithError: bad, rowsLeftOut: left, blocked } = of;
  const lines = [
    { n: fileRows, label: t('confirm.file', { n: fileRows }), shown: fileRows > 0 },
    { n: changes, label: t('confirm.changes', { n: changes }), shown: changes > 0 },
    { n: left, label: t('confirm.left', { n: left }), shown: left > 0 && !blocked },
    { n: bad || left, label: t('confirm.bad', { n: bad || left }), shown: bad > 0 || blocked },
    { n: rows, label: t('confirm.rows', { n: rows }), shown: !blocked },
  ];
  const lacksRows = needsRows === true && rows === 0;
  return {
    title: titleOf(of, t), note: lacksRows && !blocked ? t('submit.needsRows') : noteOf(of, behavior, t), action: blocked || lacksRows ? null : actionOf(rows, left, t), empty: rows === 0,
    counts: lines.filter((line) => line.shown).map(({ n, label }) => ({ n, label })),
  };
}

function titleOf({ rows, rowsWithError: bad, rowsLeftOut: left, blocked }: Submission, t: T): string {
  if (blocked) return t('submit.blockedTitle', { n: bad || left });
  return rows === 0 ? t('submit.emptyTitle') : t('confirm.title');
}

function noteOf({ rows, rowsWithError: bad, rowsLeftOut: left, blocked }: Submission, behavior: Known['behavior'], t: T): string {
  if (blocked) return t('submit.blocked', { n: bad || left });
  if (rows === 0) return left > 0 ? '' : t('submit.empty');
  if (bad === 0) return '';
  return t(behavior === 'INCLUDE_INVALID_ROWS' ? 'submit.badEmptied' : 'submit.badKept', { n: bad });
}

function actionOf(rows: number, left: number, t: T): string {
  if (rows === 0) return left > 0 ? t('submit.doNone', { n: left }) : t('submit.doEmpty');
  if (left === 0) return t('submit.do', { n: rows });
  return t('submit.doAndLeave', { rows: t('submit.rowsToSend', { n: rows }), n: left });
}
