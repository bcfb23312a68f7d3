// A Vue application. Tests change its state in window.state.
import { IntrayImporter, useIntrayImporter } from '@intray/vue';
import { createApp, defineComponent, h, reactive } from 'vue';

const server = new URLSearchParams(location.search).get('server')!;
window.calls = [];

const state = reactive({
  page: 'none',
  open: false,
  inline: false,
  locale: 'en',
  schema: { fields: [{ key: 'a', label: 'A', validators: [{ validate: 'required' as const }] }], settings: { importIdentifier: 'x' } },
  user: { id: 'u1' },
});

declare global {
  interface Window {
    state: typeof state;
  }
}
window.state = state;

const ComposablePage = defineComponent(() => {
  const importer = useIntrayImporter(() => ({
    server, key: 'fk_test', schema: state.schema, locale: state.locale, onCancel: () => void window.calls.push(['onCancel', state.locale]),
  }));
  return () => h('button', { onClick: () => importer.open() }, 'Composable');
});

createApp(() => {
  if (state.page === 'composable') return h(ComposablePage);
  if (state.page !== 'component') return null;
  return h(IntrayImporter, {
    server, frontendKey: 'fk_test', schema: state.schema, user: state.user, open: state.open, inline: state.inline, locale: state.locale,
    'onUpdate:open': (open: boolean) => void (state.open = open),
    onResults: (rows) => new Promise((resolve) => setTimeout(resolve, 50)).then(() => window.calls.push(['stored', rows, state.open])),
    onClose: (reason) => void window.calls.push(['onClose', reason]),
  });
}).mount('#app');
