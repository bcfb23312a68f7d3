import { useEffect } from 'preact/hooks';
import { withAccent } from '../app/accent';
import { applyTheme } from '../app/apply-theme';
import { useShared, useVisit } from './context';
import { Intro } from './intro';
import { Locked } from './locked';
import { TroublePage } from './trouble-page';
import { UploadProgressPage } from './upload-progress';

/** The page of an import link until a file has been sent. */
export function ImportPage() {
  const { t, visit } = useShared();
  const { phase, page } = useVisit();
  const styles = page ? withAccent(page.styleOverrides, page.accentColor) : undefined;
  useEffect(() => applyTheme(styles), [JSON.stringify(styles)]);
  useEffect(() => {
    document.title = page?.title || t('page.title');
  }, [page?.title]);
  return (
    <>
      <Header />
      {phase === 'trouble' && <TroublePage />}
      {phase === 'password' && <Locked />}
      {phase === 'ready' && page && <Intro page={page} />}
      {phase === 'uploading' && <UploadProgressPage />}
      {visit.isLink && <Footer />}
    </>
  );
}

function Header() {
  const { t } = useShared();
  const { page } = useVisit();
  return (
    <header class="bar">
      {page?.logoUrl && <img class="bar-image" src={page.logoUrl} alt="" />}
      <div class="bar-facts"><p class="bar-title"><bdi>{page?.company || t('page.title')}</bdi></p></div>
    </header>
  );
}

/** Names the server, which the texts of the page cannot change. */
function Footer() {
  const { t } = useShared();
  const { page } = useVisit();
  return (
    <footer class="import-foot">
      {page?.contact && <p>{t('contact', { contact: page.contact })}</p>}
      <p>{t('operator', { host: location.host })}</p>
    </footer>
  );
}
