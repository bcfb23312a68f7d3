import { Button, Icon } from '../kit';
import { useShared, useVisit } from './context';

/** Number of earlier imports that the page lists. */
const listed = 5;

/** Lists the files that were sent from this browser, so that their sender finds them again. */
export function Earlier() {
  const { t, locale, visit } = useShared();
  const { earlier } = useVisit();
  if (earlier.length === 0) return null;
  return (
    <section class="import-part">
      <h2>{t('earlier.title')}</h2>
      <ul class="earlier">
        {earlier.slice(0, listed).map((one) => (
          <li key={one.id}>
            <Icon name="file" />
            <span class="earlier-name"><bdi>{one.name}</bdi></span>
            <span class="quiet">{locale.moment(new Date(one.at).toISOString())}</span>
            <Button small onClick={() => visit.show(one)}>{t('earlier.show')}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
