import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Grid, type GridEvent } from '../../grid';
import '../../grid/grid.css';
import { isNarrow } from './filter';
import { gridTexts } from './grid-words';
import type { Model } from './model';
import { mostCells } from './plan';
import type { Key } from './words';

interface Props {
  readonly model: Model;
  readonly onMenu: (x: number, y: number) => void;
  readonly onLong: (event: Extract<GridEvent, { type: 'long' }>) => void;
}

/** The grid over the rows of the model. */
export function Table({ model, onMenu, onLong }: Props) {
  const host = useRef<HTMLDivElement>(null);
  // Asked for before anything new is on the page.
  const [room] = useState(() => ({ width: innerWidth, height: innerHeight }));
  const hear = useRef((_: GridEvent) => {});
  hear.current = (event) => {
    if (event.type === 'menu') onMenu(event.x, event.y);
    else if (event.type === 'long') onLong(event);
    else model.hear(event);
  };
  // Before the browser draws: the first rows are in the first picture.
  useLayoutEffect(() => {
    const { frame, t, places, source } = model;
    const first = source.takeFirst();
    const narrow = (key: Key) => (isNarrow(model.now.filter) ? t(key) : '');
    const grid = new Grid(host.current!, {
      source,
      ...(first && { first }),
      columns: places.map((place) => place.column),
      label: frame.facts.title || t('table'),
      number: frame.locale.number,
      room,
      // Where nothing was left out, no filter is to blame.
      texts: { ...gridTexts(t, frame.locale), get empty() { return narrow('grid.empty'); }, get emptyHint() { return narrow('grid.emptyHint'); } },
      mostPasted: mostCells,
      hasMenu: true,
      listen: (event) => hear.current(event),
    });
    model.grid = grid;
    return () => {
      model.grid = null;
      grid.destroy();
    };
  }, [model]);
  return <div class="c-grid" ref={host} />;
}
