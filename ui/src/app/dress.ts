import type { Rgb } from './colours';
import { themeOf, type Styles } from './theme';

/**
 * Gives the page the looks that a schema asks for, and keeps them right when the
 * person's own preference changes. What is given back takes them off.
 */
export function dress(styles: Styles | undefined): () => void {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search).get('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let worn: string[] = [];

  const undress = () => {
    for (const name of worn) root.style.removeProperty(name);
    worn = [];
  };
  const put = () => {
    undress();
    const preferred = asked === 'light' || asked === 'dark' ? asked : dark.matches ? 'dark' : 'light';
    const theme = themeOf(styles ?? {}, preferred, readColour);
    for (const [name, value] of Object.entries(theme.tokens)) root.style.setProperty(name, value);
    worn = Object.keys(theme.tokens);
    const look = theme.look ?? (asked === 'light' || asked === 'dark' ? asked : null);
    if (look) root.dataset.theme = look;
    else delete root.dataset.theme;
  };
  put();
  dark.addEventListener('change', put);
  return () => {
    dark.removeEventListener('change', put);
    undress();
  };
}

/** Lets the browser read a colour: whatever CSS knows, but not what is partly seen through. */
function readColour(text: string): Rgb | null {
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
