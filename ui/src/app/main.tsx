import { render } from 'preact';
import { chooseLocale, readWords } from '../words/words';
import '../tokens.css';
import '../kit/kit.css';
import './app.css';
import { App } from './app';
import { loadCells } from './cells-step';
import { catalogues } from './catalogues';
import { SharedProvider, type Key } from './context';
import { dress } from './dress';
import { Review } from './review';

const asked = new URLSearchParams(location.search).get('lang');
const locale = chooseLocale(asked, navigator.languages);
document.documentElement.lang = locale.tag;
document.documentElement.dir = locale.direction;
dress(undefined);

const review = new Review(decodeURIComponent(location.pathname.split('/')[2] ?? ''));

/** Takes the token out of the address, where it would be seen, kept and sent on. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

void review.open(takeToken());
void loadCells().catch(() => {});
addEventListener('hashchange', () => {
  const token = takeToken();
  if (token) void review.open(token);
});
// What the service cannot be told meanwhile is told at once.
for (const event of ['online', 'offline']) addEventListener(event, () => void review.refresh());

void readWords<Key>(locale, catalogues).then((t) => {
  render(<SharedProvider value={{ review, locale, t }}><App /></SharedProvider>, document.getElementById('app')!);
});
