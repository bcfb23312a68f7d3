import type { Message } from '../i18n/types';
import type { components } from './schema';

/** A cell that somebody else changed first, with the text of both users. */
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
 * Kinds of faults:
 *
 * - lost: no response arrived, but the same call may succeed later
 * - unauthorized: there is no cookie for this import, or it has expired
 * - gone: the import does not exist
 * - damaged: the stored rows are damaged, so the import must run again
 * - refused: the server rejected the call, and detail explains why
 */
export type FaultKind = 'lost' | 'refused' | 'gone' | 'unauthorized' | 'damaged';

/** The error of a failed call. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly code: string;
  /** Message for the user; undefined for lost calls. */
  readonly detail: Message | undefined;
  readonly status: number;
  /** ID of the call in the server log; "" if there was no response. */
  readonly request: string;
  /** Conflicts, for the code changed_by_others. */
  readonly cells: readonly CellConflict[];
  /** Number of cell changes, for the code discards_changes. */
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

  /** Whether the page must handle the fault, because the review cannot continue. */
  get endsReview(): boolean {
    return this.kind === 'unauthorized' || this.kind === 'gone' || this.kind === 'damaged';
  }
}

type Refusal = Partial<components['schemas']['Error']> & { readonly cells?: unknown; readonly changes?: unknown };

/** Converts an error response to a fault. */
export function faultOf(status: number, body: unknown): Fault {
  const said: Refusal = typeof body === 'object' && body !== null ? body : {};
  const hasDetail = typeof said.detail === 'string';
  const cells = Array.isArray(said.cells) ? (said.cells as CellConflict[]) : [];
  return new Fault(said.code === 'rows_damaged' ? 'damaged' : kindOf(status, hasDetail), {
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
  // A proxy responds with these statuses while the server is down.
  if ([429, 502, 503, 504].includes(status) || !hasDetail) return 'lost';
  return 'refused';
}

/** Reports whether an error means that the page itself aborted the call. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
