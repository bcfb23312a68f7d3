import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Grid, type GridEvent } from '../../grid';
import '../../grid/grid.css';
import { gridTexts } from './grid-texts';
import type { Model } from './model';
import { maxCells } from './edit-plan';

interface Props {
  readonly model: Model;
  readonly onMenu: (x: number, y: number) => void;
  readonly onLong: (event: Extract<GridEvent, { type: 'long' }>) => void;
}

/** The grid, filled with the rows of the model. */
export function Table({ model, onMenu, onLong }: Props) {
  const element = useRef<HTMLDivElement>(null);
  // Measured before new elements are on the page.
  const [room] = useState(() => ({ width: innerWidth, height: innerHeight }));
  const onEvent = useRef((_: GridEvent) => {});
  onEvent.current = (event) => {
    if (event.type === 'menu') onMenu(event.x, event.y);
    else if (event.type === 'long') onLong(event);
    else model.onGridEvent(event);
  };
  // A layout effect makes sure that the first paint includes the first rows.
  useLayoutEffect(() => {
    const { host, t, source } = model;
    const first = source.takeFirst();
    const grid = new Grid(element.current!, {
      source,
      ...(first && { first }),
      columns: model.columns,
      columnMenu: (column) => model.columnMenu(column),
      reveal: (column) => model.reveal(column),
      label: host.facts.title || t('table'),
      number: host.locale.number,
      room,
      texts: gridTexts(t, host.locale),
      maxPaste: maxCells,
      hasMenu: true,
      listen: (event) => onEvent.current(event),
    });
    model.grid = grid;
    return () => {
      model.grid = null;
      grid.destroy();
    };
  }, [model]);
  return <div class="c-grid" ref={element} />;
}
