/** Generates requests: valid ones with some parts broken. The same seed and index give the same request. */
import { gzipSync } from 'node:zlib'
import type { JsonValue } from '../../src/go/json-value.ts'
import { Choice, type Weighted } from './choice.ts'
import { confine } from './confine.ts'
import { kindTemplates, recordedTemplates, type Template } from './corpus.ts'
import * as dictionary from './dictionary.ts'
import { type Lane, replaced } from './lane.ts'
import { breakHeaders, breakPath, breakQuery, type Header } from './mutate-address.ts'
import { breakBytes, breakValue, type Formed, jsonOf, objectForms, patchForms } from './mutate-body.ts'
import type { AttackRequest } from './request.ts'
import { tenantTemplates } from './tenant.ts'

/** The parts of a request that can be broken, with weights. */
type Break = 'method' | 'path' | 'query' | 'headers' | 'value' | 'form' | 'bytes' | 'transfer' | 'asker'

const breaks: Weighted<Break> = [
  [5, 'method'],
  [12, 'path'],
  [16, 'query'],
  [14, 'headers'],
  [30, 'value'],
  [12, 'form'],
  [8, 'bytes'],
  [3, 'transfer'],
  [1, 'asker'],
]

const breakCounts: Weighted<number> = [
  [12, 0],
  [45, 1],
  [25, 2],
  [12, 3],
  [6, 6],
]

const sources: Weighted<'recorded' | 'kind' | 'other' | 'tenant'> = [
  [48, 'recorded'],
  [42, 'kind'],
  [6, 'other'],
  [4, 'tenant'],
]

/** A request while it is being broken. */
interface Draft {
  method: string
  target: string
  headers: readonly Header[]
  value: JsonValue | undefined
  bytes: Buffer | undefined
  form: Formed | undefined
  isChunked: boolean
  isAnonymous: boolean
}

const otherTemplate = (choice: Choice): Template => ({
  method: 'GET',
  target: choice.weighted(dictionary.otherRoutes),
  headers: [],
  body: undefined,
  chance: undefined,
})

/** Makes the requests of a seed. */
export class Generator {
  readonly #seed: number
  readonly #recorded = recordedTemplates()
  readonly #kinds = kindTemplates()
  readonly #tenants = tenantTemplates()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Makes the request with this index, for the objects of a lane. */
  request(index: number, lane: Lane): AttackRequest {
    const choice = new Choice(this.#seed, index)
    const draft = draftOf(this.#template(choice), lane)
    const kinds = new Set(Array.from({ length: choice.weighted(breakCounts) }, () => choice.weighted(breaks)))
    for (const kind of breakOrder) if (kinds.has(kind)) breakers[kind](choice, draft)
    return confine(finished(draft, choice), lane)
  }

  #template(choice: Choice): Template {
    const source = choice.weighted(sources)
    if (source === 'other') return otherTemplate(choice)
    if (source === 'tenant') return choice.one(this.#tenants)
    return source === 'kind' ? choice.one(choice.one(this.#kinds)) : choice.one(this.#recorded)
  }
}

function draftOf({ method, target, headers, body, chance }: Template, lane: Lane): Draft {
  const fill = (text: string): string => replaced(text, lane, chance)
  return {
    method,
    target: fill(target),
    headers: headers.map(([name, value]): Header => [name.toLowerCase(), fill(value)]),
    value: body !== undefined && 'json' in body ? (JSON.parse(fill(body.json)) as JsonValue) : undefined,
    bytes: body !== undefined && 'text' in body ? Buffer.from(fill(body.text)) : undefined,
    form: undefined,
    isChunked: false,
    isAnonymous: false,
  }
}

/** The order in which breaks are applied. */
const breakOrder: readonly Break[] = ['method', 'path', 'query', 'value', 'form', 'bytes', 'headers', 'transfer', 'asker']

function contentOf(draft: Draft): Buffer | undefined {
  if (draft.bytes !== undefined) return draft.bytes
  return draft.value === undefined ? undefined : Buffer.from(jsonOf(draft.value))
}

const breakers: Readonly<Record<Break, (choice: Choice, draft: Draft) => void>> = {
  method: (choice, draft) => {
    draft.method = choice.one(dictionary.methods)
  },
  path: (choice, draft) => {
    draft.target = breakPath(choice, draft.target)
  },
  query: (choice, draft) => {
    for (let left = 1 + choice.below(3); left > 0; left--) draft.target = breakQuery(choice, draft.target)
  },
  headers: (choice, draft) => {
    draft.headers = breakHeaders(choice, draft.headers)
  },
  value: (choice, draft) => {
    if (draft.value === undefined) return
    for (let left = 1 + choice.below(3); left > 0; left--) breakValue(choice, draft.value)
  },
  form: (choice, draft) => {
    const value = draft.value ?? { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 }
    const forms = draft.method === 'PATCH' && choice.happens(0.9) ? patchForms : objectForms
    const form = choice.weighted(forms)(choice, value)
    if (form === undefined) return
    draft.bytes = form.bytes
    draft.headers = [...draft.headers.filter(([name]) => name !== 'content-type'), ['content-type', form.type]]
  },
  bytes: (choice, draft) => {
    draft.bytes = breakBytes(choice, contentOf(draft) ?? Buffer.from('{}'))
  },
  transfer: (choice, draft) => {
    const content = contentOf(draft)
    if (content === undefined || choice.happens(0.5)) draft.isChunked = content !== undefined
    else {
      draft.bytes = choice.happens(0.9) ? gzipSync(content) : content
      draft.headers = [...draft.headers, ['content-encoding', 'gzip']]
    }
  },
  asker: (choice, draft) => {
    if (choice.happens(0.5)) draft.isAnonymous = true
    else draft.headers = [...draft.headers, ['impersonate-user', 'alice']]
  },
}

function finished(draft: Draft, choice: Choice): AttackRequest {
  const { method, target, headers, isChunked, isAnonymous } = draft
  const body = contentOf(draft)
  const hasType = headers.some(([name]) => name === 'content-type')
  return {
    method,
    target,
    headers: body === undefined || hasType ? headers : [...headers, ['content-type', 'application/json']],
    body,
    chunks: isChunked && body !== undefined ? Array.from({ length: 3 }, () => 1 + choice.below(body.length + 1)) : undefined,
    isAnonymous,
  }
}
