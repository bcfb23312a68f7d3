import { createImporter, type Importer, type ImporterOptions } from '@intray/importer';
import { defineComponent, h, onBeforeUnmount, ref, toRaw, toValue, watch, type MaybeRefOrGetter, type PropType } from 'vue';

export type * from '@intray/importer';
export { ImporterError } from '@intray/importer';

/**
 * Returns an importer with the current options, which can be reactive. It is closed when the
 * component is unmounted.
 */
export function useIntrayImporter(options: MaybeRefOrGetter<ImporterOptions>): Pick<Importer, 'open' | 'mount' | 'close'> {
  let importer: Importer | null = null;
  const current = () => (importer ??= createImporter({ ...toValue(options) }));
  watch(
    () => ({ ...toValue(options) }),
    (changed) => importer?.update(changed),
    { flush: 'sync' },
  );
  onBeforeUnmount(() => importer?.destroy());
  return {
    open: () => current().open(),
    mount: (element) => current().mount(element),
    close: () => importer?.close(),
  };
}

type Option<Name extends keyof ImporterOptions> = PropType<NonNullable<ImporterOptions[Name]>>;

/**
 * Shows the importer in a dialog while `open` is true (`v-model:open`), or inside the page if it
 * is `inline`. Vue reserves the name `key`, so the key is `frontendKey`.
 */
export const IntrayImporter = defineComponent({
  name: 'IntrayImporter',
  props: {
    server: { type: [String, URL] as Option<'server'>, required: true },
    frontendKey: { type: String, required: true },
    schema: { type: [String, Object] as Option<'schema'>, required: true },
    open: Boolean,
    inline: Boolean,
    user: Object as Option<'user'>,
    sessionToken: String,
    locale: String,
    theme: String as Option<'theme'>,
    title: String,
    developmentMode: { type: Boolean, default: undefined },
    headerRowOverride: Number,
    hooks: Object as Option<'hooks'>,
    customSteps: Array as Option<'customSteps'>,
    fileParsers: Array as Option<'fileParsers'>,
    hookTimeout: Number,
    connectTimeout: Number,
    // Declared as properties, so that the importer can wait for the promises of the listeners.
    onResults: Function as Option<'onResults'>,
    onResultsBatch: Function as Option<'onResultsBatch'>,
    onCancel: Function as Option<'onCancel'>,
    onEvent: Function as Option<'onEvent'>,
    onError: Function as Option<'onError'>,
    onClose: Function as Option<'onClose'>,
  },
  emits: { 'update:open': (_open: boolean) => true },
  setup(props, { emit }) {
    const importer = useIntrayImporter(() => {
      const { frontendKey, open: _open, inline: _inline, ...options } = props;
      return {
        ...(toRaw(options) as Omit<ImporterOptions, 'key'>),
        key: frontendKey,
        onClose: (reason) => {
          emit('update:open', false);
          props.onClose?.(reason);
        },
      };
    });
    const container = ref<HTMLElement | null>(null);
    watch(
      [() => props.open, container],
      ([open, element]) => {
        // onError reports failures.
        if (element) importer.mount(element).catch(() => undefined);
        else if (open) importer.open().catch(() => undefined);
        else importer.close();
      },
      { flush: 'post', immediate: typeof document !== 'undefined' },
    );
    return () => (props.inline ? h('div', { ref: container }) : null);
  },
});
