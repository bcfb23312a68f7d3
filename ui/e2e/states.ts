import type { Person } from './person';
import { contacts, fields } from './contacts';
import type { Made, Order, Service } from './service';
import type { Environment } from './environment';

/** The kinds of imports that the states need. */
export type Kind = 'full' | 'sent' | 'calm' | 'columns' | 'dates' | 'sheets' | 'header' | 'leave' | 'done' | 'failed' | 'awaiting' | 'gone';

/** A state of the page. Selectors do not depend on the language. */
export interface State {
  readonly name: string;
  readonly of: Kind;
  /** Whether the state does not exist in the cards layout. */
  readonly wide?: true;
  /** Whether the link has no token, as after a session has expired. */
  readonly expired?: true;
  /** Whether the state changes the import for other users. Such states come last. */
  readonly permanent?: true;
  readonly act?: (person: Person, environment: Environment, made: Made) => Promise<unknown>;
}

const few = fields.map((field) => (field.key === 'email' || field.key === 'name' ? { ...field, requireMapping: true } : field));
const good = contacts(1200).replaceAll('exa mple', 'example').replaceAll(/Germny|Absurdistan/g, 'DE');

const orders: Readonly<Record<Exclude<Kind, 'gone'>, Order>> = {
  full: { fields, filename: 'kunden_export.csv', file: contacts(48_210) },
  sent: { fields, filename: 'kunden.csv', file: 'Name;E-mail;Country;Born;Status;Revenue\n' + Array.from({ length: 24 }, (_, n) => `Anna Weiß ${n};a${n}@${n === 3 ? 'exa mple' : 'example'}.org;${['Holland', 'Deutschland', 'FR', 'U.S.', 'Schweiz'][n % 5]};${10 + n}.0${1 + (n % 9)}.1990;${n % 2 ? 'ACTIVE' : 'inactive'};1.${200 + n},50\n`).join('') },
  calm: { fields, file: good.replace('p0@example.org', 'p0') },
  columns: { fields: few, file: 'Name,Mail,Mail,Nation,Born,State,Income,Fax,Remarks\n' + Array.from({ length: 30 }, (_, n) => `Anna Weiß ${n},a${n}@example.org,b${n}@example.org,DE,1990-02-${10 + (n % 15)},Active,${n * 12},${n},none\n`).join('') },
  dates: { fields, file: 'Name,E-mail,Country,Born,Status,Revenue\n' + Array.from({ length: 30 }, (_, n) => `Anna Weiß ${n},a${n}@example.org,DE,0${1 + (n % 9)}/0${1 + ((n * 7) % 9)}/1990,Active,"1,${200 + n}"\n`).join('') },
  sheets: { fields, filename: 'customers.xml', file: workbook(['Customers 2025', 'Customers 2026']) },
  header: { fields: [{ key: 'a', label: 'Product' }, { key: 'b', label: 'Region' }, { key: 'c', label: 'Manager' }], filename: 'regions.csv', file: 'North,South,West\nProduct A,Hall 1,Miller\nProduct B,Hall 2,Smith\nProduct C,Hall 4,Jones\n' },
  leave: { fields, file: contacts(600), settings: { invalidDataBehavior: 'REMOVE_INVALID_ROWS' }, hooks: { beforeFinishCallback: 'function () { return { cancel: true, message: "The shop takes no more contacts today. Try again tomorrow." } }' } },
  done: { fields, file: good },
  failed: { fields, filename: 'photo.xlsx', file: new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8]) },
  awaiting: { fields, file: '' },
};

/**
 * Returns an Excel 2003 XML workbook with a sheet for each name. All sheets are equally
 * good candidates.
 */
