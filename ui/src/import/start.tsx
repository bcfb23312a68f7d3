import '../tokens.css';
import '../kit/kit.css';
import '../app/app.css';
import './import.css';
import { render } from 'preact';
import { importTexts } from '../i18n/import-texts';
import { chooseLocale } from '../i18n/locale';
import { loadTexts } from '../i18n/texts';
import { applyTheme } from '../app/apply-theme';
import { ImportPage } from './import-page';
import { SharedProvider, type Key } from './context';
import { ReviewStage } from './review-stage';
import { Visit } from './visit';

const token = decodeURIComponent(location.pathname.split('/')[2] ?? '');
const locale = chooseLocale(new URLSearchParams(location.search).get('lang'), navigator.languages);
document.documentElement.lang = locale.tag;
document.documentElement.dir = locale.direction;
applyTheme(undefined);

const visit = new Visit(token);
const opened = visit.open();
const root = document.getElementById('app')!;

void Promise.all([loadTexts<Key>(locale, importTexts), opened]).then(([t]) => {
  const stage = new ReviewStage(root, visit);
  const draw = () => {
    // The review page takes over the whole element.
    if (stage.follow(visit.state)) return;
    render(<SharedProvider value={{ visit, locale, t }}><ImportPage /></SharedProvider>, root);
  };
  root.replaceChildren();
  draw();
  let phase = visit.state.phase;
  visit.subscribe(() => {
    if (visit.state.phase === phase) return;
    phase = visit.state.phase;
    draw();
  });
});
