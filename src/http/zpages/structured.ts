/**
 * The pages /statusz and /flagz: for people as text, for programs as versioned objects. Follows the content negotiation of
 * KEP-4827 and KEP-4828.
 */
import type { Encoding } from '../../encoding/encoding.ts'
import { encodings } from '../../encoding/encodings.ts'
import { ApiError } from '../../meta/errors.ts'
import { type AcceptClause, parseAccept } from '../codec/accept.ts'
import { noCache } from '../codec/headers.ts'
import { addWarnings } from '../verbs/respond.ts'

const versions: readonly string[] = ['v1alpha1', 'v1beta1']
const offered = [encodings.json, encodings.yaml]

/** The contents of a page. */
export interface Page {
  /** The kind of its object. */
  readonly kind: 'Statusz' | 'Flagz'
  /** The lines of its text after the heading. */
  readonly lines: readonly string[]
  /** The fields of its object besides apiVersion, kind and metadata. */
  readonly fields: Readonly<Record<string, unknown>>
}

interface Form {
  readonly encoding: Encoding
  readonly version: string
}

/** Returns the form that an Accept entry requests; undefined if it is not available. */
function formOf({ type, subtype, parameters }: AcceptClause, kind: Page['kind']): Form | 'text' | undefined {
  const [as, group, version = ''] = ['as', 'g', 'v'].map((name) => parameters.get(name))
  if (as === undefined && group === undefined) {
    const isText = (type === 'text' || type === '*') && (subtype === 'plain' || subtype === '*')
    return isText ? 'text' : undefined
  }
  const encoding = offered.find(({ mediaType }) => mediaType === `${type}/${subtype}`)
  const isServed = as === kind && group === 'config.k8s.io' && versions.includes(version)
  return encoding !== undefined && isServed ? { encoding, version } : undefined
}

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'

function text(page: string, { lines }: Page): Response {
  const body = `\napiserver ${page}\n${warning}\n${lines.map((line) => `${line}\n`).join('')}`
  return new Response(body, { headers: { ...noCache, 'content-type': 'text/plain; charset=utf-8' } })
}

function structured(page: string, { encoding, version }: Form, { kind, fields }: Page): Response {
  const value = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: 'apiserver' }, ...fields }
  const type = `${encoding.mediaType};g=config.k8s.io;v=${version};as=${kind}`
  const headers = new Headers({ ...noCache, 'content-type': type })
  if (version === 'v1alpha1') {
    addWarnings(headers, [`This version of the ${page} endpoint is deprecated. Please use a newer version.`])
  }
  return new Response(encoding.value(value), { headers })
}

/**
 * Returns a page in the form that the client accepts, for any method.
 * @throws ApiError 406
 */
export function servePage(request: Request, page: Page): Response {
  const accepted = parseAccept(request.headers.get('accept') || '*/*')
  const form = accepted.map((clause) => formOf(clause, page.kind)).find((found) => found !== undefined)
  if (form === undefined) {
    const why = `only the following media types are accepted: ${[...offered.map(({ mediaType }) => mediaType), 'text/plain'].join(', ')}`
    throw new ApiError(406, 'NotAcceptable', why)
  }
  const name = page.kind.toLowerCase()
  return form === 'text' ? text(name, page) : structured(name, form, page)
}
