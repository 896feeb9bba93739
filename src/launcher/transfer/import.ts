/** `edgeplane import`: creates the objects of manifests, or of another cluster, in a cluster. */
import { isDeploymentObject } from '../../clusters/deployment-objects.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { renderYaml } from '../../yaml/write.ts'
import { type Api, type ApiAnswer, messageIn } from '../api.ts'
import { LauncherError } from '../launcher-error.ts'
import { forEach } from '../parallel.ts'
import { cleaned, type Manifest, nameOf, namespaceOf, type OwnerReference, ownersOf, textAt } from './manifest.ts'
import { identityOf, ownerIdentities, wavesOf } from './order.ts'
import { groupPath, type Resource } from './source.ts'

/** The field manager of imported fields. */
const manager = 'edgeplane-import'
/** The attempts of an object that the server refuses for now, and the pause between them in milliseconds. */
const attempts = 20
const pause = 250
/** Codes of refusals that may end by themselves: a namespace or a definition that is not there yet, a conflict, an absent webhook. */
const passing = [404, 409, 500]

/** The result of an import. */
export interface ImportSummary {
  readonly objects: number
  /** Owners that are in neither cluster. Their references were left out: the objects would be deleted. */
  readonly missingOwners: readonly string[]
  /** The number of objects that belong to a deployment alone: they were left out. */
  readonly ofDeployment: number
}

interface ApiResources {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[]
}

/** The place of the objects of a kind. */
type Place = Pick<Resource, 'name' | 'namespaced'>

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pause))

/** Imports objects into one cluster. */
class Importer {
  readonly #api: Api
  readonly #places = new Map<string, Promise<Map<string, Place>>>()
  /** The uids of owners in this cluster; undefined for one that does not exist. */
  readonly #uids = new Map<string, string | undefined>()
  readonly missingOwners = new Set<string>()

  constructor(api: Api) {
    this.#api = api
  }

  /** Applies an object, and remembers its uid for the objects that it owns. @throws LauncherError if the server refuses it */
  async apply(object: Manifest): Promise<void> {
    const name = nameOf(object)
    if (name === '') throw new LauncherError(`A ${object.kind} of ${object.apiVersion} has no name.`)
    const body = renderYaml(await this.#withOwners(cleaned(object)))
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(object, body)
      if (answer.status < 300) {
        const { metadata } = JSON.parse(answer.text) as Manifest
        this.#uids.set(identityOf(object.apiVersion, object.kind, namespaceOf(object), name), textAt(metadata, 'uid'))
        return
      }
      if (attempt === attempts || !passing.includes(answer.status)) {
        const place = namespaceOf(object) === '' ? name : `${namespaceOf(object)}/${name}`
        throw new LauncherError(`${object.kind} ${place} was not imported: ${messageIn(answer.text)}.`)
      }
      this.#places.delete(object.apiVersion)
      await wait()
    }
  }

