// A page whose libraries replaced methods of built-in prototypes. It uses no such method itself.
import { createImporter } from '@intray/importer';

const importer = createImporter({
  server: new URLSearchParams(location.search).get('server')!,
  key: 'fk_test',
  schema: { fields: [{ key: 'a', label: 'A', validators: [{ validate: 'required' }] }], settings: { importIdentifier: 'x' } },
  hooks: { rows: ({ row }) => ({ row: { a: { value: (row.a!.value as number) + 1 } } }) },
  fileParsers: [{ extensions: ['x'], parse: (content) => [[content.byteLength]] }],
  onResults: (rows) => void (document.title = `Stored ${rows.length}`),
});

function broken(): never {
  throw new Error('a patched method was called');
}
const list = Array.prototype as any;
for (const name of ['toJSON', 'map', 'forEach', 'filter', 'reduce', 'find', 'push', 'concat', 'includes', 'flatMap', 'some', 'every', 'slice', 'join', 'extend']) list[name] = broken;
JSON.stringify = broken;
JSON.parse = broken;
(Object.prototype as any).inherited = broken;

void importer.open();
