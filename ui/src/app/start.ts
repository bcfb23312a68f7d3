import '../tokens.css';
import '../kit/kit.css';
import './app.css';
import { cellsTexts } from '../i18n/cells-texts';
import { directionOf, chooseLanguage } from '../i18n/languages';
import { loadMessageRenderer, messageCatalogues } from '../i18n/messages';
import { pageTexts } from '../i18n/page-texts';

// What comes next is asked for while the calls of prefetch-script.ts are on their way.
const { prefetch, started } = globalThis.intrayPrefetch;

const { language } = chooseLanguage(new URLSearchParams(location.search).get('lang'), navigator.languages);
document.documentElement.lang = language;
document.documentElement.dir = directionOf(language);
const messages = language === 'en' ? [] : [loadMessageRenderer, messageCatalogues[language]];
// Whoever needs them asks again, and handles the error.
for (const load of [pageTexts[language], cellsTexts[language], ...messages]) load().catch(() => {});

// The calls go out before the page takes the browser's time for itself.
const out = Promise.race([started, new Promise((done) => setTimeout(done, 60))]);
void Promise.all([import('./main'), out]).then(([{ renderReview }]) => renderReview(prefetch));
