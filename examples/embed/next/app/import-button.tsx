'use client';

import { useIntrayImporter, type InlineSchema } from '@intray/react';
import { useState } from 'react';
import { saveContacts } from './actions';

const schema: InlineSchema = {
  fields: [
    { key: 'name', label: 'Name', validators: [{ validate: 'required' }] },
    { key: 'email', label: 'Email', type: 'email' },
  ],
  settings: { importIdentifier: 'Contacts', title: 'Import contacts', backendSyncMode: 'FULL_DATA', savePartialSession: true },
};

export function ImportButton(props: { server: string; frontendKey: string; sessionToken?: string }) {
  const [count, setCount] = useState(0);
  const importer = useIntrayImporter({
    server: props.server,
    key: props.frontendKey,
    sessionToken: props.sessionToken,
    schema,
    onResults: async (rows) => setCount(await saveContacts(rows)),
  });
  return (
    <>
      <button onClick={() => importer.open()}>Import contacts</button>
      <p>{count} rows imported.</p>
    </>
  );
}
