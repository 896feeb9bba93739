/** The documents that another API server serves about itself: only what belongs to the APIService is taken from them. */
import type { ApiService, ApiServiceDocuments } from '../../clusters/api-services.ts'
import { parseJson } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** The maximum length of the documents of one APIService as JSON: they are a part of the policy snapshot. */
const mostCharacters = 128 * 1024

type GroupVersion = Pick<ApiService, 'group' | 'version'>

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])
const objectsIn = (value: JsonValue | undefined): JsonObject[] => listOf(value).filter(isObject)
const textsIn = (value: JsonValue | undefined): string[] => listOf(value).filter((one) => typeof one === 'string')
const textAt = (object: JsonObject, key: string): string => {
  const value = Object.hasOwn(object, key) ? object[key] : undefined
  return typeof value === 'string' ? value : ''
}

const kindOf = (value: JsonValue | undefined): JsonObject =>
  isObject(value)
    ? { group: textAt(value, 'group'), version: textAt(value, 'version'), kind: textAt(value, 'kind') }
    : { group: '', version: '', kind: '' }

const someTexts = (key: string, value: JsonValue | undefined): JsonObject => {
  const texts = textsIn(value)
  return texts.length === 0 ? {} : { [key]: texts }
}

function subresourceOf(subresource: JsonObject): JsonObject {
  const accepted = objectsIn(subresource.acceptedTypes).map(kindOf)
  return {
    subresource: textAt(subresource, 'subresource'),
    responseKind: kindOf(subresource.responseKind),
    ...(accepted.length > 0 && { acceptedTypes: accepted }),
    verbs: textsIn(subresource.verbs),
  }
}

function resourceOf(resource: JsonObject): JsonObject {
  const subresources = objectsIn(resource.subresources).map(subresourceOf)
  return {
    resource: textAt(resource, 'resource'),
    responseKind: kindOf(resource.responseKind),
    scope: textAt(resource, 'scope'),
    singularResource: textAt(resource, 'singularResource'),
    verbs: textsIn(resource.verbs),
    ...someTexts('shortNames', resource.shortNames),
    ...someTexts('categories', resource.categories),
    ...(subresources.length > 0 && { subresources }),
  }
}

const versionOf = (version: string, resources: readonly JsonObject[]): JsonObject => ({
  version,
  ...(resources.length > 0 && { resources: [...resources] }),
})

/** Returns the version of an APIGroupDiscoveryList; one without resources if the list does not name it. */
export function versionInAggregated(text: string, { group, version }: GroupVersion): JsonObject {
  const list = parseJson(text)
  const isGroup = ({ metadata }: JsonObject): boolean => isObject(metadata) && textAt(metadata, 'name') === group
  const groups = isObject(list) ? objectsIn(list.items).filter(isGroup) : []
  const found = groups.flatMap(({ versions }) => objectsIn(versions)).find((one) => textAt(one, 'version') === version)
  return versionOf(version, objectsIn(found?.resources).map(resourceOf))
}

/** Returns the version that an APIResourceList describes. Follows ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver. */
export function versionInResourceList(text: string, { group, version }: GroupVersion): JsonObject {
  const list = parseJson(text)
  const listed = isObject(list) ? objectsIn(list.resources) : []
  const kindIn = (resource: JsonObject): JsonObject => ({
    group: textAt(resource, 'group') || group,
    version: textAt(resource, 'version') || version,
    kind: textAt(resource, 'kind'),
  })
  const subresourcesOf = (name: string): JsonObject[] =>
    listed
      .filter((one) => textAt(one, 'name').startsWith(`${name}/`))
      .map((one) => ({
        subresource: textAt(one, 'name').slice(name.length + 1),
        responseKind: kindIn(one),
        verbs: textsIn(one.verbs),
      }))
  const resources = listed
    .filter((one) => !textAt(one, 'name').includes('/'))
    .map((one) => {
      const subresources = subresourcesOf(textAt(one, 'name'))
      return {
        resource: textAt(one, 'name'),
        responseKind: kindIn(one),
        scope: one.namespaced === true ? 'Namespaced' : 'Cluster',
        singularResource: textAt(one, 'singularName'),
        verbs: textsIn(one.verbs),
        ...someTexts('shortNames', one.shortNames),
        ...someTexts('categories', one.categories),
        ...(subresources.length > 0 && { subresources }),
      }
    })
  return versionOf(version, resources)
}

/** Returns the paths of an index of OpenAPI 3 that belong to the group and to its version. */
export function pathsInIndex(text: string, { group, version }: GroupVersion): Record<string, string> {
  const index = parseJson(text)
  const paths = isObject(index) && isObject(index.paths) ? index.paths : {}
  const found = [`apis/${group}`, `apis/${group}/${version}`].flatMap((path) => {
    const entry = Object.hasOwn(paths, path) ? paths[path] : undefined
    const url = isObject(entry) ? textAt(entry, 'serverRelativeURL') : ''
    return url.startsWith('/openapi/v3/') ? [[path, url] as const] : []
  })
  return Object.fromEntries(found)
}

/** Returns the documents, without those that are too long. */
export function boundedDocuments(documents: ApiServiceDocuments, version: string): ApiServiceDocuments {
  if (JSON.stringify(documents).length <= mostCharacters) return documents
  const { discovery = { version }, openApiVersion } = documents
  const isShort = JSON.stringify(discovery).length <= mostCharacters
  return { discovery: isShort ? discovery : { version }, ...(openApiVersion !== undefined && { openApiVersion }) }
}
