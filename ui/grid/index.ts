export { Grid } from './grid';
export type { GridConfig, GridEvent } from './config';
export { english, type Texts } from './texts';
export type { Place, Range } from './ranges';
export { SourceFault } from './row-source';
export type {
  Area, Batch, Cell, Choice, Column, ColumnKind, Conflict, EditAction, Level, Problem, Row, RowSource, RowWindow, Spot, Verdict,
} from './row-source';
