import type { Verdict } from '../api';

const mostSamples = 20;
const none: Verdict = { change: 0, cells: 0, rows: 0, added: 0, deleted: 0, valid: 0, invalid: 0, samples: [] };

/** Several changes as one. */
export function added(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce((sum, one) => ({
    change: one.change,
    cells: sum.cells + one.cells,
    rows: sum.rows + one.rows,
    added: sum.added + one.added,
    deleted: sum.deleted + one.deleted,
    valid: sum.valid + one.valid,
    invalid: sum.invalid + one.invalid,
    samples: [...sum.samples, ...one.samples].slice(0, mostSamples),
  }), none);
}
