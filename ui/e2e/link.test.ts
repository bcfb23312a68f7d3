import assert from 'node:assert/strict';
import { after } from 'node:test';
import { closeEnvironment, environmentTest, type Environment } from './environment';
import type { Person } from './person';

after(closeEnvironment);

interface Link {
  readonly id: string;
  readonly url: string;
}

const fields = [
  { key: 'number', label: 'Customer no.', description: 'Your own number.', validators: [{ validate: 'required' }, { validate: 'unique' }] },
  { key: 'email', label: 'Email', type: 'email' },
  { key: 'country', label: 'Country', type: 'country' },
];
const png = new Uint8Array(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'));

async function makeLink({ service }: Environment, properties: object = {}): Promise<Link> {
  const schema = await service.call<{ id: string }>('POST', '/api/v1/schemas/', JSON.stringify({ name: `Customers ${Math.random()}`, fields, settings: { invalidDataBehavior: 'BLOCK_SUBMIT' } }));
  const page = { title: 'Your customer list', text: 'We set up your account with it.', company: 'Northwind', contact: 'help@northwind.example', accentColor: '#7a3ff2', returnUrl: 'https://northwind.example/setup' };
  const link = await service.call<Link>('POST', '/api/v1/import-links/', JSON.stringify({ schema_id: schema.id, page, ...properties }));
  await service.call('PUT', `/api/v1/import-links/${link.id}/logo/`, png, 'image/png');
  return link;
}

const visit = (environment: Environment, link: Link) => environment.person({ review_url: link.url });

async function choose(person: Person, name: string, content: string): Promise<void> {
  await person.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

const imports = ({ service }: Environment) => service.call<{ results: { id: string; status: string }[] }>('GET', '/api/v1/headless/imports/?limit=1');

environmentTest('a person sends a file through a link, corrects it and submits it', async (environment) => {
  const link = await makeLink(environment);
  const person = await visit(environment, link);
  const { page } = person;
  await page.getByRole('heading', { name: 'Your customer list' }).waitFor();
  assert.match((await page.locator('footer').textContent())!, /help@northwind\.example.*127\.0\.0\.1/s);
  assert.equal(await page.locator('.bar-image').evaluate((image: HTMLImageElement) => image.naturalWidth), 1);
  await page.getByRole('row', { name: /Customer no\..*required/ }).waitFor();
  await choose(person, 'scan.pdf', '%PDF-1.7');
  await page.getByRole('alert').getByText('This is a PDF.').waitFor();
  await choose(person, 'list.csv', 'Customer no.,E-mail,Country,Notes\nK-1,a@example.org,Germany,x\nK-2,b@example.org,Germny,y\n');
  await page.locator('main.values [data-event=CONTINUE]').click();
  await person.cell(1, 2).filter({ hasText: 'Germny' }).waitFor();
  await page.getByText('One column is not imported: Notes').waitFor();
  // A reload shows the same import again.
  await page.reload();
  await person.ready();
  await person.cell(1, 2).filter({ hasText: 'Germny' }).waitFor();
  await person.button('Germany').click();
  await page.getByText('All 2 rows are ready').waitFor();
  assert.equal((await imports(environment)).results[0]!.status, 'NEEDS_REVIEW', 'nothing is submitted before the person does');
  await page.locator('.fix-continue').click();
  await person.button('Submit 2 rows').click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Return to northwind.example' }).getAttribute('href'), 'https://northwind.example/setup');
  const [done] = (await imports(environment)).results;
  assert.deepEqual(await environment.service.result(done!.id), [
    { number: 'K-1', email: 'a@example.org', country: 'DE' }, { number: 'K-2', email: 'b@example.org', country: 'DE' },
  ]);
  // The sender finds the file again, and can send another one.
  await person.button('Import another file').click();
  await page.getByRole('heading', { name: 'Files you sent' }).waitFor();
  await page.getByText('list.csv').waitFor();
  await person.button('Open').click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  await person.closeAndCheck();
});

environmentTest('a wrong file is discarded, and a table is pasted instead', async (environment) => {
  const link = await makeLink(environment, { max_uses: 1 });
  const person = await visit(environment, link);
  const { page } = person;
  await choose(person, 'wrong.csv', 'Customer no.,Email\nK-1,a@example.org\n');
  await person.cell(0, 0).filter({ hasText: 'K-1' }).waitFor();
  const [wrong] = (await imports(environment)).results;
  await page.locator('.rail-step', { hasText: 'Upload' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it and choose another file' }).click();
  await page.getByRole('heading', { name: 'Your customer list' }).waitFor();
  await assert.rejects(environment.service.call('GET', `/api/v1/headless/imports/${wrong!.id}/`), /404/);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'Customer no.\tEmail\nK-7\tc@example.org\n');
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await person.cell(0, 0).filter({ hasText: 'K-7' }).waitFor();
  // The link allows one file, and this one counts.
  const late = await visit(environment, link);
  await late.page.getByRole('heading', { name: 'This link has been used' }).waitFor();
  late.expected.push(/409/);
  await late.closeAndCheck();
  await person.closeAndCheck();
});

environmentTest('answering the last question submits nothing', async (environment) => {
  const person = await visit(environment, await makeLink(environment));
  const { page } = person;
  await choose(person, 'twice.csv', 'Customer no.,E-mail,e_mail\nK-1,a@example.org,b@example.org\n');
  await page.getByRole('heading', { name: 'Match the columns' }).waitFor();
  await page.locator('.choice').first().click();
  await person.button('Continue').click();
  await person.cell(0, 0).filter({ hasText: 'K-1' }).waitFor();
  await page.getByText('ready').waitFor();
  await person.closeAndCheck();
});

environmentTest('a protected link opens with its password', async (environment) => {
  const person = await visit(environment, await makeLink(environment, { password: 'correct horse' }));
  const { page } = person;
  await page.getByRole('heading', { name: 'Enter the password' }).waitFor();
  assert.equal(await page.getByText('Northwind').count(), 0, 'nothing is shown before');
  await page.getByLabel('Password').fill('wrong horse');
  await person.press('Enter');
  await page.getByText('This isn’t the right password.').waitFor();
  await page.getByLabel('Password').fill('correct horse');
  await person.press('Enter');
  await page.getByRole('heading', { name: 'Your customer list' }).waitFor();
  person.expected.push(/403/);
  await person.closeAndCheck();
});

environmentTest('a revoked link stops an upload that has not begun, and opens nothing', async (environment) => {
  const link = await makeLink(environment);
  const person = await visit(environment, link);
  await environment.service.call('DELETE', `/api/v1/import-links/${link.id}/`);
  await choose(person, 'list.csv', 'Customer no.\nK-1\n');
  await person.page.getByRole('alert').getByText('was revoked').waitFor();
  await person.page.reload();
  await person.page.getByRole('heading', { name: 'This link doesn’t work' }).waitFor();
  person.expected.push(/403/);
  await person.closeAndCheck();
});

environmentTest('texts and names of strangers are never markup', async (environment) => {
  const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
  const link = await makeLink(environment, { page: { title: evil, text: evil, company: evil, contact: evil } });
  const person = await visit(environment, link);
  await person.page.getByRole('heading', { name: evil }).waitFor();
  await choose(person, `${evil.replaceAll('/', '_')}.csv`, `Customer no.,"${evil}"\nK-1,"${evil}"\n`);
  await person.cell(0, 0).filter({ hasText: 'K-1' }).waitFor();
  assert.equal(await person.page.locator('img[src=x], body script:not([src])').count(), 0);
  await person.closeAndCheck();
});
