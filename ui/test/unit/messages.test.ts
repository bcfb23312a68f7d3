import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { filesBelow, isCode, treeOf, walk } from '../../scripts/sources.mjs';
import { messageRenderer } from '../../src/i18n/message-renderer';
import type { Locale, Message, MessageCatalogue, Params } from '../../src/i18n/types';
import { languages, type Language } from '../../src/i18n/languages';
import { chooseLocale } from '../../src/i18n/locale';
import { listedAreas, partOf } from '../../scripts/message-parts.mjs';
import { messageText } from '../../src/i18n/messages';

const catalogue = (language: Language): MessageCatalogue => JSON.parse(readFileSync(`../messages/${language}.json`, 'utf8'));
const catalogues = Object.fromEntries(languages.map((language) => [language, catalogue(language)])) as Record<Language, MessageCatalogue>;
/** The languages that have all messages, including those for operators and developers. */
const complete: readonly Language[] = ['en', 'de', 'ar'];
const forms = (entry: MessageCatalogue[string]): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry ?? {}));
/** Returns the placeholders of a sentence, each as its name and list separator. */
const placeholders = (entry: MessageCatalogue[string]): Map<string, string> =>
  new Map(forms(entry).flatMap((text) => [...text.matchAll(/\{([^}]*)\}/g)]).map((found) => found[1]!.split(', ') as [string, string?]).map(([name, joint = '']) => [name, joint]));

/** Returns the locale of a page with loaded messages. */
function localeOf(tag: string, of: MessageCatalogue): Locale {
  const locale = chooseLocale(tag, []);
  locale.renderMessage = messageRenderer(of, locale);
  return locale;
}
const textIn = (tag: string, of: MessageCatalogue) => {
  const locale = localeOf(tag, of);
  return (message: Message): string => messageText({ locale }, message);
};
/** Removes the characters that isolate inserted text. */
const withoutIsolates = (text: string): string => text.replace(/[\u2068\u2069]/g, '');

test('all languages have the same codes and placeholders', () => {
  for (const language of languages) {
    const own = catalogues[language];
    assert.deepEqual(Object.keys(own).sort(), Object.keys(catalogues[complete.includes(language) ? 'en' : 'fr']).sort(), language);
    const known = new Set(new Intl.PluralRules(language.replace('_', '-')).resolvedOptions().pluralCategories).add('zero').add('other');
    for (const [code, entry] of Object.entries(own)) {
      const where = `${language}: ${code}`;
      assert.match(code, /^[a-z][a-z0-9_]*\.[a-z0-9_]+$/, where);
      assert.deepEqual([...placeholders(entry).keys()].sort(), [...placeholders(catalogues.en[code]!).keys()].sort(), where);
      for (const [name, joint] of placeholders(entry)) {
        assert.match(name, /^[a-z][a-z0-9_]*$/i, where);
        assert.ok(['', 'and', 'or', ';'].includes(joint), `${where}: {${name}, ${joint}}`);
      }
      for (const text of forms(entry)) assert.ok(text.trim() !== '', where);
      if (typeof entry === 'string') continue;
      assert.ok(entry.other, `${where} has no form for all other numbers`);
      for (const form of Object.keys(entry)) assert.ok(known.has(form as Intl.LDMLPluralRule), `${where}.${form}`);
    }
  }
});

const sample: MessageCatalogue = {
  'a.plain': 'A sentence.',
  'a.cells': { zero: 'no cell', one: 'one cell', two: 'two cells', few: '{n} of few', many: '{n} of many', other: '{n} cells' },
  'a.rows': { other: '{n} rows' },
  'a.where': 'In "{column}": {cells}.',
  'a.and': '{list, and}',
  'a.or': '{list, or}',
  'a.comma': '{list}',
  'a.clauses': '{list, ;}',
};
const cells = (n: unknown): Message => ({ code: 'a.cells', params: { n } });

test('the number selects the plural form by the rules of the language', () => {
  const of = (tag: string, ...numbers: number[]) => numbers.map((n) => withoutIsolates(textIn(tag, sample)(cells(n))));
  assert.deepEqual(of('en', 0, 1, 2, 1_234_567, -1234), ['0 cells', 'one cell', '2 cells', '1,234,567 cells', '-1,234 cells']);
  assert.deepEqual(of('de', 0, 1, 2, 1_234_567), ['0 cells', 'one cell', '2 cells', '1.234.567 cells']);
  assert.deepEqual(of('ar', 0, 1, 2, 3, 10, 11, 99, 100, 103), ['no cell', 'one cell', 'two cells', '3 of few', '10 of few', '11 of many', '99 of many', '100 cells', '103 of few']);
  for (const tag of languages) assert.equal(textIn(tag, sample)({ code: 'a.rows', params: { n: 1 } }), `${localeOf(tag, sample).number(1)} rows`);
  // A number passed as a string does not select a plural form.
  assert.equal(textIn('en', sample)(cells('1')), '1 cells');
  assert.equal(textIn('en', sample)({ code: 'a.cells' }), ' cells');
});

