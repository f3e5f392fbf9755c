/** A note is `{ text, tags, at }`; a notebook is a list of them, oldest first. */

export function addNote(notes, text, at = new Date()) {
  return [...notes, { text, tags: tagsOf(text), at: at.toISOString() }];
}

export function findByTag(notes, tag) {
  return notes.filter((note) => note.tags.includes(tag));
}

// TODO: a tag may also hold a dash.
export function tagsOf(text) {
  return [...text.matchAll(/#(\w+)/g)].map((match) => match[1]);
}
