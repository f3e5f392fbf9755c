/** A disk that refuses: of use to tests that run as root, whom no mode keeps out. */
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Until the returned function is called, a function of node:fs/promises fails with `code` on the paths for which `isRefused` holds.
 */
export function refuseCalls(
  name: 'open' | 'readdir',
  code: string,
  isRefused: (path: string) => boolean = () => true,
): () => void {
  const original = fsp[name] as (path: string, ...more: unknown[]) => Promise<unknown>;
  const put = (call: typeof original) => {
    Object.assign(fsp, { [name]: call });
    syncBuiltinESMExports();
  };
  put((path, ...more) => {
    if (!isRefused(path)) return original(path, ...more);
    return Promise.reject(Object.assign(new Error(`${code}: refused, ${name} '${path}'`), { code, syscall: name }));
  });
  return () => put(original);
}
