/** Compiles policies once for each of their versions. */
import { LruCache } from '../../../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'

/** The maximum number of compiled policies of one type in an isolate. */
const most = 500

let untaken = 0

/** Returns the number of policies that this isolate has compiled since the last call. */
export function takeCompilations(): number {
  const taken = untaken
  untaken = 0
  return taken
}

/**
 * Returns a function that compiles a policy on the first call for its uid, resourceVersion and spec: most policies stay the same when
 * the configuration changes. A policy of a fork has the uid of that in its parent, and may come to have the same resourceVersion.
 */
export function compiledOnce<Policy extends Pick<KubernetesObject, 'metadata'> & { readonly spec: object }, Compiled>(
  compile: (policy: Policy) => Compiled,
): (policy: Policy) => Compiled {
  const compiled = new LruCache<string, Compiled>(most)
  return (policy) => {
    const { uid = '', resourceVersion = '' } = policy.metadata
    const key = `${uid} ${resourceVersion} ${JSON.stringify(policy.spec)}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    const made = compile(policy)
    untaken++
    compiled.set(key, made)
    return made
  }
}
