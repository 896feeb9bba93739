/** Compiles policies once for each of their versions. */
import { LruCache } from '../../../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'

/** The maximum number of compiled policies of one type in an isolate. */
const most = 500

/**
 * Returns a function that compiles a policy on the first call for its uid and resourceVersion: most policies stay the same when
 * the configuration changes.
 */
export function compiledOnce<Policy extends Pick<KubernetesObject, 'metadata'>, Compiled>(
  compile: (policy: Policy) => Compiled,
): (policy: Policy) => Compiled {
  const compiled = new LruCache<string, Compiled>(most)
  return (policy) => {
    const { uid = '', resourceVersion = '' } = policy.metadata
    const key = `${uid} ${resourceVersion}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    const made = compile(policy)
    compiled.set(key, made)
    return made
  }
}
