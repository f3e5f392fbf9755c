/** The page of the view `polyglav.chat`. */
import './main.css';
import './controls.ts';
import { connectHost } from './host.ts';
import { PolyglavPanel } from './panel.ts';

const panel = document.querySelector('polyglav-panel');
if (panel instanceof PolyglavPanel) panel.connect(connectHost());
