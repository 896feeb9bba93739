/** The parameters of requests, by what is asked. */
import type { FieldTable, TypeTable } from '../../schema/tables.ts'
import type { Parameter } from './model.ts'

const path = (name: string): Parameter => ({ name, in: 'path', type: 'string' })
const text = (name: string): Parameter => ({ name, in: 'query', type: 'string' })
const flag = (name: string): Parameter => ({ name, in: 'query', type: 'boolean' })
const number = (name: string): Parameter => ({ name, in: 'query', type: 'integer' })

export const nameParameter = path('name')
export const namespaceParameter = path('namespace')
/** The rest of a proxied path. */
export const proxyPathParameter = path('path')
export const pretty = text('pretty')

const dryRun = text('dryRun')
const selection: readonly Parameter[] = [
  text('continue'),
  text('fieldSelector'),
  text('labelSelector'),
  number('limit'),
  text('resourceVersion'),
  text('resourceVersionMatch'),
  flag('sendInitialEvents'),
  text('shardSelector'),
  number('timeoutSeconds'),
]

export const listParameters: readonly Parameter[] = [flag('allowWatchBookmarks'), ...selection, flag('watch')]
export const writeParameters: readonly Parameter[] = [dryRun, text('fieldManager'), text('fieldValidation')]
export const patchParameters: readonly Parameter[] = [...writeParameters, flag('force')]
export const deleteParameters: readonly Parameter[] = [
  dryRun,
  number('gracePeriodSeconds'),
  flag('ignoreStoreReadErrorWithClusterBreakingPotential'),
  flag('orphanDependents'),
  text('propagationPolicy'),
]
export const deleteCollectionParameters: readonly Parameter[] = [...selection, ...deleteParameters]

const fieldTypes: ReadonlyMap<string, Parameter['type']> = new Map([
  ['string', 'string'],
  ['bool', 'boolean'],
  ['int32', 'integer'],
  ['int64', 'integer'],
])

const ofType = new Set(['kind', 'apiVersion'])

function optionParameter(name: string, { type }: FieldTable): Parameter[] {
  const found = fieldTypes.get(type.replace(/^(?:\*|\[\])/, ''))
  return found === undefined || ofType.has(name) ? [] : [{ name, in: 'query', type: found }]
}

/** The parameters that a type of options is read from, such as PodLogOptions: its fields of one value, or a list of such. */
export function optionParameters(options: TypeTable | undefined): Parameter[] {
  if (options === undefined || !('fields' in options)) return []
  return Object.entries(options.fields).flatMap(([name, field]) => optionParameter(name, field))
}
