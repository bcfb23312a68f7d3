import { useEffect, useRef } from 'preact/hooks';
import { Grid, type GridConfig } from '../grid';
import '../grid/grid.css';

interface Props extends GridConfig {
  /** Called with the grid when it is created, and with null when it is destroyed. */
  readonly onGrid?: (grid: Grid | null) => void;
}

/**
 * The grid as a component. A new source or label creates a new grid. New columns update the
 * grid.
 */
export function GridView({ onGrid, ...config }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | null>(null);
  const listen = useRef(config.listen);
  listen.current = config.listen;
  const { source, label, locale, texts, columns } = config;
  const given = useRef(columns);

  useEffect(() => {
    const made = new Grid(host.current!, { ...config, listen: (event) => listen.current?.(event) });
    grid.current = made;
    given.current = columns;
    onGrid?.(made);
    return () => {
      onGrid?.(null);
      made.destroy();
    };
  }, [source, label, locale, texts]);

  useEffect(() => {
    if (given.current !== columns) grid.current?.setColumns(columns);
    given.current = columns;
  }, [columns]);

  return <div class="grid-host" ref={host} />;
}
