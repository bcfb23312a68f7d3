import { toCss, luminance, mix, readable, type Rgb } from './colors';

/** The styles of a schema, by group and name. The values may be anything. */
export type Styles = Readonly<Record<string, unknown>>;

/** Parses a CSS color. Returns null if it is invalid. */
export type ReadColor = (text: string) => Rgb | null;

/** Default background and text colors of the page in the light and dark color schemes. */
const grounds: Readonly<Record<Look, Rgb>> = { light: [252, 252, 253], dark: [14, 16, 20] };
const inks: Readonly<Record<Look, Rgb>> = { light: [33, 36, 40], dark: [229, 231, 234] };
export type Look = 'light' | 'dark';

export interface Theme {
  /** Custom properties to set. */
  readonly tokens: Readonly<Record<string, string>>;
  /** The color scheme that the styles require; null to use the user's. */
  readonly look: Look | null;
}

/** Minimum contrast ratio of text, and of lines and icons. */
const text = 4.5;
const sign = 3;

/**
 * Converts the styles of a schema to tokens. Ignores invalid styles, and adjusts
 * colors until they contrast with their background.
 */
export function themeOf(styles: Styles, preferred: Look, color: ReadColor): Theme {
  const value = (group: string, name: string): string => {
    const of = styles[group];
    const found = typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;
    return typeof found === 'string' || typeof found === 'number' ? String(found).trim() : '';
  };
  const read = (group: string, ...names: string[]): Rgb | null => {
    for (const name of names) {
      const found = value(group, name) ? color(value(group, name)) : null;
      if (found) return found;
    }
    return null;
  };
  const ground = read('global', 'backgroundColor');
  const look = ground ? (luminance(ground) > 0.18 ? 'light' : 'dark') : null;
  const used = look ?? preferred;
  const below = ground ?? grounds[used];
  const tokens: Record<string, string> = {};
  const put = (name: string, of: Rgb | null, least: number) => {
    if (of) tokens[name] = toCss(least > 0 ? readable(of, below, least) : of);
  };

  if (ground) Object.assign(tokens, surfaces(ground, used));
  put('--text', read('global', 'textColor'), text);
  put('--quiet', read('global', 'secondaryTextColor'), text);
  put('--good', read('global', 'successColor'), text);
  put('--warning', read('global', 'warningColor') ?? read('errorNavigator', 'warningColor'), text);
  put('--error', read('errorNavigator', 'errorColor'), text);
  put('--line', read('global', 'borderColor'), 0);
  const accent = read('primaryButton', 'backgroundColor') ?? read('dataTable', 'accentColor') ?? read('global', 'primaryTextColor') ?? read('stepperBar', 'currentColor');
  if (accent) Object.assign(tokens, accents(readable(accent, below, text), below, used));
  Object.assign(tokens, button(read('primaryButton', 'backgroundColor'), read('primaryButton', 'textColor')));
  Object.assign(tokens, plainButton(read('secondaryButton', 'backgroundColor'), read('secondaryButton', 'textColor'), below));
  const radius = parseLength(value('global', 'borderRadius'));
  if (radius !== null) Object.assign(tokens, { '--radius': `${Math.min(radius, 16)}px`, '--radius-card': `${Math.min(radius * 1.6, 20)}px` });
  const round = parseLength(value('primaryButton', 'borderRadius'));
  if (round !== null) tokens['--button-radius'] = `${Math.min(round, 16)}px`;
  const family = families(value('global', 'customFontFamily'));
  if (family) tokens['--font'] = `${family}, system-ui, sans-serif`;
  return { tokens, look };
}

/** Derives the surface colors from a background color. */
function surfaces(ground: Rgb, look: Look): Record<string, string> {
  const ink = inks[look];
  return {
    '--ground': toCss(ground),
    '--raised': toCss(mix(ground, [255, 255, 255], look === 'light' ? 0.5 : 0.035)),
    '--sunken': toCss(mix(ground, ink, look === 'light' ? 0.03 : 0.06)),
    '--line': toCss(mix(ground, ink, 0.12)),
    '--line-strong': toCss(readable(mix(ground, ink, 0.45), ground, sign)),
    '--text': toCss(readable(ink, ground, text)),
    '--quiet': toCss(readable(mix(ink, ground, 0.3), ground, text + 0.5)),
  };
}

function accents(accent: Rgb, ground: Rgb, look: Look): Record<string, string> {
  return {
    '--accent': toCss(accent),
    '--accent-tint': toCss(mix(ground, accent, look === 'light' ? 0.1 : 0.18)),
    '--on-accent': toCss(onTop(accent)),
  };
}

/**
 * Sets the colors of the primary button. Its background stays, and its text color is
 * adjusted if necessary.
 */
function button(ground: Rgb | null, ink: Rgb | null): Record<string, string> {
  if (!ground) return {};
  const on = ink ? readable(ink, ground, text) : onTop(ground);
  return { '--button-ground': toCss(ground), '--button-line': toCss(ground), '--button-text': toCss(on) };
}

/** Sets the background of all other buttons, and borders that contrast with the page. */
function plainButton(ground: Rgb | null, ink: Rgb | null, below: Rgb): Record<string, string> {
  if (!ground) return {};
  const on = ink ? readable(ink, ground, text) : onTop(ground);
  return { '--plain-ground': toCss(ground), '--plain-text': toCss(on), '--plain-line': toCss(readable(ground, below, sign)) };
}

function onTop(ground: Rgb): Rgb {
  return readable([255, 255, 255], ground, text);
}

/** Converts a CSS length in px, rem or em to CSS pixels. Returns null if it is invalid. */
export function parseLength(text: string): number | null {
  const found = /^(\d{1,3}(?:\.\d{1,3})?)(px|rem|em)?$/.exec(text);
  if (!found || (!found[2] && Number(found[1]) !== 0 && !/^\d+$/.test(found[1]!))) return null;
  return Number(found[1]) * (found[2] === 'rem' || found[2] === 'em' ? 16 : 1);
}

/** Returns the valid font names of a list. */
function families(text: string): string {
  const names = text.split(',').map((name) => name.trim().replace(/^["']|["']$/g, '')).filter((name) => /^[\p{L}\p{N} _-]{1,60}$/u.test(name));
  return names.slice(0, 5).map((name) => (/^[a-z-]+$/.test(name) ? name : `"${name}"`)).join(', ');
}
