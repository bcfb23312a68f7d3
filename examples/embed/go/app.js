const button = document.getElementById('import');
const status = document.getElementById('status');
const { server, key, schema } = button.dataset;

const importer = Intray.createImporter({
  server,
  key,
  schema,
  // Large results arrive in batches, so neither the page nor one request contains all rows.
  onResultsBatch: async (rows, { index }) => {
    const response = await fetch('/contacts', { method: 'POST', body: JSON.stringify(rows) });
    if (!response.ok) throw new Error(`batch ${index} was not stored: ${response.status}`);
    status.textContent = await response.text();
  },
  onError: (error) => (status.textContent = error.message),
});

button.addEventListener('click', () => importer.open());
