/**
 * Holds JSON answers against the OpenAPI v3 documents that the server itself publishes: a client that is generated from them must be
 * able to read each answer. ajv is the judge, so that no code of ours decides about itself.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

/** Fetches a document of the server as text; undefined if it is not served. */
type Fetch = (path: string) => Promise<string | undefined>

interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
}

interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

interface Schema {
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

/** Larger answers are lists of the same objects again. */
const longestAnswer = 64 * 1024
/** Answers of one kind that are kept; later ones replace earlier ones. */
const answersOfKind = 20

const isTypeMeta = (value: unknown): value is TypeMeta =>
  typeof value === 'object' && value !== null && 'apiVersion' in value && 'kind' in value

/** Parses JSON; undefined for no body and for the events of a watch. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Collects the answers of one server and checks them together. */
export class PublishedSchemas {
  readonly #answers = new Map<string, string[]>()

  /** Keeps an answer that is a Kubernetes object in JSON. */
  add(contentType: unknown, text: string): void {
    if (contentType !== 'application/json' || text.length > longestAnswer) return
    const value = parsed(text)
    if (!isTypeMeta(value)) return
    const name = `${value.apiVersion} ${value.kind}`
    const answers = this.#answers.get(name) ?? []
    answers.push(text)
    this.#answers.set(name, answers.slice(-answersOfKind))
  }

  /**
   * Checks what was collected.
   * @throws Error that lists each field which does not fit the published schema
   */
  async check(fetch: Fetch): Promise<void> {
    if (this.#answers.size === 0) return
    const index = JSON.parse((await fetch('/openapi/v3')) ?? '{"paths":{}}') as Index
    const documents = new Map<string, PublishedDocument | undefined>()
    const problems = new Set<string>()
    for (const [name, answers] of this.#answers) {
      const [apiVersion = '', kind = ''] = name.split(' ')
      const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`
      if (!documents.has(path)) documents.set(path, await documentAt(index.paths[path]?.serverRelativeURL, fetch))
      const validate = documents.get(path)?.validatorOf(apiVersion, kind)
      if (validate === undefined) continue
      for (const problem of answers.flatMap((answer) => problemsOf(validate, JSON.parse(answer))))
        problems.add(`${name}${problem}`)
    }
    if (problems.size > 0) throw new Error(`answers do not fit the published OpenAPI:\n${[...problems].join('\n')}`)
  }
}

/** Go writes null for nil: clients read it as absent. */
function problemsOf(validate: ValidateFunction, answer: unknown): string[] {
  if (validate(answer)) return []
  const errors: readonly ErrorObject[] = validate.errors ?? []
  const wrong = errors.filter(({ data }) => data !== null)
  return wrong.map(({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`)
}

/** A document is the same in each server that names the same hash. */
async function documentAt(url: string | undefined, fetch: Fetch): Promise<PublishedDocument | undefined> {
  if (url === undefined) return undefined
  const file = join(tmpdir(), `edgeplane-openapi-${url.replace(/[^\w.]+/g, '-')}.json`)
  if (existsSync(file)) return new PublishedDocument(JSON.parse(readFileSync(file, 'utf8')) as Document)
  const text = await fetch(url)
  if (text === undefined) return undefined
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text)
  renameSync(temporary, file)
  return new PublishedDocument(JSON.parse(text) as Document)
}

/** One group version's document, whose schemas are compiled when a kind is asked for. */
class PublishedDocument {
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, verbose: true })
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor({ components }: Document) {
    this.#schemas = components?.schemas ?? {}
    this.#ajv.addSchema({ $id: 'document', components })
  }

  /** Returns undefined if the document has no schema of the kind, as for Tables. */
  validatorOf(apiVersion: string, kind: string): ValidateFunction | undefined {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    const isIt = (one: GroupVersionKind): boolean => one.group === group && one.version === version && one.kind === kind
    const named = Object.entries(this.#schemas).find(([, schema]) => schema['x-kubernetes-group-version-kind']?.some(isIt))
    return named === undefined ? undefined : this.#ajv.getSchema(`document#/components/schemas/${named[0]}`)
  }
}
