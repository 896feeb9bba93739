/** The list of facts. */
import { defaultIngressClass } from './default-ingress-class.ts'
import { defaultStorageClass } from './default-storage-class.ts'
import { existingPods } from './existing-pods.ts'
import type { FactReader } from './fact.ts'
import { node } from './node.ts'
import { runtimeClass } from './runtime-class.ts'
import { serviceAccount } from './service-account.ts'
import { storageClassExpands } from './storage-class-expands.ts'
import { storedObject } from './stored-object.ts'

const facts = [
  defaultIngressClass,
  defaultStorageClass,
  existingPods,
  node,
  runtimeClass,
  serviceAccount,
  storageClassExpands,
  storedObject,
]

/** Finds out a fact. `lookup` has checked the parameters, whose types are lost in the transfer. */
type FindFact = (host: FactReader, parameters: unknown) => Promise<unknown>

const byName: ReadonlyMap<string, FindFact> = new Map(facts.map(({ name, find }) => [name, find as FindFact]))

/** Returns how a fact is found out; undefined if the lookup is another one. */
export const factNamed = (name: string): FindFact | undefined => byName.get(name)
