/** Options of a `select` or `multi-select` field. */
export interface SelectOption {
  label: string;
  value: string;
  /** Other values in a file that mean this option. */
  alternateMatches?: string[];
}

/** `error` makes a row invalid. `warning` and `info` do not. */
export type Level = 'info' | 'warning' | 'error';

interface ValidatorBase {
  errorMessage?: string;
  /** Default: `error`. */
  level?: Level;
}

/** A rule that the cells of a field must satisfy. */
export type Validator = ValidatorBase &
  (
    | { validate: 'required' | 'unique' | 'unique_case_insensitive' | 'alphabetical' }
    | { validate: 'unique_with'; uniqueKey: string }
    | {
        validate: 'regex_match' | 'regex_exclude';
        /** A regular expression, or its source. */
        regex: string | RegExp;
        regexOptions?: { ignoreCase?: boolean; dotAll?: boolean; multiline?: boolean; unicode?: boolean };
      }
    | { validate: 'require_with' | 'require_without' | 'require_with_all' | 'require_without_all'; fields: string[] }
    | {
        validate: 'require_with_values' | 'require_without_values' | 'require_with_all_values' | 'require_without_all_values';
        fieldValues: Record<string, unknown>;
      }
    | { validate: 'length'; min?: number; max?: number }
  );

export type FieldType =
  | 'string'
  | 'number'
  | 'date'
  | 'datetime'
  | 'time'
  | 'checkbox'
  | 'select'
  | 'multi-select'
  | 'email'
  | 'phone-number'
  | 'url'
  | 'domain'
  | 'us-zip-code'
  | 'us-state-territory'
  | 'ssn'
  | 'country'
  | 'uuid';

/** A field of a schema. The fields reference of Intray describes each property. */
export interface Field {
  /** The name of the field in the result. */
  key: string;
  /** The name that people see. */
  label: string;
  /** A type, or a type with its options, such as `['number', { round: 2 }]`. Default: `string`. */
  type?: FieldType | [type: FieldType, options: string | Record<string, unknown>];
  description?: string;
  /** Other headers that match the field. */
  alternateMatches?: string[];
  validators?: Validator[];
  /** Replaces the error message of the type. */
  invalidValueMessage?: string;
  readOnly?: boolean;
  hidden?: boolean;
  requireMapping?: boolean;
  manyToOne?: boolean;
  /** Required for `select` and `multi-select`. */
  selectOptions?: SelectOption[];
}

/** Settings of a schema. Those that are not listed here are passed to the importer unchanged. */
export interface Settings {
  /** Groups the imports of one kind. */
  importIdentifier: string;
  title?: string;
  invalidDataBehavior?: 'BLOCK_SUBMIT' | 'REMOVE_INVALID_ROWS' | 'INCLUDE_INVALID_ROWS' | 'INCLUDE_INVALID_ROWS_AND_VALUES';
  /** What the server keeps. Default: `DISABLED`, which deletes everything after the results are delivered. */
  backendSyncMode?: 'DISABLED' | 'MAPPINGS_ONLY' | 'FULL_DATA';
  allowCustomFields?: boolean;
  passThroughUnmappedColumns?: boolean;
  manualInputDisabled?: boolean;
  manualInputOnly?: boolean;
  /** The maximum number of data rows. */
  maxRecords?: number | null;
  /** In bytes. */
  maxFileSize?: number;
  /** Rows to import instead of a file: objects by field key, or arrays in the order of the fields. */
  initialData?: Record<string, unknown>[] | unknown[][] | null;
  /** A file to import, so that the user does not have to choose one. */
  initialFile?: File | null;
  styleOverrides?: Record<string, Record<string, unknown>>;
  uploadStep?: { helpText?: string | null; sheetOverride?: string | null; [setting: string]: unknown };
  matchingStep?: { helpText?: string | null; headerRowOverride?: number | null; [setting: string]: unknown };
  reviewStep?: { helpText?: string | null; [setting: string]: unknown };
  [setting: string]: unknown;
}

/** A schema that is defined on the page. */
export interface InlineSchema {
  fields: Field[];
  settings: Settings;
}

/** The user who imports the file. Webhooks and results contain these values. */
export interface User {
  id: string;
  name?: string;
  email?: string;
  companyId?: string;
  companyName?: string;
}
