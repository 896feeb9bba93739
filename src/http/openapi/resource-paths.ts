/** The paths of a group version's resources. Follows k8s.io/apiserver/pkg/endpoints. */

import { strategyOptionsOf } from '../../registry/strategy-options.ts'
import type { ResourceTable, SubresourceTable, VersionTable } from '../../schema/tables.ts'
import { groupVersionText } from '../discovery/served-version.ts'
import type { Method, Operation, PathItem } from './model.ts'
import { capitalized, versionName, versionTag } from './names.ts'
import {
  connect,
  create,
  list,
  type Made,
  patch,
  read,
  readText,
  remove,
  removeCollection,
  replace,
  type Subject,
  watch,
} from './operations.ts'
import { nameParameter, namespaceParameter, optionParameters, pretty, proxyPathParameter } from './parameters.ts'

type Tables = ReadonlyMap<string, VersionTable>
type Parameters = Operation['parameters']

/** Returns a path with its operations, or an empty list if it has no operations. */
function pathItem(path: string, made: readonly Made[], parameters: Parameters): PathItem[] {
  if (made.length === 0) return []
  const withPath = made.map(([method, of]) => [method, { ...of, parameters: [...of.parameters, ...parameters] }] as const)
  return [{ path, operations: Object.fromEntries(withPath) }]
}

/** A resource of a group version, with the common parts of its paths and operationIds. */
interface Context {
  readonly tables: Tables
  readonly version: VersionTable
  readonly resource: ResourceTable
  readonly root: string
  readonly subject: Subject
  /** The group version in operationIds, such as `AppsV1`. */
  readonly group: string
  /** The resource in operationIds: `NamespacedDeployment`, or `Node` for a cluster-scoped kind. */
  readonly noun: string
  /** The parameters of all paths: the namespace if the resource is namespaced. */
  readonly parameters: Parameters
}

const has = (of: { readonly verbs: readonly string[] }, verb: string): boolean => of.verbs.includes(verb)

/**
 * Whether DELETE is documented to return the object. This is the resource's strategy, except for namespaces: their storage is
 * wrapped, and kube-apiserver documents a Status for it.
 */
function returnsDeletedObject({ version, resource }: Context): boolean {
  if (resource.resource === 'namespaces') return false
  return strategyOptionsOf(version.group === '' ? resource.resource : `${resource.resource}.${version.group}`)
    .returnsDeletedObject
}

function collectionPath(context: Context): PathItem[] {
  const { resource, subject, group, noun, parameters, root } = context
  const made = [
    ...(has(resource, 'list') ? [list(subject, `list${group}${noun}`)] : []),
    ...(has(resource, 'create') ? [create(subject, `create${group}${noun}`)] : []),
    ...(has(resource, 'deletecollection') ? [removeCollection(subject, `delete${group}Collection${noun}`)] : []),
  ]
  return pathItem(`${root}/${scope(resource)}${resource.resource}`, made, [...parameters, pretty])
}

const scope = (resource: ResourceTable): string => (resource.namespaced ? 'namespaces/{namespace}/' : '')

function itemPath(context: Context): PathItem[] {
  const { resource, subject, group, noun, parameters, root } = context
  const returnsObject = returnsDeletedObject(context)
  const made = [
    ...(has(resource, 'get') ? [read(subject, `read${group}${noun}`)] : []),
    ...(has(resource, 'update') ? [replace(subject, `replace${group}${noun}`)] : []),
    ...(has(resource, 'delete') ? [remove(subject, `delete${group}${noun}`, returnsObject)] : []),
    ...(has(resource, 'patch') ? [patch(subject, `patch${group}${noun}`)] : []),
  ]
  return pathItem(`${root}/${scope(resource)}${resource.resource}/{name}`, made, [
    nameParameter(subject.kind.kind),
    ...parameters,
    pretty,
  ])
}

function allNamespacesPath({ resource, subject, group, root }: Context): PathItem[] {
  if (!resource.namespaced || !has(resource, 'list')) return []
  const made = [list(subject, `list${group}${resource.kind}ForAllNamespaces`)]
  return pathItem(`${root}/${resource.resource}`, made, [pretty])
}

function watchPaths({ resource, subject, group, noun, parameters, root }: Context): PathItem[] {
  if (!has(resource, 'watch')) return []
  const within = `${root}/watch/${scope(resource)}${resource.resource}`
  const all = watch(subject, `watch${group}${resource.kind}ListForAllNamespaces`, 'watchlist')
  return [
    ...(resource.namespaced ? pathItem(`${root}/watch/${resource.resource}`, [all], [pretty]) : []),
    ...pathItem(within, [watch(subject, `watch${group}${noun}List`, 'watchlist')], [...parameters, pretty]),
    ...pathItem(
      `${within}/{name}`,
      [watch(subject, `watch${group}${noun}`, 'watch')],
      [nameParameter(subject.kind.kind), ...parameters, pretty],
    ),
  ]
}

