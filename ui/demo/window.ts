import type { Grid, GridEvent } from '../grid';
import type { DemoSource } from './source';

declare global {
  interface Window {
    /** The objects of the demo that tests use. */
    demo: { grid: Grid | null; source: DemoSource; events: GridEvent[] };
  }
}
