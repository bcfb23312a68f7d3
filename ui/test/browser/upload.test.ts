import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contacts, fields } from './cells-rows';
import { Service, type ReviewPage } from './cells-service';

let service: Service | null;
before(async () => void (service = await Service.open()));
after(() => service?.close());

/** Defines a test of the upload dialog with contacts. Row 4 has an invalid email address. */
function review(name: string, act: (page: ReviewPage) => Promise<void>): void {
  test(name, async (context) => {
    if (!service) return context.skip('there is neither the program nor Go to build it');
    const page = await service.page(await service.review(fields, contacts(40)), { viewport: { width: 1600, height: 900 } });
    await act(page);
    assert.deepEqual(page.pageErrors, []);
    await page.close();
  });
}

async function open({ page }: ReviewPage): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /Upload/ }).click();
  await page.locator('.c-drop').waitFor();
}

function choose({ page }: ReviewPage, csv: string): Promise<void> {
  return page.locator('.c-drop input').setInputFiles({ name: 'fixed.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
}

review('a cell changed only on the page is not a conflict', async (it) => {
  const was = await it.cell(3, 0).textContent();
  await it.type(3, 0, 'Somebody new');
  await it.waitUntilSaved();
  await open(it);
  await choose(it, `Row,Name,E-mail\n3v0,${was},person3@example.org\n`);
  await it.page.getByRole('button', { name: 'Merge 1 cell' }).click();
  await it.cell(3, 1).filter({ hasText: 'person3@example.org' }).waitFor();
  assert.equal(await it.cell(3, 0).textContent(), 'Somebody new');
});

review('if both sides changed a cell, the page’s value stays unless the user chooses the file’s', async (it) => {
  await it.type(3, 0, 'Somebody new');
  await it.waitUntilSaved();
  await open(it);
  await choose(it, 'Row,Name,E-mail\n3v0,Of the file,person3@example.org\n');
  const dialog = it.page.getByRole('dialog');
  await dialog.getByText('1 cell was changed both in the file and on this page.').waitFor();
  await dialog.getByText('It keeps the value on this page. Everything else is merged.').waitFor();
  assert.deepEqual(await dialog.getByRole('region', { name: 'Changed both in the file and on this page' }).locator('td').allTextContents(), ['4', 'Name', 'Somebody new', 'Of the file']);
  await dialog.getByRole('button', { name: 'Merge 1 cell' }).waitFor();
  await dialog.getByRole('button', { name: 'Use the file’s value' }).click();
  await dialog.getByText('It gets the value from the file. Everything else is merged, too.').waitFor();
  await dialog.getByRole('button', { name: 'Merge 2 cells' }).waitFor();
  await dialog.getByRole('button', { name: 'Keep this page’s value' }).click();
  await dialog.getByRole('button', { name: 'Merge 1 cell' }).click();
  await it.cell(3, 1).filter({ hasText: 'person3@example.org' }).waitFor();
  assert.equal(await it.cell(3, 0).textContent(), 'Somebody new');
  assert.equal(await it.page.getByText(/someone else/i).count(), 0);
});

review('a file with the same name is read again', async (it) => {
  await open(it);
  const dialog = it.page.getByRole('dialog');
  await dialog.getByText('Don’t edit the “Row” column').waitFor();
  await choose(it, 'Row,E-mail\n3v0,person3@example.org\n');
  await dialog.getByRole('button', { name: 'Merge 1 cell' }).waitFor();
  // If the field kept its value, choosing the same file again would not trigger a change
  // event.
  assert.equal(await dialog.locator('.c-drop input').inputValue(), '');
  await choose(it, 'Row,E-mail\n3v0,person3@example.org\n5,five@example.org\n');
  await dialog.getByRole('button', { name: 'Merge 2 cells' }).waitFor();
  await dialog.getByText(/^We don’t know which values .*1 row.* had when you downloaded it/).waitFor();
});
