/** Compares two servers: a custom resource with changing rules, and objects whose expressions are only compiled. */
import type { JsonObject } from '../../../src/go/json-value.ts'
import type { Client } from '../../../test/client.ts'
import { exchange, type NormalizedResponse } from '../../generated/exchange.ts'
import type { GeneratedRule } from './generate.ts'
import type { Place } from './places.ts'
import { type Bounds, before, schemaOf, specs } from './samples.ts'

/** A difference between two responses. */
export interface Difference {
  readonly place: string
  readonly expression: string
  readonly ours: string
  readonly theirs: string
}

interface Cause {
  readonly field?: string
  readonly message?: string
}

const group = `expressions-${process.pid}.example.com`
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const collection = `/apis/${group}/v1/samples`
const rulesPath = /x-kubernetes-validations\[(\d+)\]/

/** The timeout until a changed definition takes effect in the reference, in milliseconds. */
const patience = 30_000

const textOf = ({ rule, messageExpression }: GeneratedRule): string =>
  messageExpression === undefined ? rule : `${rule} — ${messageExpression}`

function definition(bounds: Bounds, rules: readonly JsonObject[]): JsonObject {
  const names = { plural: 'samples', singular: 'sample', kind: 'Sample', listKind: 'SampleList' }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOf(bounds, rules) } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `samples.${group}` },
    spec: { group, scope: 'Cluster', names, versions: [version] },
  }
}

const sample = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Sample',
  metadata: { name },
  spec,
})

function causesOf({ body }: NormalizedResponse): readonly Cause[] {
  const { details } = (body ?? {}) as { readonly details?: { readonly causes?: readonly Cause[] } }
  return details?.causes ?? []
}

/** Returns the causes of a response by the index of their expression, as text; other causes have the index -1. */
function byExpression(answer: NormalizedResponse, indexOf: (field: string) => number): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const { field = '', message = '' } of causesOf(answer)) {
    const index = indexOf(field)
    found.set(index, `${found.get(index) ?? ''}${field}: ${message}\n`)
  }
  const rest = causesOf(answer).length > 0 ? answer.status : answer.body
  return found.set(-2, JSON.stringify([answer.status, answer.warnings, answer.status >= 300 ? rest : '']))
}

const lastIndex = (field: string): number => Number([...field.matchAll(/\[(\d+)\]/g)].at(-1)?.[1] ?? -1)

/** Replaces the number in the type name of `self`, which Kubernetes increases each time. */
const settled = <T>(answer: T): T => JSON.parse(JSON.stringify(answer).replaceAll(/\bselfType\d+/g, 'selfType1')) as T

/** Two servers, Edgeplane first. */
export class Trial {
  readonly #servers: readonly [Client, Client]
  #round = 0
  /** The resourceVersion of the kept object on each server. */
  #versions: readonly string[] = []

  constructor(servers: readonly [Client, Client]) {
    this.#servers = servers
  }

