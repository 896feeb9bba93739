/** The parameters of requests, by verb. */
import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import type { FieldTable, TypeTable } from '../../schema/tables.ts'
import type { Parameter } from './model.ts'

/** Makes a query parameter of a field of an options type: it has the field's name and description. */
type Field = (type: string, name: string) => Parameter

const field =
  (type: Parameter['type']): Field =>
  (options, name) => ({ name, in: 'query', type, description: () => descriptionOf(options, name) })

const [text, flag, number] = [field('string'), field('boolean'), field('integer')]
const LIST = 'meta/v1.ListOptions'
const DELETE = 'meta/v1.DeleteOptions'

/** Returns the path parameter with the name of an object of the kind. */
export const nameParameter = (kind: string): Parameter => ({
  name: 'name',
  in: 'path',
  type: 'string',
  description: () => `name of the ${kind}`,
})

/** The descriptions of `namespace` and `pretty`, which are not fields of ListOptions, are stored with those of its fields. */
export const namespaceParameter: Parameter = { ...text(LIST, 'namespace'), in: 'path' }
export const pretty: Parameter = text(LIST, 'pretty')

/** The remaining path of a proxy request. */
export const proxyPathParameter: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: () => 'path to the resource',
}

const dryRun = text(DELETE, 'dryRun')
/** The parameter `resourceVersion` of get and list. */
export const resourceVersionParameter: Parameter = text(LIST, 'resourceVersion')

const selection: readonly Parameter[] = [
  text(LIST, 'continue'),
  text(LIST, 'fieldSelector'),
  text(LIST, 'labelSelector'),
  number(LIST, 'limit'),
  resourceVersionParameter,
  text(LIST, 'resourceVersionMatch'),
  flag(LIST, 'sendInitialEvents'),
  text(LIST, 'shardSelector'),
  number(LIST, 'timeoutSeconds'),
]

const written = (options: string): readonly Parameter[] => [
  dryRun,
  text(options, 'fieldManager'),
  text(options, 'fieldValidation'),
]

export const listParameters: readonly Parameter[] = [flag(LIST, 'allowWatchBookmarks'), ...selection, flag(LIST, 'watch')]
export const writeParameters: readonly Parameter[] = written('meta/v1.CreateOptions')
export const patchParameters: readonly Parameter[] = [...written('meta/v1.PatchOptions'), flag('meta/v1.PatchOptions', 'force')]
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  number(DELETE, 'gracePeriodSeconds'),
  flag(DELETE, 'ignoreStoreReadErrorWithClusterBreakingPotential'),
  flag(DELETE, 'orphanDependents'),
  text(DELETE, 'propagationPolicy'),
]
export const deleteCollectionParameters: readonly Parameter[] = [...selection, ...deleteParameters]

const fieldTypes: ReadonlyMap<string, Parameter['type']> = new Map([
  ['string', 'string'],
  ['bool', 'boolean'],
  ['int32', 'integer'],
  ['int64', 'integer'],
])

const ofType = new Set(['kind', 'apiVersion'])

function optionParameter(options: string, name: string, { type }: FieldTable): Parameter[] {
  const found = fieldTypes.get(type.replace(/^(?:\*|\[\])/, ''))
  return found === undefined || ofType.has(name) ? [] : [field(found)(options, name)]
}

/** Returns the query parameters of an options type such as PodLogOptions: its scalar fields and lists of scalars. */
export function optionParameters(reference: string, options: TypeTable | undefined): Parameter[] {
  if (options === undefined || !('fields' in options)) return []
  return Object.entries(options.fields).flatMap(([name, each]) => optionParameter(reference, name, each))
}
