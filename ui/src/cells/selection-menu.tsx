import { useMemo } from 'preact/hooks';
import { Menu, type MenuItem } from '../kit';
import type { OpenDialog } from './dialogs/props';
import { keys } from './shortcuts';
import type { Model } from './model';
import type { EditSpec } from './selection-scope';
import { isUntidy } from './whitespace';

/** Maximum number of rows examined to decide which menu items are enabled. */
const mostLooked = 1000;

interface Props {
  readonly model: Model;
  readonly at: { readonly x: number; readonly y: number };
  readonly onClose: () => void;
  readonly onOpen: (open: OpenDialog) => void;
}

/** The context menu of the selection. */
export default function SelectionMenu({ model, at, onClose, onOpen }: Props) {
  // The menu returns the focus here.
  const anchor = useMemo(() => ({ current: document.activeElement as HTMLElement | null }), []);
  return <Menu anchor={anchor} at={at} label={model.t('menu')} items={itemsOf(model, onOpen)} onClose={onClose} />;
}

function itemsOf(model: Model, onOpen: (open: OpenDialog) => void): MenuItem[] {
  const { t } = model;
  const selected = model.selected();
  if (!selected) return [];
  const { where, keys: fields, rows } = selected;
  const closed = fields.length === 0;
  const { forbids } = model.host;
  const untidy = rows > mostLooked || model.areaHas(isUntidy);
  const change = (edit: EditSpec) => () => model.applyEdit({ ...edit, where, keys: fields }, ({ cells }) => (cells === 0 ? t('nothingChanged') : t('changedCells', { n: cells })));
  return [
    { label: t('menu.copy'), keys: keys.copy, onSelect: () => document.execCommand('copy') },
    { label: t('menu.clear'), keys: 'Del', disabled: closed, onSelect: () => model.grid?.clear() },
    { label: t('menu.fill'), keys: keys.fill, disabled: closed || rows < 2, onSelect: () => model.grid?.fillDown() },
    { label: t('menu.trim'), apart: true, disabled: closed || !untidy, onSelect: change({ kind: 'trim', inner: true }) },
    { label: t('menu.upper'), disabled: closed, onSelect: change({ kind: 'case', to: 'upper' }) },
    { label: t('menu.lower'), disabled: closed, onSelect: change({ kind: 'case', to: 'lower' }) },
    { label: t('menu.title'), disabled: closed, onSelect: change({ kind: 'case', to: 'title' }) },
    ...shows(model),
    ...(fields.length === 1 ? [{ label: t('menu.values', { column: model.places.find((one) => one.key === fields[0])!.label }), apart: true, onSelect: () => onOpen({ kind: 'fixer', key: fields[0]! }) }] : []),
    ...(forbids?.adding ? [] : [{ label: t('add.one'), icon: 'add' as const, apart: true, onSelect: () => model.addRow() }]),
    ...(forbids?.removing ? [] : [{
      label: t('menu.delete', { n: rows }), icon: 'remove' as const,
      onSelect: () => {
        if (rows > 1) onOpen({ kind: 'delete', where, rows, first: model.firstSelected() });
        else model.deleteRows({ kind: 'delete', where });
      },
    }]),
  ];
}

/** Returns the item that shows only the rows with the value of the selected cell, if exactly one cell is selected. */
function shows(model: Model): MenuItem[] {
  const { t, now: { area, wanted } } = model;
  const [column, ...others] = area?.columns ?? [];
  const cell = area && column !== undefined && others.length === 0 && area.toRow - area.fromRow === 1 ? model.cell(area.fromRow, column) : undefined;
  if (!cell || cell.cut || cell.text === '') return [];
  return [{ label: t('values.show'), apart: true, onSelect: () => void model.filterBy({ show: wanted.show, search: cell.text, whole: true, in: model.place(column!)!.key }) }];
}