export function workbook(names: readonly string[]): string {
  const cell = (text: string) => `<Cell><Data ss:Type="String">${escaped(text)}</Data></Cell>`;
  const row = (texts: readonly string[]) => `<Row>${texts.map(cell).join('')}</Row>`;
  const rows = [['Name', 'E-mail', 'Country', 'Born', 'Status', 'Revenue'], ...Array.from({ length: 12 }, (_, n) => [`Anna Weiß ${n}`, `a${n}@example.org`, 'DE', '1990-02-11', 'Active', `${n}`])];
  const sheets = names.map((name) => `<Worksheet ss:Name="${escaped(name)}"><Table>${rows.map(row).join('')}</Table></Worksheet>`).join('');
  return `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">${sheets}</Workbook>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Creates an import of each kind when one is first needed. */
export class Imports {
  readonly #service: Service;
  readonly #made = new Map<Kind, Promise<Made>>();

  constructor(service: Service) {
    this.#service = service;
  }

  of(kind: Kind): Promise<Made> {
    const made = this.#made.get(kind) ?? this.#make(kind);
    this.#made.set(kind, made);
    return made;
  }

  async #make(kind: Kind): Promise<Made> {
    if (kind === 'gone') {
      const other = await this.of('calm');
      return { ...other, review_url: other.review_url.replace(other.id, '0f8fad5b-d9cb-469f-a165-70867728950e') };
    }
    const order = orders[kind];
    if (kind === 'awaiting') return this.#service.begin(order);
    return this.#service.make(order);
  }
}

/** Brings the page into a state. */
export async function reach(state: State, person: Person, environment: Environment, made: Made): Promise<void> {
  await state.act?.(person, environment, made);
  // Wait for fade-ins, because axe would otherwise check the colors during the fade.
  await person.page.waitForTimeout(250);
}

const problems = async ({ page }: Person) => {
  if (!(await page.locator('.c-panel').isVisible())) await page.locator('.c-panel-button').click();
  await page.locator('.c-values:not(.is-loading)').first().waitFor();
};
const fixed = async (person: Person) => {
  await problems(person);
  await person.page.locator('.c-panel .c-fix').first().click();
  await person.page.locator('.c-outcome .c-link').waitFor();
  // On a phone, the panel covers the table, which shows the columns of the next problem by then.
  if (!(await person.page.locator('.c-panel.is-sheet').isVisible())) await person.page.locator('.ig-cell.is-fixed').first().waitFor({ state: 'attached' });
};
/** Closes the panel if it covers the table. */
const closePanelSheet = async ({ page }: Person) => {
  const close = page.locator('.c-panel.is-sheet .c-panel-head button');
  if (await close.isVisible()) await close.click();
};
const more = ({ page }: Person) => page.locator('.c-bar [aria-haspopup=menu]').click();

/** All states, ordered so that one page can show all states of one import in turn. */
export const states: readonly State[] = [
  { name: 'cells', of: 'full' },
  { name: 'problem', of: 'full', act: async (person) => {
    await person.press('Alt+ArrowDown');
    await person.page.locator('.ig-cell.is-active.has-error').waitFor({ state: 'attached' });
  } },
  { name: 'group', of: 'full', act: async (person) => {
    await problems(person);
    await person.page.locator('.c-group-head').first().click();
    await person.page.locator('.c-chip').waitFor();
  } },
  { name: 'chooser', of: 'full', act: async (person) => {
    await problems(person);
    await person.page.locator('.c-panel :is(.c-choose, .c-other)').last().click();
    await person.page.locator('.c-chooser').waitFor();
  } },
  { name: 'menu-of-selection', of: 'full', wide: true, act: async (person) => {
    await person.cell(1, 0).click();
    await person.cell(4, 2).click({ modifiers: ['Shift'] });
    await person.cell(3, 1).click({ button: 'right' });
  } },
  { name: 'menu-of-bar', of: 'full', act: more },
  { name: 'replace', of: 'full', act: async (person) => {
    await person.press('Control+h');
    await person.page.locator('.c-replace input').first().fill('exa mple');
    await person.page.locator('.c-replace input').nth(1).fill('example');
    await person.page.locator('.c-samples').waitFor();
  } },
  { name: 'all-values', of: 'full', act: async (person) => {
    await problems(person);
    await person.page.locator('.c-group-actions .k-button:not(.c-delete)').last().click();
    await person.page.locator('.c-line').first().waitFor();
  } },
  { name: 'upload', of: 'full', act: async (person) => {
    await more(person);
    await person.page.locator('[role=menuitem]').nth(2).click();
    await person.page.locator('.c-drop').waitFor();
  } },
  { name: 'go-to-row', of: 'full', act: (person) => person.press('Control+g') },
  { name: 'columns-decided', of: 'full', act: async ({ page }) => {
    await page.locator('.rail-step').nth(1).click();
    await page.locator('.column-line').first().waitFor();
  } },
  { name: 'columns-added', of: 'full', act: async ({ page }) => {
    await page.locator('.rail-step').nth(1).click();
    await page.locator('.column-add button').click();
    await page.locator('.derive .k-select').first().click();
    await page.locator('[role=option]').nth(2).click();
    await page.locator('.derive-preview td').first().waitFor();
  } },
  { name: 'columns-dates', of: 'full', act: async ({ page }) => {
    const choose = async (select: number, option: number) => {
      await page.locator('.derive .k-select').nth(select).click();
      await page.locator('[role=option]').nth(option).click();
    };
    await page.locator('.rail-step').nth(1).click();
    await page.locator('.column-add button').click();
    await choose(0, 3);
    await choose(1, 3);
    await choose(2, 2);
    await choose(3, 0);
    await page.locator('.derive-preview td').first().waitFor();
    await page.locator('.derive-preview').scrollIntoViewIfNeeded();
  } },
  { name: 'values', of: 'full', act: async ({ page }) => {
    await page.locator('.rail-step').nth(2).click();
    await page.locator('.c-line').first().waitFor();
    await page.locator('.c-line .c-fix').first().click();
  } },
  { name: 'values-sent', of: 'sent' },
  { name: 'column-menu', of: 'full', wide: true, act: async ({ page }) => {
    const open = () => page.locator('.ig-head-cell').nth(3).locator('.ig-menu-button').click({ force: true });
    await open();
    await page.locator('.ig-menu-item').nth(1).click();
    await page.locator('.ig-head-cell[aria-sort]').waitFor();
    await open();
  } },
  { name: 'blocked', of: 'full', act: async ({ page }) => {
    await page.locator('.fix-continue').click();
    await page.locator('.confirm-counts').waitFor();
  } },
  { name: 'search-without-answer', of: 'full', act: async (person) => {
    await person.press('Control+f');
    await person.page.keyboard.type('nobody at all');
    await person.page.locator('.ig-sign.is-empty').first().waitFor({ state: 'attached' });
  } },
  { name: 'columns', of: 'columns', act: ({ page }) => page.locator('.card').first().waitFor() },
  { name: 'dates', of: 'dates', act: ({ page }) => page.locator('.card').first().waitFor() },
  { name: 'sheets', of: 'sheets', act: ({ page }) => page.locator('.top-table').waitFor() },
  { name: 'header', of: 'header', act: ({ page }) => page.locator('.top-table').waitFor() },
  { name: 'table', of: 'full', act: async ({ page }) => {
    await page.locator('.rail-step').first().click();
    await page.locator('.top-table').waitFor();
  } },
  { name: 'submit-leaving-out', of: 'leave', act: async ({ page }) => {
    await page.locator('.fix-continue').click();
    await page.locator('.confirm-counts').waitFor();
  } },
  { name: 'done', of: 'done' },
  { name: 'failed', of: 'failed' },
  { name: 'awaiting', of: 'awaiting' },
  { name: 'not-found', of: 'gone' },
  { name: 'expired', of: 'calm', expired: true },
  { name: 'nothing-wrong', of: 'calm', permanent: true, act: async (person) => {
    if (await person.cell(0, 1).isVisible()) {
      await person.type(0, 1, 'p0@example.org');
      await person.waitUntilSaved();
    }
  } },
  { name: 'corrections', of: 'full', permanent: true, act: fixed },
  { name: 'conflict', of: 'full', wide: true, permanent: true, act: async (person, environment, made) => {
    await closePanelSheet(person);
    const other = await environment.person(made);
    await person.cell(1, 0).dblclick();
    await person.press('Control+a');
    await person.page.keyboard.type('Written here');
    await other.type(1, 0, `Written elsewhere ${Date.now() % 1000}`);
    await other.waitUntilSaved();
    await other.closeAndCheck();
    await person.press('Enter');
    await person.page.locator('.c-conflicts').waitFor();
  } },
  { name: 'offline', of: 'full', wide: true, permanent: true, act: async (person) => {
    // In a low window, the conflict of the previous state covers the cell.
    const conflict = person.page.locator('.c-conflicts button').first();
    if (await conflict.isVisible()) await conflict.click();
    await problems(person);
    await closePanelSheet(person);
    await person.page.context().setOffline(true);
    await person.type(0, 1, 'anna@example.org');
    await person.page.locator('.c-saving.is-waiting').waitFor();
    await person.page.locator('.banner button').waitFor();
  } },
];
