import type { Field, Level, SelectOption, User } from './schema.js';

type Awaitable<T> = T | Promise<T>;

/** A message of a cell. */
export interface CellMessage {
  message: string;
  /** Default: `error`. */
  level?: Level;
}

/** A cell as a hook receives it. */
export interface HookCell {
  /** The value as the user sees it, or the raw text if it cannot be parsed. */
  value: unknown;
  /** The value that the result would contain. */
  resultValue: unknown;
  info?: CellMessage[];
  selectOptions?: SelectOption[];
  /** One cell per column, if the field has `manyToOne`. */
  manyToOne?: HookCell[];
}

/** A row as a hook receives it. */
export interface HookRecord {
  /** Index of the row, counted from 0. */
  index: number;
  rowId: string;
  row: Record<string, HookCell>;
}

/** The changes of a cell. Members that are absent or undefined remain unchanged. */
export interface CellChange {
  value?: unknown;
  /** Replaces all messages of earlier hooks. */
  info?: CellMessage[];
  selectOptions?: SelectOption[];
  /** One element per column. An element that is null or undefined remains unchanged. */
  manyToOne?: (Omit<CellChange, 'manyToOne'> | null | undefined)[];
}

/** The changes of a row, by field key. */
export interface RowChange {
  row: Record<string, CellChange>;
}

/** `init` when the table is first shown, `update` after the user changed rows. */
export type HookMode = 'init' | 'update';

/** Processes one row. Returns nothing if the row remains unchanged. */
export type RowHook = (record: HookRecord, mode: HookMode) => Awaitable<RowChange | void>;
/** Processes all rows at once: every row in mode `init`, the changed rows in mode `update`. */
export type BulkRowHook = (records: HookRecord[], mode: HookMode) => Awaitable<(RowChange & { index: number })[] | void>;
/** Processes the rows in batches when the table is first shown. Batches are counted from 1. */
export type BatchRowHook = (records: HookRecord[], batch: number) => Awaitable<(RowChange & { index: number })[] | void>;
/** Processes the cells of one column. */
export type ColumnHook = (
  cells: { index: number; value: unknown; rowId: string }[],
) => Awaitable<{ index: number; value?: unknown; info?: CellMessage[] }[] | void>;
/** Is called for each row that the user deletes. */
export type RowDeleteHook = (record: HookRecord) => Awaitable<void>;

/** Where a field of the result comes from. */
export type FieldSource =
  | { fileHeader: string | null; fileHeaderIndex: number | null; isCustom: boolean; manyToOne: false }
  | {
      fileHeader: null;
      fileHeaders: (string | null)[];
      fileHeaderIndex: null;
      fileHeaderIndexes: (number | null)[];
      isCustom: boolean;
      manyToOne: true;
    };

interface MappedColumns {
  headerMapping: Record<string, string | undefined>;
  fields: Record<string, FieldSource>;
}

/** The data that the hook of each step receives. */
export interface StepData {
  /** After the file has arrived. `dataPreview` contains the first 20 rows of the file. */
  UPLOAD_STEP: { filename: string | null; dataPreview: unknown[][]; sessionId: string | null };
  /** After the columns are mapped. */
  REVIEW_STEP: MappedColumns & { rawHeaders: string[] | null };
  /** After the column and row hooks. */
  REVIEW_STEP_POST_HOOKS: MappedColumns;
  /** After the user clicked Submit. */
  REVIEW_STEP_PRE_SUBMIT: MappedColumns;
}

/** Is called when a step begins. `controls` changes the import. */
export type StepHook<Step extends keyof StepData> = (controls: Controls, data: StepData[Step]) => Awaitable<void>;

/** An error in the results. */
export interface ResultError {
  rowIndex: number;
  fieldKey: string | null;
  message: string;
  value?: unknown;
  manyToOneIndex?: number;
}

/** Describes the results of an import. */
export interface ResultMetadata {
  /** ID of the upload, or null if the server keeps nothing. */
  id: string | null;
  filename: string | null;
  importIdentifier: string;
  user: User | null;
  rowsWithError: number[];
  rawHeaders: string[] | null;
  fields: Record<string, FieldSource>;
  errors: ResultError[];
  [name: string]: unknown;
}

/** A row of the results: values by field key. */
export type ResultRow = Record<string, unknown>;

/** Is called with the results before they are delivered. `{ cancel: true }` returns the user to the table. */
export type BeforeFinishHook = (
  rows: ResultRow[],
  metadata: ResultMetadata,
  controls: Controls,
) => Awaitable<{ cancel: true; message: string } | void>;

/** Functions that run on the page during an import. */
export interface Hooks {
  rows?: RowHook | RowHook[];
  bulkRows?: BulkRowHook | BulkRowHook[];
  batchRows?: BatchRowHook | BatchRowHook[];
  /** Column hooks by field key. */
  columns?: Record<string, ColumnHook | ColumnHook[]>;
  rowDelete?: RowDeleteHook | RowDeleteHook[];
  /** Step hooks by step. */
  steps?: { [Step in keyof StepData]?: StepHook<Step> | StepHook<Step>[] };
  beforeFinish?: BeforeFinishHook;
}

/** Changes the running import. Each method rejects if the importer refuses the change or is closed. */
export interface Controls {
  addField(field: Field, position?: { before: string } | { after: string }): Promise<void>;
  removeField(key: string): Promise<void>;
  /** Replaces the messages of cells. An empty list removes them. */
  updateInfoMessages(messages: { rowIndex: number; fieldKey: string; manyToOneIndex?: number; messages: CellMessage[] }[]): Promise<void>;
  /** Adds rows and returns their IDs. */
  addRows(rows: { index?: number; row: Record<string, CellChange> }[]): Promise<string[]>;
  removeRows(rowIds: string[]): Promise<void>;
  setUser(user: User): Promise<void>;
  setDevelopmentMode(on: boolean): Promise<void>;
  /** Selects the header row, counted from 0. */
  setHeaderRowOverride(row: number | null): Promise<void>;
  setConfirmationMessage(html: string, options?: { submitButtonText?: string; cancelButtonText?: string }): Promise<void>;
}

/** Controls of a custom step, which can also leave the step. */
export interface StepControls extends Controls {
  completeCustomStep(): Promise<void>;
  goBackCustomStep(): Promise<void>;
}

/** A page of your application that the importer shows as a step. */
export interface CustomStep {
  id: string;
  insertAfter: 'HEADER_SELECT' | 'COLUMN_MATCH' | 'SELECT_MATCH';
  /** Default: the ID. */
  label?: string;
  /** The page to show. Intray adds the parameters `stepId` and `stepLabel`. */
  url?: string;
  /** Is called when the page sends a message. */
  onMessage?: (controls: StepControls, payload: unknown) => Awaitable<void>;
}

/** Reads files of a format that Intray does not support. */
export interface FileParser {
  /** File name extensions without the dot, in any case. */
  extensions: string[];
  /** Returns the rows of the file, including the header. */
  parse: (content: ArrayBuffer, filename: string) => Awaitable<unknown[][]>;
}
