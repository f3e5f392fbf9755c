import fs from 'node:fs';
import { addNote, findByTag } from './notes.js';

const FILE = 'notes.json';
const notes = fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : [];
const [command, argument] = process.argv.slice(2);

if (command === 'add' && argument) {
  fs.writeFileSync(FILE, JSON.stringify(addNote(notes, argument), null, 2) + '\n');
} else if (command === 'find' && argument) {
  for (const note of findByTag(notes, argument)) console.log(note.text);
} else if (command === 'list') {
  for (const note of notes) console.log(note.text);
} else {
  console.error('Usage: node src/cli.js add <text> | list | find <tag>');
  process.exitCode = 2;
}
