/** GET of a collection's changes, as they come. */
import { readListOptions } from '../../meta/list-options.ts'
import { negotiateStream, objectTransform } from '../codec/negotiate.ts'
import type { ResourceContext } from '../context.ts'
import { representationOf } from './representation.ts'

/** A watch without timeoutSeconds ends after 30 to 60 minutes, at random, so that clients do not all come back at once. */
const minimumSeconds = 1800

export async function watch({ server, request, query, kind, target }: ResourceContext): Promise<Response> {
  const output = negotiateStream(request, objectTransform)
  const options = readListOptions(query)
  const inner = await server.objects.perform(server.cluster, kind, {
    verb: 'watch',
    target,
    watch: {
      labelSelector: query.get('labelSelector') ?? '',
      fieldSelector: fieldSelectorOf(query, target.name),
      resourceVersion: options.resourceVersion,
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents === true,
      timeoutSeconds: options.timeoutSeconds ?? Math.round(minimumSeconds * (1 + Math.random())),
    },
    ...representationOf(output, query),
  })
  // Compression would hold events back until its buffer is full.
  return new Response(inner.body, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private', 'content-encoding': 'identity' },
  })
}

/** The watch of one object by its path is a watch of its name. */
function fieldSelectorOf(query: URLSearchParams, name: string): string {
  const asked = query.get('fieldSelector') ?? ''
  if (name === '') return asked
  return asked === '' ? `metadata.name=${name}` : `${asked},metadata.name=${name}`
}
