import type { operations } from '../api/schema';

type Body<Name extends keyof operations> = operations[Name] extends { requestBody: { content: { 'application/json': infer T } } } ? T : never;

/** The schema of an importer, as the API expects it. */
export type SchemaChoice = Pick<Body<'startWidgetImport'>, 'schema' | 'fields' | 'settings' | 'development_mode'>;

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
  /** The settings that the widget itself uses. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The settings that the API accepts. All others are for the widget. */
const apiSettings = [
  'importIdentifier', 'title', 'allowInvalidSubmit', 'invalidDataBehavior', 'backendSync', 'backendSyncMode', 'manualInputDisabled',
  'manualInputOnly', 'allowCustomFields', 'passThroughUnmappedColumns', 'maxRecords', 'developmentMode', 'displayEncoding', 'styleOverrides', 'maxFileSize',
] as const;

/** Returns the setup of an importer whose page defines the fields. */
export function inlineSetup(key: unknown, fields: unknown, settings: unknown, user: unknown): Setup {
  const given = objectOf(settings);
  return {
    key: textOf(key),
    choice: { fields: fieldsOf(fields), settings: settingsOf(given) } as SchemaChoice,
    user: userOf(user),
    rows: rowsOf(given.initialData, fields),
    helpText: textOf(objectOf(given.uploadStep).helpText),
    settings: given,
  };
}

/** Returns the setup of an importer with a saved schema, of which `schema` is the id or the name. */
export function savedSetup(key: unknown, schema: unknown, options: unknown): Setup {
  const { user, developmentMode } = objectOf(options);
  return {
    key: textOf(key),
    choice: { schema: textOf(schema), ...(developmentMode === true && { development_mode: true, settings: { developmentMode: true } }) },
    user: userOf(user),
    rows: null,
    helpText: '',
    settings: {},
  };
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

function userOf(user: unknown): User | null {
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