const typesOf = (version: VersionTable): string => `${version.package}/${version.version}`

/** Returns the package of a group version, as references to types name it. */
function packageOf(tables: Tables, group: string, version: string): string {
  for (const [path, table] of tables) if (table.group === group && table.version === version && path !== 'meta/v1') return path
  throw new Error(`no table has the types of ${group}/${version}`)
}

function subresourceSubject(context: Context, { name, kind }: SubresourceTable): Subject {
  const group = kind.group ?? context.version.group
  const version = kind.version ?? context.version.version
  const path =
    kind.group === undefined && kind.version === undefined ? typesOf(context.version) : packageOf(context.tables, group, version)
  const type = `${path}.${kind.kind}`
  const { tag, owner } = context.subject
  return { tag, kind: { group, version, kind: kind.kind }, type, owner, part: name, watchable: false }
}

const connectMethods: ReadonlyMap<string, Method> = new Map([
  ['get', 'get'],
  ['update', 'put'],
  ['create', 'post'],
  ['delete', 'delete'],
  ['patch', 'patch'],
])
/** A proxy also forwards these methods; discovery has no verbs for them. */
const proxiedMethods: readonly Method[] = ['options', 'head']

function connectPaths(context: Context, of: SubresourceTable, subject: Subject, path: string): PathItem[] {
  const parameters = [nameParameter(subject.kind.kind), ...context.parameters]
  const options = optionParameters(subject.type, context.tables.get('core/v1')?.types[of.kind.kind])
  const verbs = of.verbs.flatMap((verb) => connectMethods.get(verb) ?? [])
  const all = of.name === 'proxy' ? [...verbs, ...proxiedMethods] : verbs
  const made = (suffix: string): Made[] =>
    all.map((method) => {
      const id = `connect${context.group}${capitalized(method)}${context.noun}${capitalized(of.name)}${suffix}`
      return connect(subject, id, method, options)
    })
  if (of.name !== 'proxy') return pathItem(path, made(''), parameters)
  return [
    ...pathItem(path, made(''), parameters),
    ...pathItem(`${path}/{path}`, made('WithPath'), [...parameters, proxyPathParameter]),
  ]
}

function subresourcePaths(context: Context, of: SubresourceTable): PathItem[] {
  const { resource, group, root, tables } = context
  const subject = subresourceSubject(context, of)
  const path = `${root}/${scope(resource)}${resource.resource}/{name}/${of.name}`
  if (of.kind.kind.endsWith('Options')) return connectPaths(context, of, subject, path)
  const name = `${group}${context.noun}${capitalized(of.name)}`
  const parameters = [nameParameter(subject.kind.kind), ...context.parameters, pretty]
  if (of.name === 'log') {
    const options = optionParameters('core/v1.PodLogOptions', tables.get('core/v1')?.types.PodLogOptions)
    return pathItem(path, [readText(subject, `read${name}`, options)], parameters)
  }
  const made = [
    ...(has(of, 'get') ? [read(subject, `read${name}`)] : []),
    ...(has(of, 'update') ? [replace(subject, `replace${name}`)] : []),
    ...(has(of, 'create') ? [create(subject, `create${name}`)] : []),
    ...(has(of, 'patch') ? [patch(subject, `patch${name}`)] : []),
  ]
  return pathItem(path, made, parameters)
}

function contextOf(tables: Tables, version: VersionTable, resource: ResourceTable): Context {
  const { kind, namespaced } = resource
  return {
    tables,
    version,
    resource,
    root: version.group === '' ? `/api/${version.version}` : `/apis/${groupVersionText(version)}`,
    subject: {
      tag: versionTag(version),
      kind: { group: version.group, version: version.version, kind },
      type: `${typesOf(version)}.${kind}`,
      owner: kind,
      watchable: has(resource, 'watch'),
    },
    group: versionName(version),
    noun: namespaced ? `Namespaced${kind}` : kind,
    parameters: namespaced ? [namespaceParameter] : [],
  }
}

/** Returns the paths of a group version's resources and subresources, unsorted. `tables` are keyed by `<package>/<version>`. */
export function resourcePaths(tables: Tables, version: VersionTable): PathItem[] {
  return version.resources.flatMap((resource) => {
    const context = contextOf(tables, version, resource)
    return [
      ...collectionPath(context),
      ...itemPath(context),
      ...allNamespacesPath(context),
      ...watchPaths(context),
      ...(resource.subresources ?? []).flatMap((of) => subresourcePaths(context, of)),
    ]
  })
}
