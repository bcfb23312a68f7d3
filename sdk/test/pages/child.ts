// A stand-in for the importer in the frame. It uses Penpal 5.3, records all calls of the page, and
// lets tests call the page. The first part of its path selects how it behaves.
import { connectToParent } from 'penpal';

const mode = location.pathname.split('/')[1]!;
const calls: [name: string, ...args: unknown[]][] = [];

function record(name: string): (...args: unknown[]) => unknown {
  return (...args) => {
    calls.push([name, ...args]);
    if (mode === 'revoked' && /^init/.test(name)) throw Object.assign(new Error('revoked on Monday'), { name: 'key_refused' });
    if (mode === 'broken' && /^init/.test(name)) throw new TypeError('out of order');
    return name === 'addRows' ? ['row-1'] : undefined;
  };
}

const names = [
  'init', 'initFromSavedSchema', 'setHeaderRowOverride', 'setNumRegisteredColHooks', 'setNumRegisteredRowHooks', 'setNumRegisteredBulkRowHooks',
  'setNumRegisteredBatchRowHooks', 'setNumRegisteredRowDeleteHooks', 'setEmbedInline', 'setUser', 'addField', 'removeField', 'updateInfoMessages',
  'setDevelopmentMode', 'rehydrate', 'addRows', 'removeRows', 'setConfirmationMessage', 'setCustomParserFileExtensions', 'setCustomSteps',
  'completeCustomStep', 'goBackCustomStep',
];
const offered = mode === 'old' ? names.filter((name) => !/^init/.test(name)) : mode === 'small' ? ['initFromSavedSchema'] : names;

declare global {
  interface Window {
    child: { calls: typeof calls; parent: Record<string, (...args: any[]) => Promise<any>> };
  }
}

if (mode === 'strange') parent.postMessage({ namespace: 'other', type: 'SYN' }, '*');
else {
  const methods: Record<string, (...args: unknown[]) => unknown> = {};
  for (const name of offered) methods[name] = record(name);
  void connectToParent({ methods: methods as any }).promise.then((connected) => {
    window.child = { calls, parent: connected as any };
  });
}
