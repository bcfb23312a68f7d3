import type { Rgb } from './colors';
import { themeOf, type Styles } from './theme';

/**
 * Applies the styles of a schema, and updates them when the user's color scheme changes.
 * Returns a function that removes the styles.
 */
export function applyTheme(styles: Styles | undefined): () => void {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search).get('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let applied: string[] = [];

  const removeTheme = () => {
    for (const name of applied) root.style.removeProperty(name);
    applied = [];
  };
  const update = () => {
    removeTheme();
    const preferred = asked === 'light' || asked === 'dark' ? asked : dark.matches ? 'dark' : 'light';
    const theme = themeOf(styles ?? {}, preferred, readColor);
    for (const [name, value] of Object.entries(theme.tokens)) root.style.setProperty(name, value);
    applied = Object.keys(theme.tokens);
    const look = theme.look ?? (asked === 'light' || asked === 'dark' ? asked : null);
    if (look) root.dataset.theme = look;
    else delete root.dataset.theme;
  };
  update();
  dark.addEventListener('change', update);
  return () => {
    dark.removeEventListener('change', update);
    removeTheme();
  };
}

/** Parses any CSS color that the browser supports. Returns null if it is invalid or not opaque. */
function readColor(text: string): Rgb | null {
  if (text.length > 60 || !CSS.supports('color', text) || /var\(|currentcolor|inherit|initial|unset|revert/i.test(text)) return null;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  if (!pen) return null;
  pen.fillStyle = text;
  pen.fillRect(0, 0, 1, 1);
  const [r, g, b, alpha] = pen.getImageData(0, 0, 1, 1).data;
  return alpha === 255 ? [r!, g!, b!] : null;
}