test('lists are joined by the rules of the language', () => {
  const of = (tag: string, code: string, ...list: unknown[]) => withoutIsolates(textIn(tag, sample)({ code, params: { list } }));
  assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((list) => of('en', 'a.and', ...list)), ['', 'a', 'a and b', 'a, b and c']);
  assert.deepEqual([of('de', 'a.and', 'a', 'b', 'c'), of('de', 'a.or', 'a', 'b', 'c'), of('de', 'a.comma', 'a', 'b'), of('de', 'a.clauses', 'a', 'b')], ['a, b und c', 'a, b oder c', 'a, b', 'a; b']);
  assert.deepEqual([of('ar', 'a.and', 'a', 'b', 'c'), of('ar', 'a.or', 'a', 'b', 'c'), of('ar', 'a.comma', 'a', 'b'), of('ar', 'a.clauses', 'a', 'b')], ['a وb وc', 'a أو b أو c', 'a، b', 'a؛ b']);
  assert.equal(of('en', 'a.or', cells(1), cells(2), { text: 'c' }), 'one cell, 2 cells or c');
});

test('nested messages are rendered up to a limit', () => {
  const text = textIn('en', sample);
  assert.equal(text({ code: 'a.where', params: { column: 'a', cells: cells(2) } }), 'In "a": 2 cells.');
  assert.equal(text({ code: 'a.where', params: { column: { text: '{n}' }, cells: 'x' } }), 'In "{n}": x.');
  assert.equal(text({ code: 'a.where' }), 'In "": .');
  const nested = (depth: number): Message => (depth === 0 ? { code: 'a.plain' } : { code: 'a.and', params: { list: [nested(depth - 1)] } });
  assert.equal(text(nested(16)), 'A sentence.');
  assert.equal(text({ ...nested(17), text: 'English' }), 'English');
});

test('inserted text is isolated and has no control characters', () => {
  const where = (column: unknown): Message => ({ code: 'a.where', params: { column, cells: cells(3) } });
  assert.equal(textIn('en', sample)(where('a{b}\n\u0000')), 'In "a{b}  ": 3 cells.');
  assert.equal(textIn('en', sample)(where('\u202Egpj.exe')), 'In "\u2068\u202Egpj.exe\u2069": 3 cells.');
  assert.equal(textIn('de', sample)(where({ text: 'a\u2069\u202Eb' })), 'In "\u2068a\u202Eb\u2069": 3 cells.');
  // Text from the file is isolated, but the words of the message are not.
  assert.equal(textIn('ar', sample)(where('a')), 'In "\u2068a\u2069": 3 of few.');
});

test('a message that cannot be rendered keeps its English sentence', () => {
  const text = textIn('de', sample);
  const english = 'The sentence of a later service.';
  assert.equal(text({ code: 'a.of_a_later_service', params: {}, text: english }), english);
  assert.equal(text({ code: 'a.where', params: { column: 'a', cells: { code: 'a.of_a_later_service' } }, text: english }), english);
  assert.equal(text({ code: 'a.and', params: { list: ['a', { code: 'a.of_a_later_service' }] }, text: english }), english);
  for (const code of ['constructor', '__proto__', 'toString', '']) assert.equal(text({ code, text: english }), english);
  assert.equal(text({ code: 'a.where', params: JSON.parse('{"column": true, "cells": null}'), text: english }), 'In "": .');
  // Text written by an organization has no code.
  assert.equal(text({ text: 'A sentence.' }), 'A sentence.');
  assert.equal(messageText({ locale: chooseLocale('de', []) }, { code: 'a.plain', text: english }), english);
});

