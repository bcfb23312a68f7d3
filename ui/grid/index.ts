export { Grid } from './grid';
export type { GridConfig, GridEvent } from './config';
export { english, type Texts } from './texts';
export type { Place, Range } from './ranges';
export { SourceFault } from './port';
export type {
  Area, Batch, Cell, Choice, Column, ColumnKind, Conflict, Deed, Level, Problem, Row, RowSource, RowWindow, Spot, Verdict,
} from './port';
