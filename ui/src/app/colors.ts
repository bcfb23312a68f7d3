/** A color as red, green and blue, each from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Returns the contrast ratio of two colors according to WCAG 2, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance of a color, from 0 to 1. */
export function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const black: Rgb = [0, 0, 0];
const white: Rgb = [255, 255, 255];

/**
 * Moves a color away from the background, just far enough to reach a contrast ratio of at
 * least `least`.
 */
export function readable(color: Rgb, ground: Rgb, least: number): Rgb {
  const towards = luminance(ground) > 0.18 ? black : white;
  for (let part = 0; part < 20; part++) {
    const mixed = mix(color, towards, part / 20);
    if (contrast(mixed, ground) >= least) return mixed;
  }
  return towards;
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return a.map((part, at) => Math.round(part + (b[at]! - part) * share)) as unknown as Rgb;
}

export function toCss([r, g, b]: Rgb): string {
  return `rgb(${r} ${g} ${b})`;
}
