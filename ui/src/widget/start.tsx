import '../tokens.css';
import '../kit/kit.css';
import '../app/app.css';
import '../import/import.css';
import './widget.css';
import { render } from 'preact';
import { applyTheme } from '../app/apply-theme';
import { connectToParent } from './channel';
import { Corner } from './corner';
import { Widget } from './widget';

applyTheme(undefined);
const widget = new Widget(document.getElementById('app')!);
const corner = document.getElementById('corner')!;
widget.onChange = () => {
  document.documentElement.classList.toggle('is-dialog', !widget.inline);
  render(widget.visit && <Corner widget={widget} visit={widget.visit} key={widget.opened} />, corner);
};
connectToParent(widget.methods, (peer) => (widget.peer = peer));