  async #send(object: Manifest, body: string): Promise<ApiAnswer> {
    const path = await this.#pathOf(object.apiVersion, object.kind, namespaceOf(object), nameOf(object))
    if (path === undefined) {
      return {
        status: 404,
        text: JSON.stringify({ message: `the server does not know the kind ${object.kind} of ${object.apiVersion}` }),
      }
    }
    const query = `?fieldManager=${manager}&force=true&fieldValidation=Ignore`
    return this.#api.send({ method: 'PATCH', path: path + query, body, type: 'application/apply-patch+yaml' }, [
      ...passing,
      400,
      403,
      405,
      413,
      422,
    ])
  }

  /** Returns the path of an object; undefined for an unknown kind. */
  async #pathOf(apiVersion: string, kind: string, namespace: string, name: string): Promise<string | undefined> {
    const place = (await this.#placesOf(apiVersion)).get(kind)
    if (place === undefined) return undefined
    const inside = place.namespaced ? `/namespaces/${encodeURIComponent(namespace || 'default')}` : ''
    return `${pathOfVersion(apiVersion)}${inside}/${place.name}/${encodeURIComponent(name)}`
  }

  /** Returns the resources of a version by their kinds, as discovery tells them. */
  #placesOf(apiVersion: string): Promise<Map<string, Place>> {
    const known = this.#places.get(apiVersion)
    if (known !== undefined) return known
    const asked = this.#api.send({ method: 'GET', path: pathOfVersion(apiVersion) }, [404]).then(({ status, text }) => {
      const { resources } = status === 404 ? { resources: [] } : (JSON.parse(text) as ApiResources)
      return new Map(resources.filter(({ name }) => !name.includes('/')).map((resource) => [resource.kind, resource]))
    })
    this.#places.set(apiVersion, asked)
    return asked
  }

  /** Returns an object whose owners have their uids in this cluster. */
  async #withOwners(object: Manifest): Promise<Manifest> {
    const owners = ownersOf(object)
    if (owners.length === 0) return object
    const found: OwnerReference[] = []
    for (const owner of owners) {
      const uid = await this.#uidOf(object, owner)
      if (uid === undefined) this.missingOwners.add(`${owner.kind} ${owner.name}`)
      else found.push({ ...owner, uid })
    }
    const { ownerReferences: _references, ...metadata } = object.metadata
    return { ...object, metadata: { ...metadata, ...(found.length > 0 && { ownerReferences: found }) } }
  }

  async #uidOf(object: Manifest, owner: OwnerReference): Promise<string | undefined> {
    const ids = ownerIdentities(object, owner)
    for (const id of ids) if (this.#uids.has(id)) return this.#uids.get(id)
    const path = await this.#pathOf(owner.apiVersion, owner.kind, namespaceOf(object), owner.name)
    const answer = path === undefined ? undefined : await this.#api.send({ method: 'GET', path }, [404])
    const uid = answer?.status === 200 ? textAt((JSON.parse(answer.text) as Manifest).metadata, 'uid') : undefined
    for (const id of ids) this.#uids.set(id, uid)
    return uid
  }

  /** Waits until the definitions are served. @throws LauncherError for one whose names the server refuses */
  async established(definitions: readonly Manifest[]): Promise<void> {
    await forEach(definitions, async (definition) => {
      for (let attempt = 1; ; attempt++) {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${nameOf(definition)}`
        const { status } = await this.#api.json<{
          status?: { conditions?: { type: string; status: string; message: string }[] }
        }>(path)
        const conditions = status?.conditions ?? []
        if (conditions.some((condition) => condition.type === 'Established' && condition.status === 'True')) return
        if (attempt === attempts) {
          const refused = conditions.find(({ type, status: state }) => type === 'NamesAccepted' && state === 'False')
          throw new LauncherError(
            `The definition ${nameOf(definition)} is not established: ${refused?.message ?? 'try again later'}.`,
          )
        }
        await wait()
      }
    })
    this.#places.clear()
  }
}

function pathOfVersion(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/')
  return version === undefined ? groupPath('', group) : groupPath(group, version)
}

const isDefinition = ({ apiVersion, kind }: JsonObject): boolean =>
  String(apiVersion).startsWith('apiextensions.k8s.io/') && kind === 'CustomResourceDefinition'

/**
 * Applies objects, definitions first, each after those on which it depends. Existing objects are changed, and nothing is deleted.
 * Objects of a deployment alone are left out, also if an export of an earlier release contains them.
 * @throws LauncherError with the first object that the server refuses
 */
export async function importObjects(api: Api, given: readonly Manifest[]): Promise<ImportSummary> {
  const importer = new Importer(api)
  const objects = given.filter((object) => !isDeploymentObject(object))
  for (const wave of wavesOf(objects)) {
    await forEach(wave, (object) => importer.apply(object))
    const definitions = wave.filter(isDefinition)
    if (definitions.length > 0) await importer.established(definitions)
  }
  const ofDeployment = given.length - objects.length
  return { objects: objects.length, missingOwners: [...importer.missingOwners], ofDeployment }
}
