/** A migration report for people: each object with the commands that mend it. */
import type { AffectedObject, AffectedRequests, MigrationReport, PatchOperation, Use } from '../../migration/report.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Returns the name of an object's resource for kubectl: `ingresses.v1.networking.k8s.io`. */
function resourceArgument({ apiVersion, resource }: AffectedObject): string {
  const [group = '', version] = apiVersion.split('/')
  return version === undefined ? resource : `${resource}.${version}.${group}`
}

/** Returns the command that applies the patches of an object; undefined without any. */
function patchCommand(object: AffectedObject): string | undefined {
  const patch = object.uses.flatMap(({ mend }): readonly PatchOperation[] => (mend.type === 'json-patch' ? mend.patch : []))
  if (patch.length === 0 || object.resource === '') return undefined
  const namespace = object.namespace === undefined ? '' : ` --namespace ${object.namespace}`
  return `kubectl patch ${resourceArgument(object)} ${quoted(object.name)}${namespace} --type json --patch ${quoted(JSON.stringify(patch))}`
}

const ways: Readonly<Record<Use['by'], string>> = {
  object: 'is one',
  manifest: 'is one',
  lastApplied: 'was last applied as one',
  managedFields: 'was written as one',
  ownerReference: 'has one as its owner',
  reference: 'refers to one',
  rule: 'has a rule for one',
  helmRelease: 'a manifest of the Helm release has one',
}

function useLines({ by, path, apiVersion, kind, manager, mend }: Use): string[] {
  const at = by === 'reference' || by === 'rule' ? ` at ${path}` : ''
  const who =
    manager === undefined
      ? ''
      : ` by ${manager.name} (${[manager.operation, manager.subresource, manager.time].filter(Boolean).join(', ')})`
  const advice = mend.type === 'advice' ? [`      ${mend.advice}`] : []
  const manifest = mend.type === 'manifest' ? ['      `--output manifests` prints it converted'] : []
  return [`    ${apiVersion} ${kind}: ${ways[by]}${at}${who}`, ...advice, ...manifest]
}

/** Returns the operations of a patch for a file, which no command patches. */
function operationLines({ resource, uses }: AffectedObject): string[] {
  if (resource !== '') return []
  const patches = uses.flatMap(({ mend }) => (mend.type === 'json-patch' ? mend.patch : []))
  return patches.flatMap(({ op, path, value }) => (op === 'test' ? [] : [`      ${op} ${path}: ${JSON.stringify(value)}`]))
}

function objectLines(object: AffectedObject): string[] {
  const { kind, namespace, name, file } = object
  const command = patchCommand(object)
  const title = `  ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${file === undefined ? '' : ` in ${file}`}`
  return [
    title,
    ...object.uses.flatMap(useLines),
    ...operationLines(object),
    ...(command === undefined ? [] : [`      ${command}`]),
  ]
}

function requestLine(seen: AffectedRequests): string {
  const { userAgent, verb, group, version, resource, subresource, count, lastTime, replacement } = seen
  const what = `${group}/${version} ${subresource === '' ? resource : `${resource}/${subresource}`}`
  const last = lastTime === undefined ? '' : `, the last at ${lastTime}`
  const times = counted(count, 'request')
  return `  ${userAgent ?? 'unknown client'}: ${verb === '' ? 'requests' : verb} ${what} (${times}${last})${replacement === undefined ? '' : `: use ${replacement}`}`
}

const section = (title: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', title, ...lines])

/** Returns the report as text. */
export function reportText(report: MigrationReport): string {
  const { from, to, removals, objects, managers, requests, unread, moreObjects } = report
  const between = from === '' ? `Up to ${to}` : `From ${from} to ${to}`
  const total = objects.length + moreObjects
  const summary =
    total + requests.length === 0
      ? `${between}, nothing that was found breaks.`
      : `${between}, ${counted(total, 'object')} and ${counted(requests.length, 'kind of request', 'kinds of requests')} use versions that are removed.`
  const more = moreObjects === 0 ? [] : [`  and ${counted(moreObjects, 'more object')}`]
  const lines = [
    summary,
    ...section(
      'Removed versions',
      removals.flatMap(({ apiVersion, kind, removedIn, replacement, notes }) => [
        `  ${apiVersion} ${kind}, removed in ${removedIn}: ${replacement === undefined ? 'no replacement' : `use ${replacement}`}`,
        ...notes.map((note) => `    ${note}`),
      ]),
    ),
    ...section('Objects', [...objects.flatMap(objectLines), ...more]),
    ...section(
      'Field managers',
      managers.map(
        ({ name, apiVersion, kind, objects: count }) => `  ${name}: ${counted(count, 'object')} as ${apiVersion} ${kind}`,
      ),
    ),
    ...section('Requests', requests.map(requestLine)),
    ...section(
      'Not read',
      unread.map(({ what, why }) => `  ${what}: ${why}`),
    ),
  ]
  return `${lines.join('\n')}\n`
}
