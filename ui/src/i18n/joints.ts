import type { Language } from './languages';

/** How a language joins the elements of a list. */
export interface Joints {
  readonly and: string;
  readonly or: string;
  readonly comma?: string;
  readonly semicolon?: string;
  /** Whether the word is repeated between all elements instead of only before the last. */
  readonly repeated?: boolean;
}

export const joints: Readonly<Record<Language, Joints>> = {
  en: { and: ' and ', or: ' or ' },
  ar: { and: ' و', or: ' أو ', comma: '، ', semicolon: '؛ ', repeated: true },
  bn: { and: ' এবং ', or: ' বা ' },
  cs: { and: ' a ', or: ' nebo ' },
  da: { and: ' og ', or: ' eller ' },
  de: { and: ' und ', or: ' oder ' },
  el: { and: ' και ', or: ' ή ', semicolon: '· ' },
  es: { and: ' y ', or: ' o ' },
  fa: { and: ' و ', or: ' یا ', comma: '، ', semicolon: '؛ ' },
  fi: { and: ' ja ', or: ' tai ' },
  fr: { and: ' et ', or: ' ou ', semicolon: ' ; ' },
  he: { and: ' ו־', or: ' או ' },
  hi: { and: ' और ', or: ' या ' },
  hr: { and: ' i ', or: ' ili ' },
  hu: { and: ' és ', or: ' vagy ' },
  id: { and: ' dan ', or: ' atau ' },
  is: { and: ' og ', or: ' eða ' },
  it: { and: ' e ', or: ' o ' },
  ja: { and: '、', or: 'または', comma: '、', semicolon: '。' },
  ko: { and: ', ', or: ' 또는 ', semicolon: '. ' },
  lt: { and: ' ir ', or: ' arba ' },
  lv: { and: ' un ', or: ' vai ' },
  ms: { and: ' dan ', or: ' atau ' },
  nl: { and: ' en ', or: ' of ' },
  no: { and: ' og ', or: ' eller ' },
  pl: { and: ' i ', or: ' lub ' },
  pt: { and: ' e ', or: ' ou ' },
  ro: { and: ' și ', or: ' sau ' },
  ru: { and: ' и ', or: ' или ' },
  sv: { and: ' och ', or: ' eller ' },
  sw: { and: ' na ', or: ' au ' },
  th: { and: ' และ ', or: ' หรือ ' },
  tr: { and: ' ve ', or: ' veya ' },
  uk: { and: ' і ', or: ' або ' },
  ur: { and: ' اور ', or: ' یا ', comma: '، ', semicolon: '؛ ' },
  vi: { and: ' và ', or: ' hoặc ' },
  zh_CN: { and: '、', or: '或', comma: '、', semicolon: '；' },
  zh_TW: { and: '、', or: '或', comma: '、', semicolon: '；' },
};
