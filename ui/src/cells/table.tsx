import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Grid, type GridEvent } from '../../grid';
import '../../grid/grid.css';
import { isFiltered } from './filter';
import { gridTexts } from './grid-texts';
import type { Model } from './model';
import { maxCells } from './edit-plan';
import type { Key } from './texts';

interface Props {
  readonly model: Model;
  readonly onMenu: (x: number, y: number) => void;
  readonly onLong: (event: Extract<GridEvent, { type: 'long' }>) => void;
}

/** The grid over the rows of the model. */
export function Table({ model, onMenu, onLong }: Props) {
  const element = useRef<HTMLDivElement>(null);
  // Asked for before anything new is on the page.
  const [room] = useState(() => ({ width: innerWidth, height: innerHeight }));
  const hear = useRef((_: GridEvent) => {});
  hear.current = (event) => {
    if (event.type === 'menu') onMenu(event.x, event.y);
    else if (event.type === 'long') onLong(event);
    else model.onGridEvent(event);
  };
  // Before the browser draws: the first rows are in the first picture.
  useLayoutEffect(() => {
    const { host, t, places, source } = model;
    const first = source.takeFirst();
    const narrow = (key: Key) => (isFiltered(model.now.filter) ? t(key) : '');
    const grid = new Grid(element.current!, {
      source,
      ...(first && { first }),
      columns: places.map((place) => place.column),
      label: host.facts.title || t('table'),
      number: host.locale.number,
      room,
      // Where nothing was left out, no filter is the reason.
      texts: { ...gridTexts(t, host.locale), get empty() { return narrow('grid.empty'); }, get emptyHint() { return narrow('grid.emptyHint'); } },
      maxPaste: maxCells,
      hasMenu: true,
      listen: (event) => hear.current(event),
    });
    model.grid = grid;
    return () => {
      model.grid = null;
      grid.destroy();
    };
  }, [model]);
  return <div class="c-grid" ref={element} />;
}
