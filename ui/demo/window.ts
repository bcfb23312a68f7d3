import type { Grid, GridEvent } from '../grid';
import type { DemoSource } from './source';

declare global {
  interface Window {
    /** The parts of the demo, for tests. */
    demo: { grid: Grid | null; source: DemoSource; events: GridEvent[] };
  }
}
