export { ImporterError } from './errors.js';
export type { ErrorCode } from './errors.js';
export { defineImporterElement } from './define-element.js';
export type { IntrayImporterElement } from './define-element.js';
export { createImporter } from './importer.js';
export type { Importer } from './importer.js';
export type { CloseReason, ImporterOptions, ResultBatch, UserEvent } from './options.js';
export type { Field, FieldType, InlineSchema, Level, SelectOption, Settings, User, Validator } from './schema.js';
export type {
  BatchRowHook, BeforeFinishHook, BulkRowHook, CellChange, CellMessage, ColumnHook, Controls, CustomStep, FieldSource, FileParser, HookCell, HookMode,
  HookRecord, Hooks, ResultError, ResultMetadata, ResultRow, RowChange, RowDeleteHook, RowHook, StepControls, StepData, StepHook,
} from './hook-types.js';