const field = (name: string) => ({ code: 'text.quoted', params: { text: name } });
const is = (name: string, value: string) => ({ code: 'required.field_is', params: { field: name, value } });
const germanCases: [code: string, params: Params, german: string][] = [
  ['required.empty', {}, 'Pflichtfeld. Geben Sie einen Wert ein.'],
  ['length.maximum', { n: 1 }, 'Geben Sie höchstens 1 Zeichen ein.'],
  ['length.range', { minimum: 2, n: 1000 }, 'Geben Sie 2 bis 1.000 Zeichen ein.'],
  ['required.if_any_filled', { fields: [field('A "b"'), field('C')] }, 'Pflichtfeld, wenn „A "b"“ oder „C“ ausgefüllt ist. Geben Sie einen Wert ein.'],
  ['required.if_all_empty', { fields: [field('A'), field('C')] }, 'Pflichtfeld, wenn „A“ und „C“ leer sind. Geben Sie einen Wert ein.'],
  ['required.if_any_value', { conditions: [is('A', 'x'), is('B', 'y')] }, 'Pflichtfeld, wenn „A“ gleich „x“ ist oder „B“ gleich „y“ ist. Geben Sie einen Wert ein.'],
  ['number.too_large', { maximum: '12345678901234567890.5' }, 'Geben Sie eine Zahl ein, die höchstens 12345678901234567890.5 ist.'],
  ['select.not_listed_more', { options: ['a', 'b'], n: 12 }, 'Wählen Sie einen dieser Werte: a, b und 12 weitere.'],
  ['select.mapped', { option: 'Müller & Söhne' }, 'Gelesen als „Müller & Söhne“.'],
  ['phone.too_short_for_country', { country: { code: 'phone.of_country', params: { country: 'DE', code: '+49' } } }, 'Diese Telefonnummer für DE (+49) ist zu kurz. Ergänzen Sie die fehlenden Ziffern, zum Beispiel die Ortsvorwahl.'],
  ['row.wrong_cell_count', { cells: { code: 'count.cells', params: { n: 3 } }, columns: { code: 'count.columns', params: { n: 1 } } }, 'Diese Zeile hat 3 Zellen, die Kopfzeile aber 1 Spalte.'],
  ['date.question', { examples: ['01/02/2020', '03/04/2020'], reason: { code: 'date.cells_undecided', params: { n: 1200 } } },
    'Daten wie 01/02/2020 und 03/04/2020 lassen sich unterschiedlich lesen: nichts in der Spalte zeigt, was richtig ist (1.200 Zellen).'],
  ['question.header_row', { value: '3', reason: { code: 'list.clauses', params: { list: [{ code: 'header.text_above_values', params: { count: 2, total: 3 } }, { text: 'a custom text' }] } } },
    'Es ist unklar, welche Zeile die Kopfzeile ist. Am wahrscheinlichsten ist Zeile 3: in 2 von 3 Spalten ist sie Text über Werten eines anderen Typs; a custom text. Wählen Sie eine.'],
  ['encoding.words', { n: 12, language: { code: 'language.de' }, encoding: 'windows-1252' }, '12 verschiedene Wörter mit Zeichen außerhalb von ASCII lesen sich am besten als Deutsch in windows-1252'],
];

test('messages of the server are rendered in German and Arabic', () => {
  const [german, arabic] = [textIn('de', catalogues.de), textIn('ar', catalogues.ar)];
  for (const [code, params, text] of germanCases) {
    assert.equal(german({ code, params }), text);
    assert.match(arabic({ code, params }), /\p{Script=Arabic}/u, code);
  }
});

/** Returns parameters for all placeholders of a sentence. */
function paramsFor(entry: MessageCatalogue[string], n: number): Params {
  return Object.fromEntries([...placeholders(entry)].map(([name, joint]) => [name, name === 'n' ? n : joint ? ['one', { text: 'two' }, 'three'] : `a ${name}`]));
}

test('translations do not depend on the English wording', () => {
  const rewritten: MessageCatalogue = Object.fromEntries(Object.entries(catalogues.en).map(([code, entry]) => [code, `Rewritten ${[...placeholders(entry).keys()].reverse().map((name) => `{${name}}`).join(' ')}`]));
  const [before, after] = [textIn('en', catalogues.en), textIn('en', rewritten)];
  for (const language of ['de', 'ar'] as const) {
    const text = textIn(language, catalogues[language]);
    for (const [code, entry] of Object.entries(catalogues.en)) {
      for (const n of [0, 1, 2, 3, 11, 100]) {
        const message = { code, params: paramsFor(entry, n) };
        const [first, second] = [before(message), after(message)];
        assert.notEqual(first, second, code);
        const translated = text({ ...message, text: first });
        assert.equal(text({ ...message, text: second }), translated, `${language}: ${code}`);
        assert.equal(text(message), translated, `${language}: ${code}`);
        assert.doesNotMatch(translated, /[{}]/, `${language}: ${code}`);
      }
    }
  }
});

/** Returns all string and regular expression literals in the code of the pages. */
function literals(): string {
  const found: string[] = [];
  for (const file of filesBelow('src').filter(isCode)) {
    walk(treeOf(file), ({ type, value, regex }) => {
      if (type === 'TemplateElement') found.push(value.raw);
      else if (type === 'Literal' || type === 'JSXText') found.push(regex?.pattern ?? String(value));
    });
  }
  return found.join('\n');
}

test('the pages contain no part of an English message of the server', () => {
  const parts = Object.values(catalogues.en).flatMap(forms).flatMap((text) => text.split(/\{[^}]*\}|"/)).map((part) => part.trim());
  const code = literals();
  assert.ok(code.length > 20_000);
  assert.deepEqual([...new Set(parts)].filter((part) => part.split(' ').length > 2 && code.includes(part)), []);
});

test('the parts of a catalogue have all messages that pages show', () => {
  const codes = Object.keys(catalogues.en);
  const areaOf = (code: string) => code.split('.')[0]!;
  for (const area of listedAreas) assert.ok(codes.some((code) => areaOf(code) === area), `no message is in the area ${area}`);
  // Pages in all other languages load only these parts.
  for (const code of Object.keys(catalogues.fr)) assert.ok(['cells', 'files'].includes(partOf(code)!), code);
});
