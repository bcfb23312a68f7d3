import { unwrap, type Api, type Counts, type Edit, type RowWindow, type Table, type Values, type Verdict } from '../api';
import { faultOf } from '../api/fault';
import { normalized, type Filter } from './filter';

/** An edit request. op is its unique ID. */
export type EditRequest = Omit<Edit, 'where'> & {
  readonly where?: EditScope;
  /** For fill, the text for each of several fields. */
  readonly texts?: Readonly<Record<string, string>>;
};

/** The rows that a change affects. */
export interface EditScope extends Partial<Filter> {
  readonly view?: string;
  /** A range of the view; `to` is exclusive. */
  readonly from?: number;
  readonly to?: number;
  /**
   * Number of rows in the view when the range was chosen. The server rejects the edit if
   * the number has changed.
   */
  readonly total?: number;
  readonly rows?: string[];
}

export type Suggestion = Values['values'][number]['suggestions'][number];

/** A distinct value of a field, and the number of cells that contain it. */
export interface Value {
  readonly text: string;
  readonly count: number;
  readonly suggestions: readonly Suggestion[];
  /** Whether the text is truncated. */
  readonly cut?: boolean | undefined;
}

export interface Distinct {
  readonly values: readonly Value[];
  /** Number of values that are not listed. */
  readonly more: number;
}

/** The level of the problems to find; "problems" means any level. */
export type ProblemLevel = 'problems' | 'errors' | 'warnings' | 'infos';

export interface FoundRow {
  readonly id: string;
  readonly place: number;
}

/** A cell whose text on the page differs from the text in a file. */
export interface MergeConflict {
  readonly id: string;
  readonly key: string;
  readonly part?: number;
  readonly here: string;
  readonly file: string;
}

/** The result of uploading a file with corrected rows. */
export interface FileVerdict {
  readonly verdict: Verdict;
  /** Number of cells that were changed both in the file and on the page since the download. */
  readonly clashes: number;
  /** The first few of these cells. */
  readonly examples: readonly MergeConflict[];
  /** Number of rows whose values at the time of the download are unknown. */
  readonly untold: number;
  /** Number of rows in the file that are not in the import. */
  readonly unknown: number;
  /** Headers that match no field. */
  readonly ignored: readonly string[];
}

/** Options of an upload. */
export interface UploadOptions {
  readonly op: string;
  /** Whether to return the expected result without making the change. */
  readonly preview?: boolean;
  /** Whether to overwrite cells that were changed on the page since the download. */
  readonly over?: boolean;
}

/** The API calls of the table under review. They throw a Fault if they fail. */
export interface TableApi {
  table(): Promise<Table>;
  rows(filter: Filter, view: string, from: number, count: number, signal?: AbortSignal): Promise<RowWindow>;
  counts(): Promise<Counts>;
  values(of: string, filter: Filter, limit: number, signal?: AbortSignal): Promise<Distinct>;
  /** Returns the nearest row with a problem of a level, before or after a row. */
  nextProblem(filter: Filter, view: string, from: { readonly row: string; readonly back: boolean; readonly near: ProblemLevel }, signal?: AbortSignal): Promise<FoundRow | null>;
  edit(order: EditRequest, signal?: AbortSignal): Promise<Verdict>;
  undoOrRedo(which: 'undo' | 'redo', op: string): Promise<Verdict>;
  /** Returns the URL of a workbook with the rows that match a filter. */
  fileUrl(filter: Filter): string;
  uploadFile(file: Blob, how: UploadOptions): Promise<FileVerdict>;
}

export function createTableApi(api: Api, send: typeof fetch = fetch.bind(globalThis)): TableApi {
  const { calls, path } = api;
  const asked = (filter: Filter, more: object) => ({ params: { path, query: { ...normalized(filter), ...more } as never } });
  return {
    table: () => unwrap(calls.GET('/api/review/v1/{id}/table/', { params: { path } })),
    rows: (filter, view, from, count, signal) =>
      unwrap(calls.GET('/api/review/v1/{id}/rows/', { ...asked(filter, { ...(view && { view }), from, count }), ...(signal && { signal }) })),
    counts: () => unwrap(calls.GET('/api/review/v1/{id}/counts/', { params: { path } })),
    values: (of, filter, limit, signal) =>
      unwrap(calls.GET('/api/review/v1/{id}/values/', { ...asked(filter, { of, limit }), ...(signal && { signal }) })),
    nextProblem: async (filter, view, { row, back, near }, signal) => {
      const from = { ...(view && { view }), ...(row && { row }), back: String(back), near };
      return (await unwrap(calls.GET('/api/review/v1/{id}/next/', { ...asked(filter, from), ...(signal && { signal }) }))).next as FoundRow | null;
    },
    edit: (order, signal) => unwrap(calls.POST('/api/review/v1/{id}/edits/', { params: { path }, body: order as Edit, ...(signal && { signal }) })),
    undoOrRedo: (which, op) => unwrap(calls.POST(`/api/review/v1/{id}/${which}/`, { params: { path }, body: { op } })),
    fileUrl: (filter) => `${api.base}file/?${query(normalized(filter))}`,
    uploadFile: async (file, { op, preview = false, over = false }) => {
      const address = `${api.base}file/?${query({ op, preview, over })}`;
      const called = send(address, { method: 'POST', body: file }).then(async (response) => {
        const body: unknown = await response.json().catch(() => null);
        if (!response.ok) throw faultOf(response.status, body);
        return { data: body as FileVerdict, response };
      });
      return unwrap(called);
    },
  };
}

function query(of: object): URLSearchParams {
  return new URLSearchParams(Object.entries(of).map(([name, value]) => [name, String(value)]));
}
