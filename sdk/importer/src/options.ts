import { ImporterError } from './errors.js';
import type { CustomStep, FileParser, Hooks, ResultMetadata, ResultRow } from './hook-types.js';
import type { InlineSchema, User } from './schema.js';

/** Why the importer was closed. */
export type CloseReason =
  /** The results were delivered. */
  | 'results'
  /** The user canceled the import. */
  | 'cancel'
  /** The importer closed itself, or `close()` was called. */
  | 'close'
  /** An error occurred. `onError` describes it. */
  | 'error';

/** Something that the user did in the importer. */
export interface UserEvent {
  eventType: string;
  payload: Record<string, unknown>;
}

/** A part of the results. */
export interface ResultBatch {
  /** Index of the batch, counted from 0. */
  index: number;
  isLast: boolean;
  /** Describes all results. Only the last batch has metadata. */
  metadata: ResultMetadata | null;
}

/** Options of an importer. */
export interface ImporterOptions {
  /** The address of the Intray server, such as `https://imports.example.com`. */
  server: string | URL;
  /** A frontend key. It is public: it can only start importers. */
  key: string;
  /** The ID or name of a saved schema, or a schema that is defined on the page. */
  schema: string | InlineSchema;
  /** The user who imports the file. */
  user?: User | undefined;
  /** A token that resumes a saved session. Your backend requests it; its name in the API is `hydrationId`. The importer then saves the work of the user. */
  sessionToken?: string | undefined;
  /** The language of the importer, such as `de`. Default: the language of the browser. */
  locale?: string | undefined;
  /** Default: the preference of the browser. */
  theme?: 'light' | 'dark' | undefined;
  /** The name of the dialog and the frame for screen readers. Default: the title of the schema, or `Import data`. */
  title?: string | undefined;
  /** Marks the imports as tests. Default: the setting of the schema. */
  developmentMode?: boolean | undefined;
  /** The header row, counted from 0. Default: Intray detects it. */
  headerRowOverride?: number | null | undefined;
  hooks?: Hooks | undefined;
  /** Pages that the importer shows as steps of its own. */
  customSteps?: CustomStep[] | undefined;
  /** Functions that read further file formats. */
  fileParsers?: FileParser[] | undefined;
  /** Time limit for one call of a hook, in milliseconds. Default: 30,000. */
  hookTimeout?: number | undefined;
  /** Time limit for the importer to connect after it is opened, in milliseconds. Default: 20,000. */
  connectTimeout?: number | undefined;
  /** Is called with all results. The importer closes when the returned promise settles. */
  onResults?: ((rows: ResultRow[], metadata: ResultMetadata) => unknown) | undefined;
  /**
   * Is called with each batch of the results, instead of `onResults`, so that the page never
   * holds all rows in memory. The next batch follows when the returned promise settles.
   */
  onResultsBatch?: ((rows: ResultRow[], batch: ResultBatch) => unknown) | undefined;
  /** The user canceled the import. */
  onCancel?: (() => void) | undefined;
  /** The user clicked a button. */
  onEvent?: ((event: UserEvent) => void) | undefined;
  /** The importer could not be used, or a callback failed. */
  onError?: ((error: ImporterError) => void) | undefined;
  /** The importer was closed, for any reason. */
  onClose?: ((reason: CloseReason) => void) | undefined;
}

/** Returns the address of the importer on the server. Throws an ImporterError if a required option is invalid. */
export function widgetUrl({ server, key, schema, locale, theme }: ImporterOptions): URL {
  try {
    const url = new URL(server, location.href);
    if (!url.host || !key || !schema) throw new TypeError('a value is missing');
    url.pathname = url.pathname.replace(/\/*$/, '/widget/');
    url.search = url.hash = '';
    if (locale) url.searchParams.set('lang', locale);
    if (theme) url.searchParams.set('theme', theme);
    return url;
  } catch (error) {
    throw new ImporterError('invalid_options', '"server" (such as https://imports.example.com), "key" and "schema" are required.', error);
  }
}

/**
 * Copies lists and plain objects, because the proxies of some frameworks cannot be sent to a
 * frame. Drops undefined members. Replaces the regular expressions of validators by their source. Other values, such as
 * files and dates, remain.
 */
export function plain(value: any): any {
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    for (let i = 0; i < value.length; i++) copy[i] = plain(value[i]);
    return copy;
  }
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: any = {};
  for (const name of Object.keys(value)) if (value[name] !== undefined) copy[name] = plain(value[name]);
  if (copy.regex instanceof RegExp) {
    const { source, ignoreCase, dotAll, multiline, unicode } = copy.regex;
    Object.assign(copy, { regex: source, regexOptions: { ignoreCase, dotAll, multiline, unicode } });
  }
  return copy;
}

/** Returns the method that starts the importer, and its arguments. */
export function startCall(options: ImporterOptions): [method: string, ...args: unknown[]] {
  const { key, schema, user, developmentMode, headerRowOverride, locale, sessionToken: hydrationId } = options;
  const host = location.hostname;
  if (typeof schema === 'string') {
    return ['initFromSavedSchema', key, schema, host, plain({ user, developmentMode, headerRowOverride, hydrationId })];
  }
  const { fields, settings = {} } = plain(schema);
  const matchingStep = headerRowOverride === undefined ? undefined : { ...settings.matchingStep, headerRowOverride };
  const overrides = plain({ developmentMode, locale, hydrationId, matchingStep });
  return ['init', key, fields, { version: 'v2', browserExcelParsing: true, ...settings, ...overrides }, plain(user), host];
}
