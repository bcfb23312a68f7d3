import type { CellDisplay } from './cell-view';
import type { Core } from './core';
import type { Cell, Column, Level, Problem, Row } from './row-source';
import { displayText } from './display-text';
import { contains, type Range } from './ranges';
import { checkboxState, visibleText } from './visible-text';

const order: readonly Level[] = ['error', 'warning', 'info'];

/** Returns the most severe level of the problems, or null if there are none. */
export function worstLevel({ problems }: { readonly problems?: readonly Problem[] }): Level | null {
  if (!problems || problems.length === 0) return null;
  return order.find((level) => problems.some((problem) => problem.level === level)) ?? null;
}

/** Returns everything that one cell shows. */
export function cellDisplay(core: Core, row: Row | undefined, index: number, position: number, range: Range | null): CellDisplay {
  const { columns, selection } = core;
  const column = columns.at(position);
  const active = selection.active.row === index && selection.active.col === position;
  const selected = range !== null && contains(range, index, position);
  const base = {
    col: position,
    start: columns.start(position),
    width: columns.width(position),
    selected,
    active,
    readOnly: column.readOnly === true,
  };
  const marks = classes(range, selected, active, index, position, column);
  if (!row) return { ...base, text: '', sent: '', classes: `${marks} is-waiting`, invalid: false, description: '' };
  const cell = core.cellOf(row, index, position);
  const level = worstLevel(cell);
  const mine = core.conflicts.get(row.id, column.key);
  const conflict = mine === undefined ? undefined : core.texts.conflict(displayText(column, mine), displayText(column, cell.text));
  return {
    ...base,
    text: label(core, column, cell),
    sent: sentText(core, column, cell),
    classes: marks + levelClass(cell, level, conflict !== undefined) + checkboxClass(column, cell),
    invalid: level === 'error',
    description: cellDescription(core, cell, conflict),
  };
}

function classes(range: Range | null, selected: boolean, active: boolean, row: number, col: number, column: Column): string {
  let made = `ig-cell is-${column.kind}`;
  if (column.readOnly) made += ' is-read-only';
  if (selected && range) {
    made += ' is-selected';
    if (row === range.top) made += ' at-top';
    if (row === range.bottom) made += ' at-bottom';
    if (col === range.left) made += ' at-start';
    if (col === range.right) made += ' at-end';
  }
  return active ? `${made} is-active` : made;
}

function levelClass(cell: Cell & { pending: boolean }, level: Level | null, conflict: boolean): string {
  if (cell.pending) return ' is-pending';
  if (conflict) return ' has-warning';
  if (level) return ` has-${level}`;
  return cell.changed ? ' is-fixed' : '';
}

function checkboxClass(column: Column, cell: Cell): string {
  if (column.kind !== 'checkbox') return '';
  const state = isPlain(cell) ? checkboxState(cell) : null;
  if (state === undefined) return ' is-blank';
  return state === null ? ' is-unclear' : state ? ' is-checked' : ' is-unchecked';
}

/**
 * Reports whether the raw text alone shows how the cell was parsed. If it does not, the
 * cell shows both: a checkbox alone would hide that "nein" was parsed as no.
 */
function isPlain(cell: Cell): boolean {
  return checkboxState({ text: cell.text }) === checkboxState(cell);
}

function label(core: Core, column: Column, cell: Cell): string {
  const { text, value, made } = cell;
  const leads = (to: string) => (text === '' ? to : `${visibleText(displayText(column, text))} ${core.view.rtl ? '←' : '→'} ${to}`);
  if (column.kind === 'checkbox') {
    const state = checkboxState(cell);
    if (state === null || state === undefined) return visibleText(text);
    const word = state ? core.texts.yes : core.texts.no;
    return isPlain(cell) ? word : leads(word);
  }
  return made && value !== undefined ? leads(visibleText(displayText(column, value))) : visibleText(displayText(column, text));
}

/**
 * Returns the value that the result will contain if it looks different from the text, after an arrow. Labels
 * already contain the values of checkboxes and hooks.
 */
function sentText({ view }: Core, column: Column, { text, value, sent = value, made, pending }: Cell & { pending: boolean }): string {
  if (sent === undefined || made || pending || column.kind === 'checkbox') return '';
  const shown = visibleText(displayText(column, sent));
  return shown === visibleText(displayText(column, text)) ? '' : `${view.rtl ? '←' : '→'} ${shown}`;
}

/** Joins the messages of the problems. */
export function problemText(core: Core, problems: readonly Problem[]): string {
  return problems.map((problem) => `${core.texts.level[problem.level]}: ${problem.message}`).join(' ');
}

/** Describes the problems and the conflict of a cell. */
export function cellDescription(core: Core, cell: Cell & { pending: boolean }, conflict: string | undefined): string {
  if (cell.pending) return core.texts.pending;
  const parts = cell.problems.length > 0 ? [problemText(core, cell.problems)] : [];
  if (conflict !== undefined) parts.unshift(conflict);
  if (parts.length === 0 && cell.changed) parts.push(core.texts.changed);
  return parts.join(' ');
}
