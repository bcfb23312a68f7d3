import type { Locale } from '../i18n/types';
import type { Texts } from '../../grid/texts';
import type { T } from './texts';

/** Returns the grid's UI text in the language of the page. */
export function gridTexts(t: T, locale: Locale): Texts {
  return {
    rowHeader: t('grid.rowHeader'),
    level: { error: t('level.error'), warning: t('level.warning'), info: t('level.info') },
    changed: t('grid.changed'),
    pending: t('grid.pending'),
    yes: t('grid.yes'),
    no: t('grid.no'),
    loading: t('grid.loading'),
    // The step itself explains an empty table.
    empty: '',
    emptyHint: '',
    get lost() {
      return navigator.onLine ? t('lost.title') : t('grid.lost');
    },
    lostHint: t('grid.lostHint'),
    failed: t('grid.failed'),
    retry: t('retry'),
    chooseDate: t('grid.chooseDate'),
    search: t('searchChoices'),
    noChoice: t('noChoice'),
    emptyChoice: t('grid.emptyChoice'),
    menu: menuTexts(t),
    noProblem: t('grid.noProblem'),
    wrapped: { next: t('grid.fromTop'), previous: t('grid.fromBottom') },
    ...sentences(t, locale),
  };
}

function menuTexts(t: T): Texts['menu'] {
  return {
    open: t('grid.menu'), pin: t('grid.pin'), unpin: t('grid.unpin'), wider: t('grid.wider'), narrower: t('grid.narrower'),
    fit: t('grid.fit'), select: t('grid.select'),
  };
}

function sentences(t: T, { number, isolate, list }: Locale) {
  return {
    edit: (column: string) => t('grid.edit', { column }),
    moreChoices: (n: number) => t('moreChoices', { n }),
    selected: (rows: number, cols: number) => t('grid.selected', { rows: t('rows', { n: rows }), columns: t('columns', { n: cols }) }),
    place: (row: number, column: string) => t('grid.place', { row, column }),
    copied: (n: number) => t('grid.copied', { n }),
    copying: (n: number) => t('grid.copying', { n }),
    copyTooMuch: (n: number, most: number) => t('grid.copyTooMuch', { n, most }),
    copyDenied: () => t('grid.copyDenied'),
    changedCells: (n: number) => t('changedCells', { n }),
    leftOut: (rows: number, cols: number) => leftOut(t, list, rows, cols),
    readOnly: (column: string) => t('grid.readOnly', { column }),
    conflict: (mine: string, theirs: string) => t('grid.conflict', { mine, theirs }),
    conflicts: (n: number) => t('grid.conflicts', { n }),
    waiting: (n: number) => t('grid.waiting', { n }),
    width: (column: string, pixels: number) => `${isolate(column)}: ${number(pixels)} px`,
    cannotPaste: () => t('grid.cannotPaste'),
    tooMuch: (n: number, most: number) => t('grid.tooMuch', { n, most }),
    tooLong: (column: string) => t('grid.tooLong', { column }),
    cannotFill: () => t('grid.cannotFill'),
  };
}

function leftOut(t: T, list: Locale['list'], rows: number, cols: number): string {
  const parts = [rows > 0 ? t('rows', { n: rows }) : '', cols > 0 ? t('columns', { n: cols }) : ''].filter(Boolean);
  return t('grid.leftOut', { n: rows + cols, what: list(parts) });
}
