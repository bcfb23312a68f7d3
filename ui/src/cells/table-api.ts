import { unwrap, type Api, type Counts, type Edit, type RowWindow, type Table, type Values, type Verdict } from '../api';
import { faultOf } from '../api/fault';
import { normalized, type Filter } from './filter';

/** A change as the service takes it; op names it for good. */
export type EditRequest = Omit<Edit, 'where'> & {
  readonly where?: EditScope;
  /** For fill: several fields at once. */
  readonly texts?: Readonly<Record<string, string>>;
};

/** Which rows a change is about. */
export interface EditScope extends Partial<Filter> {
  readonly view?: string;
  /** A stretch of the view; to is exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** How many rows the view had when the stretch was chosen: refused where it has others by now. */
  readonly total?: number;
  readonly rows?: string[];
}

export type Suggestion = Values['values'][number]['suggestions'][number];

/** One of the texts of a field, and how many cells hold it. */
export interface Value {
  readonly text: string;
  readonly count: number;
  readonly suggestions: readonly Suggestion[];
  /** Only the beginning of the text came. */
  readonly cut?: boolean | undefined;
}

export interface Distinct {
  readonly values: readonly Value[];
  /** How many further ones there are. */
  readonly more: number;
}

/** The level of a problem that is looked for; problems are those of any. */
export type ProblemLevel = 'problems' | 'errors' | 'warnings' | 'infos';

export interface FoundRow {
  readonly id: string;
  readonly place: number;
}

/** A cell that holds one text here and another in a file. */
export interface MergeConflict {
  readonly id: string;
  readonly key: string;
  readonly part?: number;
  readonly here: string;
  readonly file: string;
}

/** The result of uploading a file with rows that were fixed elsewhere. */
export interface FileVerdict {
  readonly verdict: Verdict;
  /** Cells that the file changes and that were changed here since it was made. */
  readonly clashes: number;
  /** The first of them. */
  readonly examples: readonly MergeConflict[];
  /** Rows of which it is not known what they held when the file was made. */
  readonly untold: number;
  /** Rows of the file that are not in the import. */
  readonly unknown: number;
  /** Headers that name no field. */
  readonly ignored: readonly string[];
}

/** How a file is sent. */
export interface UploadOptions {
  readonly op: string;
  /** Only to see what it would do. */
  readonly preview?: boolean;
  /** Also into cells that were changed here since the file was made. */
  readonly over?: boolean;
}

/** The calls of the table under review. What fails is a Fault of the api. */
export interface TableApi {
  table(): Promise<Table>;
  rows(filter: Filter, view: string, from: number, count: number, signal?: AbortSignal): Promise<RowWindow>;
  counts(): Promise<Counts>;
  values(of: string, filter: Filter, limit: number, signal?: AbortSignal): Promise<Distinct>;
  /** The nearest row with a problem of a level, before or after one. */
  nextProblem(filter: Filter, view: string, from: { readonly row: string; readonly back: boolean; readonly near: ProblemLevel }, signal?: AbortSignal): Promise<FoundRow | null>;
  edit(order: EditRequest, signal?: AbortSignal): Promise<Verdict>;
  undoOrRedo(which: 'undo' | 'redo', op: string): Promise<Verdict>;
  /** Where the rows of a filter are to be had as a workbook. */
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
