import '../tokens.css';
import '../kit/kit.css';
import './app.css';
import { directionOf, chooseLanguage } from '../i18n/languages';
import { cellMessages, loadMessageRenderer } from '../i18n/messages';
import { reviewTexts } from '../i18n/review-texts';

// Load the next scripts while the calls of prefetch-script.ts are in progress.
const { prefetch, started } = globalThis.intrayPrefetch;

const { language } = chooseLanguage(new URLSearchParams(location.search).get('lang'), navigator.languages);
document.documentElement.lang = language;
document.documentElement.dir = directionOf(language);
const messages = language === 'en' ? [] : [loadMessageRenderer, cellMessages[language]];
// Ignore errors: the code that needs a file loads it again and handles the error.
for (const load of [reviewTexts[language], ...messages]) load().catch(() => {});

// Give the calls time to be sent before rendering blocks the browser.
const out = Promise.race([started, new Promise((done) => setTimeout(done, 60))]);
void Promise.all([import('./main'), out]).then(([{ renderReview }]) => renderReview(prefetch));
