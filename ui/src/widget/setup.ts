import type { ReviewHost } from '../app/host';
import type { operations } from '../api/schema';

type Body<Name extends keyof operations> = operations[Name] extends { requestBody: { content: { 'application/json': infer T } } } ? T : never;

/** An import to create, as the API expects it. */
export type ImportBody = Body<'startWidgetImport'>;

/** The schema of an importer, as the API expects it. */
export type SchemaChoice = Pick<ImportBody, 'schema' | 'fields' | 'settings' | 'development_mode'>;

/** The person who uses the page, as the page describes them. */
export interface User {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  readonly companyId?: string;
  readonly companyName?: string;
}

/** What the page passes when it opens the importer. */
export interface Setup {
  readonly key: string;
  readonly choice: SchemaChoice;
  readonly user: User | null;
  readonly rows: readonly Record<string, unknown>[] | null;
  /** The text of the organization above the file chooser. */
  readonly helpText: string;
  /** The row of the file that contains the column names, counted from 0; null if it must be found. */
  readonly headerRow: number | null;
  /** The delimiter of CSV files; "" if it must be found. */
  readonly delimiter: string;
  /** The name of the sheet of workbooks; "" if it must be found. */
  readonly sheet: string;
  /** A file to import at once. */
  readonly file: File | null;
  /** Whether all columns that map to no field become new fields. */
  readonly createsFields: boolean;
  /** Whether the work of the person is saved. */
  readonly saves: boolean;
  /** The hydration token of the session that keeps the work; "" if there is none. */
  readonly hydration: string;
  /** The template that people can download. */
  readonly template: { readonly templateUrl?: string; readonly templateName?: string };
  /** What the review shows and allows. */
  readonly review: Pick<ReviewHost, 'helpTexts' | 'forbids'>;
  /** Language of the importer; null for that of the browser. */
  readonly language: string | null;
}

/** The settings that the API accepts. All others are for the widget. */
const apiSettings = [
  'importIdentifier', 'title', 'allowInvalidSubmit', 'invalidDataBehavior', 'backendSync', 'backendSyncMode', 'manualInputDisabled',
  'manualInputOnly', 'allowCustomFields', 'passThroughUnmappedColumns', 'maxRecords', 'developmentMode', 'displayEncoding', 'styleOverrides', 'maxFileSize',
] as const;

/** The setup of an importer whose page says nothing else. */
const usual = { rows: null, helpText: '', delimiter: '', sheet: '', file: null, createsFields: false, saves: false, hydration: '', template: {}, review: {}, language: null };

/** Returns the setup of an importer whose page defines the fields. */
export function inlineSetup(key: unknown, fields: unknown, settings: unknown, user: unknown): Setup {
  const given = objectOf(settings);
  const upload = objectOf(given.uploadStep);
  const createsFields = objectOf(given.reviewStep).autoCreateUnmappedColumns === true;
  return {
    ...usual,
    ...savingOf(given),
    key: textOf(key),
    choice: { fields: fieldsOf(fields), settings: { ...settingsOf(given), ...(createsFields && { allowCustomFields: true }) } } as SchemaChoice,
    createsFields,
    user: userOf(user),
    rows: rowsOf(given.initialData, fields),
    helpText: textOf(upload.helpText),
    sheet: textOf(upload.sheetOverride),
    file: given.initialFile instanceof File ? given.initialFile : null,
    template: templateOf(upload.templateDownloadOverrideURL, given.templateDownloadFilename),
    review: reviewOf(given),
    headerRow: rowOf(objectOf(given.matchingStep).headerRowOverride),
    delimiter: textOf(given.delimiter),
    language: textOf(given.locale).replace('_', '-') || null,
  };
}

/** Returns the setup of an importer with a saved schema, of which `schema` is the id or the name. */
export function savedSetup(key: unknown, schema: unknown, options: unknown): Setup {
  const { user, developmentMode, headerRowOverride, hydrationId } = objectOf(options);
  const hydration = textOf(hydrationId);
  return {
    ...usual,
    key: textOf(key),
    choice: inMode({ schema: textOf(schema) }, developmentMode),
    user: userOf(user),
    headerRow: rowOf(headerRowOverride),
    saves: hydration !== '',
    hydration,
  };
}

