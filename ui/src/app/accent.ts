import type { Styles } from './theme';

/** Adds the accent color of a page to the styles of its schema, which take precedence. */
export function withAccent(styles: Styles, accentColor: string): Styles {
  if (!accentColor) return styles;
  const own = styles.primaryButton;
  return { ...styles, primaryButton: { backgroundColor: accentColor, ...(typeof own === 'object' && own !== null ? own : {}) } };
}
