/** The lines of a restore, before anything is written: clients may have altered them. */
import type { ArchiveSignatures } from '../../auth/archive-signatures.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { isDeploymentKey, kubeconfigSecrets } from '../../clusters/deployment-objects.ts'
import { clusterPrefix } from '../../controllers/cluster/collection.ts'
import { type Epoch, storageVersionsOf } from '../../controllers/crd/collection-definition.ts'
import { kindOfKey, prefixOfKey } from '../../controllers/garbage-collector/kinds.ts'
import { tokenKeysKey } from '../../controllers/token-signer.ts'
import { parseStoredJson } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { badRequest } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { type ArchivedEntry, type ArchivedObject, parseLine } from '../../storage/archive.ts'
import type { Stored } from '../../storage/store.ts'

/** The effect of a line. */
export type RestoredLine =
  | { readonly object: Stored }
  | { readonly storageVersions: readonly Epoch[]; readonly collection: string }
  | { readonly tokenKeys: unknown }
  /** The line is not restored: what it says is made by the server itself, or belongs to another deployment. */
  | 'left out'

/** The Durable Object that gets the lines. */
export interface Recipient {
  /** Whether it is of the default cluster, which alone gets objects of the deployment. */
  readonly isDefault: boolean
  /** Whether it is a control object. */
  readonly isControl: boolean
  /** Whether it holds a collection `<resource>[.<group>]`. */
  readonly holds: (collection: string) => boolean
  readonly signatures: ArchiveSignatures
  /** `unsigned`: the operator says that the lines are of an own backup, whose Cluster objects another deployment has signed, or none. */
  readonly clusters: 'signed' | 'unsigned'
}

/** More than the largest object, whose size kube-apiserver limits to 1.5 MiB. */
const mostBytes = 2 * 1024 * 1024
/** The most characters of a name, with room for those that earlier releases allowed. */
const longestName = 1000

const epochsKey = 'storage-versions'

/** Reads a line. @throws ApiError 400 for one that no backup of such an object contains */
export function restoredLine(text: string, recipient: Recipient): RestoredLine {
  const line = parseLine(text)
  if (line === 'other') return 'left out'
  return 'object' in line ? restoredObject(line, recipient) : restoredEntry(line, recipient)
}

function restoredEntry(line: ArchivedEntry, { isControl, holds, signatures }: Recipient): RestoredLine {
  const { key, value } = line
  if (key === tokenKeysKey) return isControl && signatures.verifies(line) ? { tokenKeys: value } : 'left out'
  if (key !== epochsKey && !key.startsWith(`${epochsKey}/`)) return 'left out'
  const collection = key.slice(epochsKey.length + 1)
  const storageVersions = storageVersionsOf(value)
  if (storageVersions === undefined || (collection === '') === isControl || (isControl && !holds(collection))) {
    throw badRequest(`${JSON.stringify(key.slice(0, 100))} is no list of storage versions of this object`)
  }
  return { storageVersions, collection }
}

function restoredObject(line: ArchivedObject, recipient: Recipient): RestoredLine {
  const { object: key } = line
  const prefix = prefixOfKey(key)
  if (key.length > 3 * longestName || prefix === '' || !recipient.holds(prefix))
    throw invalid(key, 'it belongs to another collection')
  if (isDeploymentKey(key) && !mayRestore(key, line, recipient)) return 'left out'
  return { object: checkedObject(line, key) }
}

/** Whether an object of the deployment may be restored. */
function mayRestore(key: string, line: ArchivedObject, { isDefault, clusters, signatures }: Recipient): boolean {
  // The controller of clusters makes their Secrets.
  if (!isDefault || key.startsWith(kubeconfigSecrets)) return false
  // A Cluster object of somebody else would take over, or delete, the cluster that it names.
  return !key.startsWith(clusterPrefix) || clusters === 'unsigned' || signatures.verifies(line)
}

function checkedObject({ version, value }: ArchivedObject, key: string): Stored {
  if (value.length > mostBytes || Buffer.byteLength(value) > mostBytes) throw invalid(key, 'it is too large')
  const { metadata } = parsed(key, value)
  const segments = key.slice(prefixOfKey(key).length + 1).split('/')
  const kind = kindOfKey(key)
  const isPlace = kind === undefined ? segments.length <= 2 : segments.length === (kind.namespaced ? 2 : 1)
  if (!isPlace || segments.some((name) => name === '' || name.length > longestName)) throw invalid(key, 'the key names no object')
  const [namespace, name] = segments.length === 2 ? segments : [undefined, segments[0]]
  if (metadata.name !== name || metadata.namespace !== namespace) throw invalid(key, 'its metadata names another object')
  if (metadata.uid === undefined || metadata.uid === '' || metadata.uid.length > longestName) throw invalid(key, 'it has no uid')
  if (metadata.resourceVersion !== String(version)) throw invalid(key, 'it has another resourceVersion')
  const { labels } = metadata
  return { key, resourceVersion: version, value, labels: labels === undefined ? '' : JSON.stringify(labels) }
}

/** Parses a stored value, whose types must be those of its kind; of custom resources, those of the metadata. */
function parsed(key: string, value: string): KubernetesObject {
  if (!value.startsWith('{"metadata":{')) throw invalid(key, 'it does not begin with metadata')
  const kind = kindOfKey(key) ?? kindOf('', 'v1', 'configmaps')
  try {
    const object = parseStoredJson(value) as JsonObject
    const ofKind = kindOfKey(key) === undefined ? { metadata: object.metadata ?? null } : object
    kind?.codec.decode(ofKind, undefined, 'Ignore')
    return object as unknown as KubernetesObject
  } catch (error) {
    throw invalid(key, error instanceof Error ? error.message : String(error))
  }
}

const invalid = (key: string, why: string): Error =>
  badRequest(`the object ${JSON.stringify(key.slice(0, 200))} cannot be restored: ${why.slice(0, 300)}`)
