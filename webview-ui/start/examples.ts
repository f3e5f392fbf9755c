/** Prompts for a first try; the demo model understands each of them. */
export const EXAMPLES = [
  { icon: 'folder', text: 'List the files in this folder' },
  { icon: 'search', text: 'Search for TODO' },
  { icon: 'new-file', text: 'Create a file hello.txt that says Hello' },
  { icon: 'checklist', text: 'Plan a first look at this folder' },
];