  /**
   * Sends a request to both servers.
   * @param versions the resourceVersion for each server; omitted if absent
   */
  async #both(method: string, path: string, object?: JsonObject, versions: readonly string[] = []) {
    const [first, second] = this.#servers
    const body = object === undefined ? undefined : JSON.stringify(object)
    const answers = await Promise.all([
      exchange(first, method, path, body, versions[0]),
      exchange(second, method, path, body, versions[1]),
    ] as const)
    return settled(answers)
  }

  /** Creates the definition, without rules, and an object. */
  async begin(): Promise<void> {
    await this.#both('POST', definitions, definition('bounded', []))
    await this.#established()
    const made = await this.#both('POST', collection, sample('kept', before))
    for (const { status, body } of made) if (status !== 201) throw new Error(`no object: ${JSON.stringify(body)}`)
    this.#versions = made.map(({ version }) => version)
  }

  /** Deletes the definition. */
  async end(): Promise<void> {
    await this.#both('DELETE', `${definitions}/samples.${group}`)
  }

  async #until(
    holds: (answers: readonly [NormalizedResponse, NormalizedResponse]) => boolean,
    ask: () => Promise<readonly [NormalizedResponse, NormalizedResponse]>,
  ) {
    const end = Date.now() + patience
    let answers = await ask()
    while (!holds(answers)) {
      if (Date.now() > end) throw new Error(`the definition does not count: ${JSON.stringify(answers)}`)
      await new Promise((done) => setTimeout(done, 50))
      answers = await ask()
    }
  }

  #established(): Promise<void> {
    return this.#until(
      (answers) => answers.every(({ status }) => status === 200),
      () => this.#both('GET', collection),
    )
  }

  /** Compares the responses to definitions with the rules, and to objects under the accepted rules. */
  async rules(rules: readonly GeneratedRule[]): Promise<Difference[]> {
    const found: Difference[] = []
    const refused = new Set<number>()
    for (const bounds of ['unbounded', 'bounded'] as const) {
      const answers = await this.#both('POST', `${definitions}?dryRun=All`, this.#other(definition(bounds, asJson(rules))))
      const indexOf = (field: string): number => Number(rulesPath.exec(field)?.[1] ?? -1)
      found.push(...this.#compare(`definition, ${bounds}`, rules.map(textOf), answers, indexOf))
      if (bounds === 'bounded') for (const { field = '' } of causesOf(answers[1])) refused.add(indexOf(field))
    }
    const accepted = rules.filter((_, i) => !refused.has(i))
    found.push(...(await this.#judged(accepted)))
    return found
  }

  /** Returns the definition under a name that is not in use. */
  #other(made: JsonObject): JsonObject {
    const text = JSON.stringify(made)
      .replaceAll('samples', 'others')
      .replaceAll('Sample', 'Other')
      .replaceAll('"sample"', '"other"')
    return JSON.parse(text) as JsonObject
  }

  /** Compares the evaluation of rules for objects; if their total cost is too high, half of them at a time. */
  async #judged(rules: readonly GeneratedRule[]): Promise<Difference[]> {
    if (rules.length === 0) return []
    const marker = { rule: `!has(self.marker) || self.marker != ${++this.#round}`, message: `round ${this.#round}` }
    const { spec = {} } = definition('bounded', [...asJson(rules), marker])
    const [ours, theirs] = await this.#both('PATCH', `${definitions}/samples.${group}`, { spec })
    if (theirs.status === 422 && rules.length > 1) return this.#halves(rules)
    if (theirs.status !== 200) throw new Error(`the definition is refused: ${JSON.stringify(theirs)}`)
    if (ours.status !== 200) return [this.#difference('definition', rules, ours, theirs)]
    const marked = sample('marked', { marker: this.#round })
    await this.#until(
      (answers) => answers.every(({ body }) => JSON.stringify(body).includes(`round ${this.#round}`)),
      () => this.#both('POST', `${collection}?dryRun=All`, marked),
    )
    return this.#objects(rules)
  }

  async #objects(rules: readonly GeneratedRule[]): Promise<Difference[]> {
    const found: Difference[] = []
    for (const [i, spec] of specs.entries()) {
      const created = await this.#both('POST', `${collection}?dryRun=All`, sample('new', spec))
      const updated = await this.#both('PUT', `${collection}/kept?dryRun=All`, sample('kept', spec), this.#versions)
      for (const [verb, answers] of [
        ['create', created],
        ['update', updated],
      ] as const) {
        if (same(answers)) continue
        // A failing rule is identified by evaluating each rule alone.
        if (rules.length === 1) found.push(this.#difference(`${verb} of object ${i}`, rules, ...answers))
        else return this.#halves(rules)
      }
    }
    return found
  }

  async #halves(rules: readonly GeneratedRule[]): Promise<Difference[]> {
    const half = rules.length >> 1
    return [...(await this.#judged(rules.slice(0, half))), ...(await this.#judged(rules.slice(half)))]
  }

  #difference(place: string, rules: readonly GeneratedRule[], ours: NormalizedResponse, theirs: NormalizedResponse): Difference {
    return { place, expression: rules.map(textOf).join('\n'), ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) }
  }

  /** Compares the responses to an object that contains expressions. */
  async compiled(place: string, form: Place, expressions: readonly string[]): Promise<Difference[]> {
    const { path, object } = form(expressions)
    const answers = await this.#both('POST', `${path}?dryRun=All`, object)
    return this.#compare(place, expressions, answers, lastIndex)
  }

  #compare(
    place: string,
    expressions: readonly string[],
    answers: readonly [NormalizedResponse, NormalizedResponse],
    indexOf: (field: string) => number,
  ): Difference[] {
    if (same(answers)) return []
    const [ours, theirs] = answers.map((answer) => byExpression(answer, indexOf))
    const keys = new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])
    const found: Difference[] = []
    for (const key of keys) {
      const [mine = '', their = ''] = [ours?.get(key), theirs?.get(key)]
      const expression = expressions[key] ?? '(the whole)'
      if (mine !== their) found.push({ place, expression, ours: mine, theirs: their })
    }
    const whole = { place, expression: '(the whole)', ours: JSON.stringify(answers[0]), theirs: JSON.stringify(answers[1]) }
    return found.length > 0 ? found : [whole]
  }
}

/** Returns the rules as a schema has them. A rule with several lines must have a message. */
const asJson = (rules: readonly GeneratedRule[]): JsonObject[] =>
  rules.map((rule) => (/[\n\r]/.test(rule.rule) ? { ...rule, message: 'of several lines' } : { ...rule }))

function same([ours, theirs]: readonly [NormalizedResponse, NormalizedResponse]): boolean {
  // The body of an accepted object is not compared.
  const parts = ({ status, warnings, body }: NormalizedResponse) => JSON.stringify([status, warnings, status < 300 ? '' : body])
  return parts(ours) === parts(theirs)
}
