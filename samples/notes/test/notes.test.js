import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addNote, findByTag } from '../src/notes.js';

test('a note keeps its text and its tags', () => {
  const [note] = addNote([], 'water the plants #home #weekly');
  assert.equal(note.text, 'water the plants #home #weekly');
  assert.deepEqual(note.tags, ['home', 'weekly']);
});

test('notes are found by a tag, however it is written', () => {
  const notes = addNote(addNote([], 'water the plants #Home'), 'send the report #work');
  assert.deepEqual(
    findByTag(notes, 'home').map((note) => note.text),
    ['water the plants #Home'],
  );
});
