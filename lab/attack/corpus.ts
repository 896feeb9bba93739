/** The valid requests from which hostile ones are made: recorded requests, and each verb of each kind. */
import { join } from 'node:path'
import { type RequestStep, readScenario, scenarioNames } from '../../conformance/scenario.ts'
import type { Kind } from '../../src/catalog/kind.ts'
import { allKinds } from '../../src/catalog/scheme.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import { servedAs } from '../generated/comparison.ts'
import { fullest } from '../generated/fullest.ts'
import { names, smallest } from '../generated/samples.ts'

/** A request before its variables are replaced. */
export interface Template {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  /** JSON, or the recorded text; undefined without a body. */
  readonly body: { readonly json: string } | { readonly text: string } | undefined
  /** For recorded scenarios: the replacement of the random part of names. */
  readonly chance: string | undefined
}

const scenarios = join(import.meta.dirname, '../../conformance/scenarios')

function templateOf(step: RequestStep, chance: string): Template {
  const [method = '', ...rest] = step.do.split(' ')
  const given = Object.entries(step.headers ?? {}).filter((entry): entry is [string, string] => entry[1] !== null)
  const { body } = step
  return {
    method,
    target: rest.join(' '),
    headers: given,
    body: body === undefined ? undefined : typeof body === 'string' ? { text: body } : { json: JSON.stringify(body) },
    chance,
  }
}

/** Returns the requests of all recorded scenarios, in the order of the files. */
export function recordedTemplates(): Template[] {
  const found: Template[] = []
  for (const name of scenarioNames(scenarios)) {
    // Begins with a letter, because some names need one.
    const chance = `r${name.replaceAll('-', '')}`.slice(0, 30)
    for (const step of readScenario(scenarios, name).steps) if ('do' in step) found.push(templateOf(step, chance))
  }
  return found
}

/** Whether a recorded request creates a CustomResourceDefinition. */
export const isDefinition = ({ method, target, body }: Template): boolean =>
  method === 'POST' && /\/customresourcedefinitions$/.test(target) && body !== undefined && 'json' in body

/** Returns the collection's path of a kind; the namespace is a variable. */
export function collectionOf({ group, version, resource, namespaced }: Kind): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/$NAMESPACE' : ''}/${resource}`
}

const nameTemplates = ['web-$LANE', 'api-$LANE', 'db-$LANE']

function bodiesOf(kind: Kind, name: string): string[] {
  const head = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } }
  return [smallest, fullest].flatMap((samples) => {
    const rest: JsonObject | undefined = samples[servedAs(kind)]
    return rest === undefined ? [] : [JSON.stringify({ ...head, ...rest })]
  })
}

const patchTypes = ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml']

const withoutBody = (method: string, target: string): Template => ({
  method,
  target,
  headers: [],
  body: undefined,
  chance: undefined,
})

function writesOf(kind: Kind, collection: string, name: string): Template[] {
  const path = `${collection}/${name}`
  return bodiesOf(kind, name).flatMap((json) => {
    const write = (method: string, target: string, type = 'application/json'): Template => ({
      method,
      target,
      headers: [['content-type', type]],
      body: { json },
      chance: undefined,
    })
    const subresources = [...kind.subresources.keys()].map((subresource) => `${path}/${subresource}`)
    return [
      write('POST', collection),
      write('PUT', path),
      ...patchTypes.map((type) =>
        write('PATCH', `${path}${type.includes('apply') ? '?fieldManager=attack&force=true' : ''}`, type),
      ),
      ...subresources.flatMap((target) => [write('PUT', target), write('POST', target), write('PATCH', target, patchTypes[0])]),
    ]
  })
}

function readsOf(kind: Kind, collection: string, name: string): Template[] {
  const path = `${collection}/${name}`
  return [
    withoutBody('GET', path),
    withoutBody('GET', collection),
    withoutBody('GET', `${collection}?limit=2`),
    withoutBody('GET', `${collection}?watch=true&timeoutSeconds=1`),
    withoutBody('DELETE', path),
    withoutBody('DELETE', collection),
    ...[...kind.subresources.keys()].map((subresource) => withoutBody('GET', `${path}/${subresource}`)),
  ]
}

/** Returns each verb of each built-in kind with valid objects; a list for each kind. */
export function kindTemplates(): Template[][] {
  return [...allKinds()].map((kind) => {
    const collection = collectionOf(kind)
    const only = names[servedAs(kind)]
    return (only === undefined ? nameTemplates : [only]).flatMap((name) => [
      ...writesOf(kind, collection, name),
      ...readsOf(kind, collection, name),
    ])
  })
}
