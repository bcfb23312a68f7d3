import '../tokens.css';
import '../kit/kit.css';
import './app.css';
import * as cells from '../cells/catalogues';
import { directionOf, spoken } from '../words/languages';
import * as service from '../words/service/catalogues';
import { catalogues } from './catalogues';

// What comes next is asked for while the calls of early.ts are on their way.
const { ahead, begun } = globalThis.intrayAhead;

const { language } = spoken(new URLSearchParams(location.search).get('lang'), navigator.languages);
document.documentElement.lang = language;
document.documentElement.dir = directionOf(language);
const words = language === 'en' ? [] : [service.rewording, service.catalogues[language]];
// Who wants them asks again, and is told where one does not come.
for (const read of [catalogues[language], cells.catalogues[language], ...words]) read().catch(() => {});

// The calls go out before the page takes the browser's time for itself.
const out = Promise.race([begun, new Promise((done) => setTimeout(done, 60))]);
void Promise.all([import('./main'), out]).then(([{ open }]) => open(ahead));
