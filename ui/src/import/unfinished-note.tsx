import { Button, Note } from '../kit';
import { useShared } from './context';
import type { Unfinished } from './unfinished';

/** Offers to continue an interrupted upload. */
export function UnfinishedNote({ unfinished, onChoose }: { unfinished: Unfinished; onChoose: () => void }) {
  const { t, locale, visit } = useShared();
  const { name, sent, size } = unfinished;
  const percent = new Intl.NumberFormat(locale.tag, { style: 'percent' }).format(Math.floor((sent / size) * 100) / 100);
  return (
    <Note
      tone="warning"
      title={t('unfinished.title', { file: name, percent })}
      actions={
        <>
          <Button small onClick={onChoose}>{t('unfinished.choose')}</Button>
          <Button small onClick={() => visit.forgetUnfinished()}>{t('unfinished.startOver')}</Button>
        </>
      }
    >
      <p>{t('unfinished.text')}</p>
    </Note>
  );
}
