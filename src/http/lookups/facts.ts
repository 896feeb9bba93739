/** The lookups of facts about other collections, which the Worker remembers for a second. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { WorkerLookups } from '../../clusters/lookups.ts'
import { createdOnDemand } from '../../controllers/service-account/default-account.ts'
import * as classes from '../../registry/facts/classes.ts'
import { existingPods as readExistingPods } from '../../registry/facts/existing-pods.ts'
import type { ReadFact } from '../../registry/facts/fact.ts'
import { node as readNode } from '../../registry/facts/node.ts'
import { serviceAccount as readServiceAccount } from '../../registry/facts/service-account.ts'
import { storedObject as readStoredObject } from '../../registry/facts/stored-object.ts'
import type { LookupContext, Resolver } from './resolver.ts'

/** A fact that may be missing. */
type Optional = 'node' | 'runtimeClass' | 'serviceAccount' | 'storageClassExpands'

const ingressClasses = 'ingressclasses.networking.k8s.io'
const runtimeClasses = 'runtimeclasses.node.k8s.io'
const storageClasses = 'storageclasses.storage.k8s.io'

/** Makes a resolver that remembers the facts that it finds, by the name of the object. */
function named<Name extends Optional>(
  collection: string,
  read: ReadFact<Name>,
): (
  context: Parameters<Resolver<Name>>[0],
  parameters: WorkerLookups[Name]['parameters'],
  name: string,
) => ReturnType<ReadFact<Name>> {
  return async ({ services, client }, parameters, name) => {
    const found = await services.reads.find(collection, `name ${name}`, async () => (await read(client, parameters)) ?? undefined)
    return found ?? null
  }
}

/** Finds the name of a default class. A result is remembered also if no class is marked. */
async function defaultOf(
  { services, client }: LookupContext,
  collection: string,
  read: (collections: CollectionClient) => Promise<string | null>,
): Promise<string | null> {
  const found = await services.reads.find(collection, 'default', async () => ({ name: await read(client) }))
  return found?.name ?? null
}

export const defaultIngressClass: Resolver<'defaultIngressClass'> = (context, parameters) =>
  defaultOf(context, ingressClasses, (client) => classes.defaultIngressClass(client, parameters))

export const defaultStorageClass: Resolver<'defaultStorageClass'> = (context, parameters) =>
  defaultOf(context, storageClasses, (client) => classes.defaultStorageClass(client, parameters))

const namedNode = named('nodes', readNode)
const namedRuntimeClass = named(runtimeClasses, classes.runtimeClass)
const namedStorageClass = named(storageClasses, classes.storageClassExpands)
const namedAccount = named('serviceaccounts', readServiceAccount)

export const node: Resolver<'node'> = (context, parameters) => namedNode(context, parameters, parameters.name)

export const runtimeClass: Resolver<'runtimeClass'> = (context, parameters) =>
  namedRuntimeClass(context, parameters, parameters.name)

export const storageClassExpands: Resolver<'storageClassExpands'> = async (context, parameters) =>
  (await namedStorageClass(context, parameters, parameters.name)) ?? false

export const existingPods: Resolver<'existingPods'> = ({ client }, parameters) => readExistingPods(client, parameters)

export const storedObject: Resolver<'storedObject'> = ({ client }, parameters) => readStoredObject(client, parameters)

/** Looks up a ServiceAccount. `default` is created on demand, so that it exists as soon as its namespace does. */
export const serviceAccount: Resolver<'serviceAccount'> = async (context, parameters) => {
  const { services, asker } = context
  const { namespace, name } = parameters
  const find = () => namedAccount(context, parameters, `${namespace}/${name}`)
  const found = await find()
  if (found !== null) return found
  if (name !== 'default' || (await services.policy.namespacePhase(namespace, asker)) !== 'Active') return null
  return (await createdOnDemand(services.writesOf, namespace)) ? await find() : null
}
