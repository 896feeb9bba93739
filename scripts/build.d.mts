/** Makes sure that a bundle is as new as its sources; gives the paths of its modules, the entry first. */
export function ensureBundle(
  name: 'worker' | 'launcher' | 'again' | 'envtest',
  options?: { readonly force?: boolean },
): Promise<readonly string[]>
