/**
 * Paths of the icons, each 16 by 16 pixels. Filled icons indicate a state. All others are
 * outlines.
 */
const shapes = {
  error: { fill: 'M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z', mark: 'M8 4.5v4M8 11v.5' },
  warning: { fill: 'M8 1.5a1 1 0 0 1 .87.5l6 10.8a1 1 0 0 1-.87 1.5H2a1 1 0 0 1-.87-1.5l6-10.8A1 1 0 0 1 8 1.5z', mark: 'M8 6v3.5M8 11.8v.4' },
  info: { fill: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z', mark: 'M8 7.5v4M8 4.6v.4' },
  good: { fill: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z', mark: 'M4.8 8.3 7 10.5l4.3-4.8' },
  check: { line: 'm3 8.5 3.5 3.5L13 4.5' },
  close: { line: 'm4 4 8 8M12 4l-8 8' },
  search: { line: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4 14 14' },
  replace: { line: 'M3 5.5h9L9.5 3M13 10.5H4L6.5 13' },
  undo: { line: 'M5.5 3 2.5 6l3 3M3 6h6.5a4 4 0 0 1 0 8H7' },
  redo: { line: 'm10.5 3 3 3-3 3M13 6H6.5a4 4 0 0 0 0 8H9' },
  download: { line: 'M8 2v8M4.5 6.8 8 10.3l3.5-3.5M2.5 13.5h11' },
  upload: { line: 'M8 10.5v-8M4.5 5.7 8 2.2l3.5 3.5M2.5 13.5h11' },
  down: { line: 'm4 6 4 4 4-4' },
  next: { line: 'm6 4 4 4-4 4', turns: true },
  back: { line: 'm10 4-4 4 4 4', turns: true },
  arrow: { line: 'M2.5 8h11M10 4.5 13.5 8 10 11.5', turns: true },
  more: { fill: 'M3 6.7a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6zm5 0a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6zm5 0a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6z' },
  add: { line: 'M8 3v10M3 8h10' },
  remove: { line: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4' },
  clock: { line: 'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM8 4.5V8l2.5 1.8' },
  file: { line: 'M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5' },
  lock: { line: 'M3.5 7.5h9v6.5h-9zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2' },
  offline: { line: 'M2 2l12 12M4.6 8.6a5 5 0 0 1 2.6-1.3M1.8 5.8A9 9 0 0 1 4 4.4M7 3.3a9 9 0 0 1 7.2 2.5M10.4 7.9l1 .7M6.6 11a2.2 2.2 0 0 1 2.6-.2M8 13.4v.2' },
} as const;

export type IconName = keyof typeof shapes;

interface Shape {
  readonly fill?: string;
  readonly mark?: string;
  readonly line?: string;
  readonly turns?: boolean;
}

interface Props {
  readonly name: IconName;
  /** Accessible name; without it, the icon is decorative. */
  readonly label?: string;
  /** Width and height in CSS pixels; 16 by default. */
  readonly size?: number;
}

export function Icon({ name, label, size = 16 }: Props) {
  const shape: Shape = shapes[name];
  const spoken = label ? { role: 'img' as const, 'aria-label': label } : { 'aria-hidden': 'true' as const };
  return (
    <svg class={`k-icon k-icon-${name}${shape.turns ? ' k-turns' : ''}`} viewBox="0 0 16 16" width={size} height={size} focusable="false" {...spoken}>
      {shape.fill && <path d={shape.fill} fill="currentColor" />}
      {shape.mark && <path class="k-icon-mark" d={shape.mark} />}
      {shape.line && <path class="k-icon-line" d={shape.line} />}
    </svg>
  );
}

/** The logo of Intray. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg class="k-logo" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" focusable="false">
      <rect width="16" height="16" rx="3.5" fill="currentColor" />
      <path class="k-logo-line" d="M3.5 8.75V12a.5.5 0 0 0 .5.5h8a.5.5 0 0 0 .5-.5V8.75H10a2 2 0 0 1-4 0zM4.5 5.5h7M4.5 3.5h7" />
    </svg>
  );
}
