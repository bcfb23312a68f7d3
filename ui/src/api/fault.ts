import type { Message } from '../i18n/types';
import type { components } from './schema';

/** A cell that somebody else changed first, with both texts. */
export interface CellConflict {
  readonly id: string;
  readonly key: string;
  readonly part: number;
  readonly version: number;
  readonly deleted: boolean;
  readonly seen: string;
  readonly now: string;
}

/**
 * What came instead of an answer:
 *
 * - lost: none came, and the same call may go through later
 * - unauthorized: there is no cookie for this import, or it is too old
 * - gone: the import is not there
 * - refused: the service said no, and message says why
 */
export type FaultKind = 'lost' | 'refused' | 'gone' | 'unauthorized';

/** Why a call gave no answer. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  /** For people; undefined of lost ones. */
  readonly detail: Message | undefined;
  readonly status: number;
  /** Names the call in the log of the service; "" where no answer came. */
  readonly request: string;
  /** Of changed_by_others. */
  readonly cells: readonly CellConflict[];
  /** Of discards_changes: how many changes of cells. */
  readonly changes: number;

  constructor(kind: FaultKind, of: { detail?: Message; code?: string; status?: number; request?: string; cells?: readonly CellConflict[]; changes?: number } = {}) {
    super(of.detail?.text ?? '');
    this.detail = of.detail;
    this.kind = kind;
    this.code = of.code ?? '';
    this.status = of.status ?? 0;
    this.request = of.request ?? '';
    this.cells = of.cells ?? [];
    this.changes = of.changes ?? 0;
  }
}

type Refusal = Partial<components['schemas']['Error']> & { readonly cells?: unknown; readonly changes?: unknown };

/** Makes a fault of an answer that is an error. */
export function faultOf(status: number, body: unknown): Fault {
  const said: Refusal = typeof body === 'object' && body !== null ? body : {};
  const hasDetail = typeof said.detail === 'string';
  const cells = Array.isArray(said.cells) ? (said.cells as CellConflict[]) : [];
  return new Fault(kindOf(status, hasDetail), {
    status,
    cells,
    changes: Number(said.changes ?? 0),
    ...(hasDetail && { detail: { text: String(said.detail), code: said.message_code, params: said.params } }),
    code: String(said.code ?? ''),
    request: String(said.request_id ?? ''),
  });
}

function kindOf(status: number, hasDetail: boolean): FaultKind {
  if (status === 401) return 'unauthorized';
  if (status === 404 && hasDetail) return 'gone';
  // What stands before the service answers for it while it is away.
  if ([429, 502, 503, 504].includes(status) || !hasDetail) return 'lost';
  return 'refused';
}

/** Whether a call was given up by the page itself. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
