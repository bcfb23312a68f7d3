import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, readable, type Rgb } from '../../src/app/colors';
import { parseLength, themeOf } from '../../src/app/theme';

/** Parses #rrggbb. Replaces the browser's parser of CSS colors. */
const hex = (text: string): Rgb | null => {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  return found ? [parseInt(found[1]!, 16), parseInt(found[2]!, 16), parseInt(found[3]!, 16)] : null;
};
const rgb = (text: string | undefined): Rgb => (text ?? '').match(/\d+/g)!.map(Number) as unknown as Rgb;

test('valid styles become tokens, and invalid ones are ignored', () => {
  const { tokens, look } = themeOf({
    global: { textColor: '#222222', borderRadius: '4px', customFontFamily: 'Inter, "Source Sans", url(x), </style>', backdropBlur: true, backgroundColor: 'url(javascript:1)' },
    primaryButton: { backgroundColor: '#0a7d33', textColor: '#ffffff', borderRadius: 12, padding: '1px' },
    stepperBar: 'nonsense', dataTable: null, unknown: { anything: '#ff0000' },
  }, 'light', hex);
  assert.equal(look, null);
  assert.deepEqual(tokens, {
    '--text': 'rgb(34 34 34)', '--accent': 'rgb(10 125 51)', '--accent-tint': 'rgb(228 239 233)', '--on-accent': 'rgb(255 255 255)',
    '--button-ground': 'rgb(10 125 51)', '--button-line': 'rgb(10 125 51)', '--button-text': 'rgb(255 255 255)',
    '--radius': '4px', '--radius-card': '6.4px', '--button-radius': '12px', '--font': '"Inter", "Source Sans", system-ui, sans-serif',
  });
  assert.deepEqual(themeOf({}, 'dark', hex), { tokens: {}, look: null });
});

test('unreadable colors are adjusted until they have enough contrast', () => {
  const adjusted = themeOf({ global: { textColor: '#eeeeee' }, primaryButton: { backgroundColor: '#ffff00', textColor: '#ffffff' } }, 'light', hex).tokens;
  const light: Rgb = [252, 252, 253];
  assert.ok(contrast(rgb(adjusted['--text']), light) >= 4.5);
  assert.ok(contrast(rgb(adjusted['--accent']), light) >= 4.5);
  assert.ok(contrast(rgb(adjusted['--on-accent']), rgb(adjusted['--accent'])) >= 4.5);
  assert.equal(adjusted['--button-ground'], 'rgb(255 255 0)');
  assert.ok(contrast(rgb(adjusted['--button-text']), [255, 255, 0]) >= 4.5);
  const night = themeOf({ primaryButton: { backgroundColor: '#000080' } }, 'dark', hex).tokens;
  assert.ok(contrast(rgb(night['--accent']), [14, 16, 20]) >= 4.5);
});

test('a background color selects the color scheme and adjusts the text colors', () => {
  for (const [ground, look] of [['#fff8e7', 'light'], ['#101820', 'dark'], ['#808080', 'light']] as const) {
    const theme = themeOf({ global: { backgroundColor: ground } }, look === 'light' ? 'dark' : 'light', hex);
    assert.equal(theme.look, look, ground);
    for (const name of ['--text', '--quiet']) assert.ok(contrast(rgb(theme.tokens[name]), hex(ground)!) >= 4.5, `${name} on ${ground}`);
    assert.ok(contrast(rgb(theme.tokens['--line-strong']), hex(ground)!) >= 3, ground);
  }
});

test('a readable color is not changed', () => {
  assert.deepEqual(readable([10, 20, 30], [255, 255, 255], 4.5), [10, 20, 30]);
  assert.equal(Math.round(contrast([0, 0, 0], [255, 255, 255])), 21);
});

test('secondary buttons have their own colors', () => {
  const { tokens } = themeOf({ secondaryButton: { backgroundColor: '#f0e0ff', textColor: '#e0d0ff' } }, 'light', hex);
  const ground = hex('#f0e0ff')!;
  assert.equal(tokens['--plain-ground'], 'rgb(240 224 255)');
  assert.ok(contrast(rgb(tokens['--plain-text']), ground) >= 4.5);
  assert.ok(contrast(rgb(tokens['--plain-line']), [252, 252, 253]) >= 3);
});

test('only simple CSS lengths are accepted', () => {
  const cases: [string, number | null][] = [['4px', 4], ['0', 0], ['8', 8], ['0.5rem', 8], ['1.25em', 20], ['', null], ['-4px', null], ['50%', null], ['calc(1px)', null], ['9999px', null], ['4px; color: red', null]];
  for (const [text, pixels] of cases) assert.equal(parseLength(text), pixels, text);
});
