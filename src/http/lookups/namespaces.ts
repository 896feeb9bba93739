/** The lookup that creates a Namespace. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { nameLabel } from '../../clusters/namespace-facts.ts'
import { ApiError, unknownResource } from '../../meta/errors.ts'
import type { Resolver } from './resolver.ts'

/** Creates a Namespace, as the server itself. @throws ApiError unless it exists already */
async function createNamespace(objects: CollectionClient, name: string): Promise<void> {
  const kind = kindOf('', 'v1', 'namespaces')
  if (kind === undefined) throw unknownResource()
  const target = { group: '', version: 'v1', resource: 'namespaces', subresource: '', namespace: '', name: '' }
  const write = { manager: 'kube-apiserver', dryRun: false }
  try {
    await objects.performWithoutAnswer(
      kind,
      { verb: 'create', target, write },
      JSON.stringify({ metadata: { name, labels: { [nameLabel]: name } } }),
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

/** Creates a namespace unless it exists. */
export const provisionedNamespace: Resolver<'provisionedNamespace'> = async ({ services, client }, { namespace }) => {
  const found = await services.policy.namespace(namespace)
  if (found !== undefined) return { namespace: found }
  try {
    await createNamespace(client, namespace)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { problem: error.message }
  }
  services.policy.invalidate()
  return { namespace: (await services.policy.namespace(namespace)) ?? null }
}
