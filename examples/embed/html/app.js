const importer = document.querySelector('intray-importer');

importer.schema = {
  fields: [
    { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
    { key: 'email', label: 'Email', type: 'email', validators: [{ validate: 'unique' }] },
    { key: 'born', label: 'Date of birth', type: 'date' },
  ],
  settings: { importIdentifier: 'Contacts', title: 'Import contacts' },
};
importer.user = { id: 'user-1', email: 'ada@example.com' };

importer.addEventListener('results', ({ detail }) => {
  // The importer stays open until the promise settles.
  detail.waitUntil(save(detail.rows));
});
importer.addEventListener('error', ({ detail }) => console.error(detail.code, detail.message));

/** Shows the rows. An application would send them to its server. */
async function save(rows) {
  const list = document.getElementById('contacts');
  for (const { name, email } of rows) {
    const item = document.createElement('li');
    item.textContent = `${name} (${email ?? 'no email'})`;
    list.append(item);
  }
}
