import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Texts } from '../../src/i18n/types';
import { languages } from '../../src/i18n/languages';
import { chooseLocale } from '../../src/i18n/locale';
import { createTranslator } from '../../src/i18n/texts';

test('numbers and plurals formatted without Intl match Intl', () => {
  const numbers = [0, 1, 2, 9, 10, 99, 100, 999, 1000, 1001, 9999, 10_000, 123_456, 1_000_000, 12_345_678, 9_007_199_254_740_991, -1, -999, -1000, -123_456, -1_234_567];
  for (const tag of ['en', 'en-US', 'en-GB', 'en-CA', 'en-AU', 'en-IN', 'de', 'de-DE', 'de-AT', 'de-CH', 'ar', 'ar-EG']) {
    const locale = chooseLocale(tag, []);
    const format = new Intl.NumberFormat(tag), plurals = new Intl.PluralRules(tag);
    const t = createTranslator<string>({ n: Object.fromEntries(plurals.resolvedOptions().pluralCategories.map((form) => [form, form])) }, locale);
    for (const n of [...numbers, 0.5, 1.5, 1234.5, -0, NaN, Infinity, 1e21]) {
      assert.equal(locale.number(n), format.format(n), `${tag}: ${n}`);
      assert.equal(t('n', { n }), plurals.select(n), `${tag}: plural form of ${n}`);
    }
  }
});

/** The catalogues of UI text in src/i18n, with the folders that use them. */
const sets = [
  { name: 'review', sources: ['src/app', 'src/kit', 'src/cells'] },
  { name: 'import', sources: ['src/import', 'src/widget'] },
];
const textsOf = (name: string, language: string): Texts => JSON.parse(readFileSync(`src/i18n/${name}.${language}.json`, 'utf8'));
const sourcesOf = (folders: readonly string[]): string => folders
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((name) => /\.tsx?$/.test(name)).map((name) => readFileSync(name, 'utf8')).join('\n');
const braces = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!).sort();
const forms = (entry: Texts[string]): [string, string][] => (typeof entry === 'string' ? [['only', entry]] : Object.entries(entry ?? {}));

/**
 * Reports whether the source contains a key, or the beginning of the key if the rest comes
 * from the server.
 */
const isUsed = (key: string, text: string): boolean => [`'${key}'`, `"${key}"`, `\`${key.replace(/[^.]*$/, '')}\${`].some((form) => text.includes(form));
/** The form for zero may equal the plural form for other numbers. */
const sameAsOther = 'zero';

for (const { name, sources } of sets) {
  test(`all languages of ${name} have the same keys, and all are used`, () => {
    const english = textsOf(name, 'en');
    const text = sourcesOf(sources);
    assert.ok(Object.keys(english).length > 20);
    for (const language of languages) assert.deepEqual(Object.keys(textsOf(name, language)).sort(), Object.keys(english).sort(), language);
    assert.deepEqual(Object.keys(english).filter((key) => !isUsed(key, text)), [], 'unused');
  });

  test(`each string of ${name} has the required plural forms and placeholders`, () => {
    const english = textsOf(name, 'en');
    for (const language of languages) {
      const needed = new Intl.PluralRules(language.replace('_', '-')).resolvedOptions().pluralCategories;
      for (const [key, entry] of Object.entries(textsOf(name, language))) {
        const where = `${language}: ${key}`;
        assert.equal(typeof entry, typeof english[key], where);
        if (typeof entry !== 'string') assert.deepEqual(Object.keys({ ...entry, [sameAsOther]: '' }).sort(), [...new Set([...needed, sameAsOther])].sort(), where);
        const known = new Set(forms(english[key]!).flatMap(([, sentence]) => braces(sentence)));
        for (const [form, sentence] of forms(entry)) {
          assert.ok(sentence.trim() !== '', where);
          for (const brace of braces(sentence)) assert.ok(known.has(brace), `${where}.${form} has {${brace}}`);
          if (typeof entry === 'string') assert.deepEqual(braces(sentence), [...known].sort(), where);
        }
      }
    }
  });
}

test('the language is the requested one, or the first language of the browser that is supported', () => {
  const cases: [string | null, string[], string, string, string][] = [
    [null, ['de-AT', 'en'], 'de', 'de-AT', 'ltr'],
    [null, ['tlh', 'ar-EG', 'en'], 'ar', 'ar-EG', 'rtl'],
    [null, ['zh-Hant-HK'], 'zh_TW', 'zh-Hant-HK', 'ltr'],
    ['zh_CN', [], 'zh_CN', 'zh-CN', 'ltr'],
    [null, ['nb-NO'], 'no', 'nb-NO', 'ltr'],
    ['fa', [], 'fa', 'fa', 'rtl'],
    ['de', ['en-US'], 'de', 'de', 'ltr'],
    ['de_CH', ['en-US'], 'de', 'de-CH', 'ltr'],
    ['xx', ['en-US'], 'en', 'en-US', 'ltr'],
    ['<b>', [], 'en', 'en', 'ltr'],
    ['de-<script>', [], 'de', 'de', 'ltr'],
    [null, [], 'en', 'en', 'ltr'],
  ];
  for (const [asked, reads, language, tag, direction] of cases) {
    const locale = chooseLocale(asked, reads);
    assert.deepEqual([locale.language, locale.tag, locale.direction], [language, tag, direction], `${asked} ${reads}`);
  }
});

test('numbers are grouped, plural forms are selected, and inserted text is isolated', () => {
  const texts: Texts = { rows: { one: '{n} row', other: '{n} rows' }, file: 'File {name}, {n}' };
  const english = createTranslator<'rows' | 'file'>(texts, chooseLocale('en', []));
  assert.equal(english('rows', { n: 1 }), '1 row');
  assert.equal(english('rows', { n: 48_210 }), '48,210 rows');
  assert.equal(english('file', { name: 'a.csv', n: 3 }), 'File a.csv, 3');
  assert.equal(english('file', { name: '{n}', n: 3 }), 'File {n}, 3');
  assert.equal(english('file', { name: '\u202Egpj.exe', n: 3 }), 'File \u2068\u202Egpj.exe\u2069, 3');
  assert.equal(english('file', { name: 'a\u2069\u202Eb', n: 3 }), 'File \u2068a\u202Eb\u2069, 3');
  const german = createTranslator<'rows' | 'file'>(texts, chooseLocale('de', []));
  assert.equal(german('rows', { n: 48_210 }), '48.210 rows');
});
