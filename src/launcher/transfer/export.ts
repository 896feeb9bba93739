/** `edgeplane export`: writes the objects of a cluster as a directory of manifests. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderYaml } from '../../yaml/write.ts'
import type { Api } from '../api.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { cleaned, type Manifest, nameOf, namespaceOf, ownersOf } from './manifest.ts'
import { objectsOf, type Selection } from './source.ts'

/** The folders, in the order in which `kubectl apply --recursive` reads them. */
const folders = ['0-definitions', '1-namespaces', '2-cluster', '3-namespaced'] as const

/** Returns a name of a file or folder. Names of objects may contain `:` and `%`, and be `.` or `..` no less. */
const fileName = (name: string): string => encodeURIComponent(name).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))

/** Returns the path of an object in the directory. */
export function fileOf(object: Manifest): string {
  const { apiVersion, kind } = object
  const [definitions, namespaces, cluster, namespaced] = folders
  const file = `${fileName(nameOf(object))}.yaml`
  if (apiVersion.startsWith('apiextensions.k8s.io/') && kind === 'CustomResourceDefinition') return join(definitions, file)
  if (apiVersion === 'v1' && kind === 'Namespace') return join(namespaces, file)
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['']
  const folder = (group === '' ? kind : `${kind}.${group}`).toLowerCase()
  const namespace = namespaceOf(object)
  return namespace === '' ? join(cluster, folder, file) : join(namespaced, fileName(namespace), folder, file)
}

/** Whether a controller makes the object again from its owner. */
const isMadeByController = (object: Manifest): boolean => ownersOf(object).some(({ controller }) => controller === true)

/** Returns an object without the uids of its owners: an import finds them by their names. */
function withNamedOwners(object: Manifest): Manifest {
  const owners = ownersOf(object)
  if (owners.length === 0) return object
  return { ...object, metadata: { ...object.metadata, ownerReferences: owners.map(({ uid: _uid, ...owner }) => owner) } }
}

/** Refuses a directory with other files, and empties one of an earlier export. */
function prepare(directory: string): void {
  if (!existsSync(directory)) return
  const others = readdirSync(directory).filter((name) => !folders.some((folder) => folder === name) && !name.startsWith('.'))
  if (others.length > 0)
    throw new LauncherError(`The directory ${directory} holds other files, such as ${others[0]}: name another one.`)
  for (const folder of folders) rmSync(join(directory, folder), { recursive: true, force: true })
}

/**
 * Writes the objects of a cluster, one file each. An earlier export in the directory is replaced. Returns their number.
 * @throws LauncherError if the server or the directory cannot be used
 */
export async function exportManifests(api: Api, directory: string, selection: Selection): Promise<number> {
  const objects = (await objectsOf(api, selection)).filter((object) => !isMadeByController(object))
  try {
    prepare(directory)
    for (const object of objects) {
      const file = join(directory, fileOf(object))
      mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
      const isSecret = object.apiVersion === 'v1' && object.kind === 'Secret'
      writeFileSync(file, renderYaml(withNamedOwners(cleaned(object))), { mode: isSecret ? 0o600 : 0o644 })
    }
  } catch (error) {
    if (error instanceof LauncherError) throw error
    throw new LauncherError(`The directory ${directory} cannot be written: ${reasonOf(error)}.`)
  }
  return objects.length
}
