import { fileEdit } from './fileEdit.ts';
import { fileList } from './fileList.ts';
import { fileRead } from './fileRead.ts';
import { fileSearch } from './fileSearch.ts';
import { fileWrite } from './fileWrite.ts';
import { runCommand } from './runCommand.ts';
import { todoWrite } from './todoWrite.ts';
import type { Tool } from './tool.ts';
import { webFetch } from './webFetch.ts';

/** All tools, in the order in which every request names them (X1). */
export const tools: Tool[] = [fileRead, fileList, fileSearch, fileWrite, fileEdit, runCommand, webFetch, todoWrite];