/** Returns how the work of the person is saved. */
function savingOf({ savePartialSession, hydrationId, sessionId, backendSyncMode, backendSync }: Record<string, unknown>): Pick<Setup, 'saves' | 'hydration'> {
  const wants = savePartialSession === true || (savePartialSession !== false && textOf(hydrationId) !== '');
  const keeps = backendSyncMode === 'FULL_DATA' || (backendSyncMode === undefined && backendSync === true);
  if (wants && !keeps) console.warn('The work is not saved, because backendSyncMode is not FULL_DATA.');
  else if (wants && sessionId && !hydrationId) console.warn('The session is not continued, because that needs the hydrationId that your server gets for the sessionId.');
  return wants && keeps ? { hydration: textOf(hydrationId), saves: true } : { hydration: '', saves: false };
}

function templateOf(url: unknown, name: unknown): Setup['template'] {
  const parsed = URL.parse(textOf(url));
  const templateName = textOf(name).replace(/\.(csv|xlsx)$/i, '');
  return { ...(parsed && /^https?:$/.test(parsed.protocol) && { templateUrl: parsed.href }), ...(templateName && { templateName }) };
}

/** Returns what the settings of a page say about the review. */
function reviewOf(given: Record<string, unknown>): Setup['review'] {
  const { COLUMN_MATCH_SUBTITLE: columns, BULK_FIX_SUBTITLE: cells } = objectOf(objectOf(given.textOverrides).ui);
  const help = (step: string) => textOf(objectOf(given[step]).helpText);
  const { allowAddingRows, allowRemovingRows } = objectOf(given.reviewStep);
  return {
    helpTexts: {
      table: textOf(objectOf(given.uploadStep).sheetSelectionHelpText), columns: textOf(columns) || help('matchingStep'), values: help('matchValuesStep'),
      cells: textOf(cells) || help('reviewStep'),
    },
    forbids: { adding: allowAddingRows === false, removing: allowRemovingRows === false, submittingNone: given.allowEmptySubmit === false },
  };
}

/** Returns a schema in development mode, or as it is if the mode is not a boolean. */
export function inMode(choice: SchemaChoice, developmentMode: unknown): SchemaChoice {
  if (typeof developmentMode !== 'boolean') return choice;
  return { ...choice, development_mode: developmentMode, settings: { ...choice.settings, developmentMode } };
}

/** Returns a schema with a field added, before or after the field with the given key, or as the last one. */
export function withField(choice: SchemaChoice, field: unknown, position: unknown): SchemaChoice {
  const fields = inlineFields(choice);
  const { before, after } = objectOf(position);
  const key = textOf(before ?? after);
  const found = fields.findIndex((one) => one.key === key);
  if (key && found < 0) throw new Error(`The importer has no field ${key}.`);
  const at = !key ? fields.length : before === undefined ? found + 1 : found;
  return { ...choice, fields: fields.toSpliced(at, 0, objectOf(fieldsOf(field)) as unknown as ApiField) };
}

/** Returns a schema without a field. */
export function withoutField(choice: SchemaChoice, key: unknown): SchemaChoice {
  const fields = inlineFields(choice);
  if (!fields.some((one) => one.key === key)) throw new Error(`The importer has no field ${textOf(key)}.`);
  return { ...choice, fields: fields.filter((one) => one.key !== key) };
}

type ApiField = NonNullable<SchemaChoice['fields']>[number];

function inlineFields({ fields }: SchemaChoice): ApiField[] {
  if (!fields) throw new Error('The fields of a saved schema cannot be changed by the page.');
  return fields;
}

function rowOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function settingsOf(given: Record<string, unknown>): Record<string, unknown> {
  const entries = apiSettings.filter((name) => given[name] !== undefined && given[name] !== null).map((name) => [name, given[name]] as const);
  return Object.fromEntries(entries);
}

/** Returns the fields without members that have no value, which structured cloning preserves. */
function fieldsOf(fields: unknown): unknown {
  return JSON.parse(JSON.stringify(fields ?? []));
}

/** Returns the given rows by field key. Rows can also be arrays of values in the order of the fields. */
function rowsOf(rows: unknown, fields: unknown): Record<string, unknown>[] | null {
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const keys = Array.isArray(fields) ? fields.map((field) => textOf(objectOf(field).key)) : [];
  return rows.map((row) => (Array.isArray(row) ? Object.fromEntries(row.slice(0, keys.length).map((value, at) => [keys[at]!, value])) : objectOf(row)));
}

/** Returns the person whom a page describes, or null if it says nothing about them. */
export function userOf(user: unknown): User | null {
  const given = objectOf(user);
  const names = ['id', 'name', 'email', 'companyId', 'companyName'] as const;
  const entries = names.filter((name) => given[name] !== undefined && given[name] !== null).map((name) => [name, String(given[name])] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
