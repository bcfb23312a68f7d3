import '../tokens.css';
import '../kit/kit.css';
import '../app/app.css';
import './import.css';
import { applyTheme } from '../app/apply-theme';
import { LinkEndpoint } from './endpoint';
import { mountVisit } from './mount';
import { Visit } from './visit';

applyTheme(undefined);
const visit = new Visit(new LinkEndpoint(decodeURIComponent(location.pathname.split('/')[2] ?? '')));
void visit.open();
mountVisit(document.getElementById('app')!, visit, { language: new URLSearchParams(location.search).get('lang') });
