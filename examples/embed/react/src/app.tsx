import { IntrayImporter, type Hooks, type InlineSchema, type ResultRow } from '@intray/react';
import { useState } from 'react';

const server = import.meta.env.VITE_INTRAY_SERVER ?? 'http://localhost:8080';
const frontendKey = import.meta.env.VITE_INTRAY_KEY ?? 'fk_REPLACE_ME';

const schema: InlineSchema = {
  fields: [
    { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
    { key: 'email', label: 'Email', type: 'email', validators: [{ validate: 'unique' }] },
    { key: 'seats', label: 'Seats', type: ['number', { preset: 'integer', min: 1 }] },
  ],
  settings: { importIdentifier: 'Contacts', title: 'Import contacts' },
};

const hooks: Hooks = {
  // Runs for each row, and again when the user changes it.
  rows: ({ row }) => {
    const email = String(row.email?.value ?? '');
    if (!email.endsWith('@example.com')) return;
    return { row: { email: { info: [{ message: 'This is a test address.', level: 'warning' }] } } };
  },
};

export function App() {
  const [open, setOpen] = useState(false);
  const [inline, setInline] = useState(false);
  const [rows, setRows] = useState<ResultRow[]>([]);
  const options = { server, frontendKey, schema, hooks, user: { id: 'user-1' }, onResults: setRows };
  return (
    <main>
      <h1>Contacts</h1>
      <button onClick={() => setOpen(true)}>Import in a dialog</button> <button onClick={() => setInline(true)}>Import in the page</button>
      <IntrayImporter {...options} open={open} onClose={() => setOpen(false)} />
      {inline && <IntrayImporter {...options} inline style={{ height: '80vh' }} onClose={() => setInline(false)} />}
      <p>{rows.length} rows imported.</p>
    </main>
  );
}
