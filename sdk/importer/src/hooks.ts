import { warn } from './errors.js';
import type { CellChange, CellMessage, FileParser, HookCell, HookMode, HookRecord, Hooks } from './hook-types.js';

/** Number of consecutive timeouts after which a hook is no longer called. */
const maxTimeouts = 3;

type AnyHook = (...args: any[]) => unknown;
type Changes = Record<string, CellChange>;
type Column = { index: number; value: unknown; rowId: string }[];

class HookTimeout extends Error {}

/** Returns one or several hooks as a list. */
export function listOf<T>(hooks: T | T[] | null | undefined): T[] {
  return Array.isArray(hooks) ? hooks : hooks ? [hooks] : [];
}

/** Counts the hooks of all columns. */
export function countColumnHooks(columns: Hooks['columns'] = {}): number {
  let count = 0;
  for (const key of Object.keys(columns)) count += listOf(columns[key]).length;
  return count;
}

function check(valid: unknown, message: string): asserts valid {
  if (!valid) throw new TypeError(message);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns the elements of a list that a hook returned, without absent ones. */
function elements(list: unknown, name: string): any[] {
  check(Array.isArray(list), `invalid ${name}`);
  const copy: unknown[] = [];
  for (const element of list) if (!isAbsent(element)) copy[copy.length] = element;
  return copy;
}

function copyMessages(info: unknown): CellMessage[] {
  const copy: CellMessage[] = [];
  for (const { message, level = 'error' } of elements(info, 'info')) {
    check(typeof message === 'string' && /^(error|warning|info)$/.test(level), 'invalid message');
    copy[copy.length] = { message, level };
  }
  return copy;
}

/** Validates and copies the changes of a cell. structuredClone fails if a value cannot be sent to the frame. */
function copyCell(change: any, columns?: HookCell[]): CellChange {
  const copy: CellChange = {};
  if (isAbsent(change)) return copy;
  check(typeof change === 'object', 'invalid cell');
  const { value, info, selectOptions, manyToOne } = change;
  if (columns) {
    check(Array.isArray(manyToOne) && manyToOne.length === columns.length, 'invalid manyToOne');
    const cells: CellChange[] = (copy.manyToOne = []);
    for (let i = 0; i < columns.length; i++) cells[i] = copyCell(manyToOne[i]);
    return copy;
  }
  if (value !== undefined) copy.value = typeof value === 'string' ? value : structuredClone(value);
  if (info !== undefined) copy.info = copyMessages(info);
  if (selectOptions !== undefined) copy.selectOptions = structuredClone(elements(selectOptions, 'selectOptions'));
  return copy;
}

/** Applies a change to a cell, or adds it to earlier changes. */
function merge<T extends HookCell | CellChange>(target: T, { manyToOne, ...rest }: CellChange): T {
  Object.assign(target, rest);
  if (manyToOne) {
    const cells = (target.manyToOne ??= []) as CellChange[];
    for (let i = 0; i < manyToOne.length; i++) cells[i] = merge(cells[i] ?? {}, manyToOne[i]!);
  }
  return target;
}

/** Rows and the changes that hooks made to them. */
interface Batch {
  /** Applies the rows that a hook returned. Throws, without applying any, if one is invalid. */
  apply(rows: any[]): void;
  /** Returns the changed rows. */
  results(): { index: number; row: Changes }[];
}

function createBatch(records: HookRecord[]): Batch {
  const byIndex = new Map<unknown, HookRecord>();
  const changed = new Map<number, Changes>();
  for (const record of records) byIndex.set(record.index, record);
  return {
    apply: (rows) => {
      const valid: [record: HookRecord, key: string, change: CellChange][] = [];
      for (const { index, row } of rows) {
        const record = byIndex.get(index);
        check(record, `unknown row ${index}`);
        check(row && typeof row === 'object', 'invalid row');
        for (const key of Object.keys(row)) {
          check(Object.hasOwn(record.row, key), `unknown field ${key}`);
          if (!isAbsent(row[key])) valid[valid.length] = [record, key, copyCell(row[key], record.row[key]!.manyToOne)];
        }
      }
      for (const [{ index, row }, key, change] of valid) {
        merge(row[key]!, change);
        let changes = changed.get(index);
        if (!changes) changed.set(index, (changes = {}));
        changes[key] = merge(changes[key] ?? {}, change);
      }
    },
    results: () => {
      const list: { index: number; row: Changes }[] = [];
      changed.forEach((row, index) => (list[list.length] = { index, row }));
      return list;
    },
  };
}

/**
 * Runs the hooks of the page. If a hook throws an exception, exceeds the time limit or returns
 * an invalid result, it has no effect, and the console shows a warning.
 */
export interface HookRunner {
  /** Runs bulk row hooks and then row hooks. Returns the changed rows. */
  rows(hooks: Hooks, records: HookRecord[], mode: HookMode): Promise<unknown>;
  /** Runs batch row hooks on a batch of rows, which are counted from 1. Returns the changed rows. */
  batchRows(hooks: Hooks, records: HookRecord[], number: number): Promise<unknown>;
  /** Runs the hooks of a column. Returns the changed cells. */
  columns(hooks: Hooks, key: string, column: Column): Promise<unknown>;
  /** Runs the row delete hooks on each row. */
  rowDelete(hooks: Hooks, records: HookRecord[]): Promise<void>;
  /** Reads a file with the parser of its extension. Returns undefined if there is none, or it fails. */
  parse(parsers: FileParser[], content: ArrayBuffer, filename: string): Promise<string[][] | undefined>;
  /**
   * Calls a hook with each input, followed by further arguments, and passes results to use,
   * which can throw an exception if a result is invalid. Reports all failures in one warning.
   */
  run<T>(name: string, hook: AnyHook, inputs: T[], rest?: unknown[], use?: (result: any, input: T) => void): Promise<void>;
}

/** Returns a runner with a time limit for each call, in milliseconds. */
export function createHookRunner(timeout: number): HookRunner {
  const timeoutsOf = new Map<AnyHook, number>();

  function limit(result: any): unknown {
    if (typeof result?.then !== 'function') return result;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new HookTimeout(`no result after ${timeout} ms`)), timeout);
      Promise.resolve(result).then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  const run: HookRunner['run'] = async (name, hook, inputs, rest = [], use) => {
    const before = timeoutsOf.get(hook) ?? 0;
    const total = inputs.length;
    if (before >= maxTimeouts || total === 0) return;
    let failures = 0;
    let timeouts = 0;
    let first: unknown;
    const one = async (input: (typeof inputs)[0]): Promise<void> => {
      try {
        const result = await limit(hook(input, ...rest));
        if (!isAbsent(result)) use?.(result, input);
      } catch (error) {
        if (failures++ === 0) first = error;
        if (error instanceof HookTimeout) timeouts++;
      }
    };
    const calls: Promise<void>[] = [];
    for (let i = 0; i < total; i++) calls[i] = one(inputs[i]!);
    await Promise.all(calls);
    timeoutsOf.set(hook, timeouts === total ? before + 1 : 0);
    if (failures > 0) warn(`${name} failed in ${failures} of ${total} calls, which have no effect.`, first);
  };

  /** Runs hooks that process several rows. */
  async function runBulk(name: string, hooks: AnyHook | AnyHook[] | undefined, records: HookRecord[], argument: unknown): Promise<Batch> {
    const batch = createBatch(records);
    for (const hook of listOf(hooks)) {
      await run(name, hook, [records], [argument], (result) => batch.apply(elements(result, 'result')));
    }
    return batch;
  }

  return {
    run,
    rows: async ({ rows, bulkRows }, records, mode) => {
      const batch = await runBulk('bulkRows', bulkRows, records, mode);
      for (const hook of listOf(rows)) {
        await run('rows', hook, records, [mode], (result, { index }) => batch.apply([{ ...result, index }]));
      }
      return batch.results();
    },
    batchRows: async ({ batchRows }, records, number) => (await runBulk('batchRows', batchRows, records, number)).results(),
    columns: async ({ columns = {} }, key, column) => {
      // A column is a table with one field.
      const records: HookRecord[] = [];
      for (const cell of column) records[records.length] = { ...cell, row: { cell: cell as unknown as HookCell } };
      const batch = createBatch(records);
      for (const hook of Object.hasOwn(columns, key) ? listOf(columns[key]) : []) {
        await run(`columns.${key}`, hook, [column], [], (result) => {
          const rows = elements(result, 'result');
          for (let i = 0; i < rows.length; i++) rows[i] = { index: rows[i].index, row: { cell: rows[i] } };
          batch.apply(rows);
        });
      }
      const cells: unknown[] = [];
      for (const { index, row } of batch.results()) cells[cells.length] = { index, ...row.cell };
      return cells;
    },
    rowDelete: async ({ rowDelete }, records) => {
      for (const hook of listOf(rowDelete)) await run('rowDelete', hook, records);
    },
    parse: async (parsers, content, filename) => {
      const name = filename.toLowerCase();
      for (const parser of parsers) {
        for (const extension of parser.extensions) {
          if (!name.endsWith(`.${extension.toLowerCase()}`)) continue;
          let table: string[][] | undefined;
          await run('parse', (...args: [ArrayBuffer, string]) => parser.parse(...args), [content], [filename], (result) => {
            const rows: string[][] = [];
            for (const row of elements(result, 'result')) {
              const cells: string[] = (rows[rows.length] = []);
              check(Array.isArray(row), 'invalid row');
              for (const cell of row) cells[cells.length] = `${cell ?? ''}`;
            }
            table = rows;
          });
          return table;
        }
      }
    },
  };
}
