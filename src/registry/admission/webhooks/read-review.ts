/** Reads the response of an admission webhook. Follows VerifyAdmissionResponse of the package webhook/request. */
import { typeTables } from '../../../catalog/generated/served.ts'
import type { AdmissionWebhookCall, AdmissionWebhookResponse, ReviewVersion } from '../../../clusters/lookups.ts'
import { parseJson } from '../../../go/json.ts'
import { isObject } from '../../../go/json-object.ts'
import { JsonSyntaxError } from '../../../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import { goQuote } from '../../../go/text.ts'
import { readTypeMeta, scheme, type TypeMeta } from '../../../meta/type-meta.ts'
import { decode } from '../../../schema/decode.ts'
import { DecodeError } from '../../../schema/decode-run.ts'
import { TypeResolver } from '../../../schema/resolve.ts'
import type { FieldTable, VersionTable } from '../../../schema/tables.ts'
import type { Type } from '../../../schema/type.ts'
import { readYaml } from '../../../yaml/parse.ts'

const group = 'admission.k8s.io'
const kind = 'AdmissionReview'

const text: FieldTable = { type: 'string', omitempty: true }

/** The fields of a response. Requests in a response are ignored. */
function tableOf(version: ReviewVersion): VersionTable {
  const own = `admission/${version}`
  return {
    group,
    version,
    package: 'admission',
    resources: [],
    types: {
      AdmissionReview: {
        fields: { kind: text, apiVersion: text, response: { type: `*${own}.AdmissionResponse`, omitempty: true } },
      },
      AdmissionResponse: {
        fields: {
          uid: { type: 'string', required: true },
          allowed: { type: 'bool', required: true },
          status: { type: '*meta/v1.Status', omitempty: true },
          patch: { type: '[]byte', omitempty: true },
          patchType: { type: `*${own}.PatchType`, omitempty: true },
          auditAnnotations: { type: 'map[string]string', omitempty: true },
          warnings: { type: '[]string', omitempty: true },
        },
      },
      PatchType: { alias: 'string' },
    },
  }
}

let types: ReadonlyMap<string, Type> | undefined

/** Returns the Go type of an apiVersion and kind that the webhook client knows. */
function typeOf({ apiVersion, kind: name }: TypeMeta): Type | undefined {
  if (types === undefined) {
    const tables = new Map([
      ...typeTables,
      ['admission/v1', tableOf('v1')] as const,
      ['admission/v1beta1', tableOf('v1beta1')] as const,
    ])
    const resolver = new TypeResolver(tables)
    types = new Map([
      [`${group}/v1 ${kind}`, resolver.resolve(`admission/v1.${kind}`)],
      [`${group}/v1beta1 ${kind}`, resolver.resolve(`admission/v1beta1.${kind}`)],
      ['v1 Status', resolver.resolve('meta/v1.Status')],
    ])
  }
  return types.get(`${apiVersion} ${name}`)
}

/** Reports why a response is no review, in kube-apiserver's words. */
export class ReviewError extends Error {}

const unreadable = (why: string): ReviewError => new ReviewError(`failed to call webhook: ${why}`)
const invalid = (why: string): ReviewError => new ReviewError(`received invalid webhook response: ${why}`)

/** Parses JSON, or YAML, which kube-apiserver's client reads too. */
function parsed(body: string): JsonValue {
  const isJson = /^\s*[[{"]/.test(body)
  try {
    return isJson ? parseJson(body) : parseJson(readYaml(body).json)
  } catch (error) {
    if (isJson && error instanceof JsonSyntaxError)
      throw unreadable(`couldn't get version/kind; json parse error: ${error.message}`)
    return body
  }
}

/** Decodes the response by the apiVersion and kind that it declares; missing ones are those of the request. */
function decoded(body: string, version: ReviewVersion): { readonly review: JsonObject; readonly declared: TypeMeta } {
  const value = parsed(body)
  const declared = readTypeMeta(value)
  if (typeof declared === 'string') throw unreadable(declared)
  const actual = { apiVersion: declared.apiVersion || `${group}/${version}`, kind: declared.kind || kind }
  const type = typeOf(actual)
  if (type === undefined)
    throw unreadable(
      `no kind ${goQuote(actual.kind)} is registered for version ${goQuote(actual.apiVersion)} in scheme ${goQuote(scheme)}`,
    )
  try {
    const { object } = decode(type, value)
    if (actual.apiVersion === `${group}/${version}` && actual.kind === kind) return { review: object, declared }
  } catch (error) {
    if (error instanceof DecodeError) throw unreadable(error.message)
    throw error
  }
  const from = `${actual.apiVersion.slice(actual.apiVersion.indexOf('/') + 1)}.${actual.kind}`
  throw unreadable(`converting (${from}) to (${version}.${kind}): unknown conversion`)
}

const describe = ({ apiVersion, kind: name }: TypeMeta): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${name}`

/** Checks the identity of a v1 response. Earlier versions have never had one. */
function checkIdentity(response: JsonObject, declared: TypeMeta, uid: string): void {
  const answered = response.uid
  if (answered !== uid) throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(answered ?? ''))}`)
  const expected = { apiVersion: `${group}/v1`, kind }
  if (declared.apiVersion !== expected.apiVersion || declared.kind !== kind)
    throw invalid(`expected webhook response of ${describe(expected)}, got ${describe(declared)}`)
}

/** Checks that patch and patchType fit the phase and each other. */
function checkPatch(phase: AdmissionWebhookCall['phase'], patch: string, patchType: JsonValue | undefined): void {
  if (phase === 'validating') {
    if (patch !== '') throw invalid('validating webhook may not return response.patch')
    if (patchType !== undefined) throw invalid('validating webhook may not return response.patchType')
    return
  }
  if (patch !== '' && patchType === undefined) throw invalid('webhook returned response.patch but not response.patchType')
  if (patch === '' && patchType !== undefined) throw invalid('webhook returned response.patchType but not response.patch')
  if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""')
}

/** The patch of a mutating webhook, and its type if that is not supported. */
function patchOf(
  { phase, version }: Pick<AdmissionWebhookCall, 'phase' | 'version'>,
  patch: string,
  patchType: JsonValue | undefined,
): Pick<AdmissionWebhookResponse, 'patch' | 'unsupportedPatchType'> {
  if (phase === 'validating' || patch === '') return {}
  const isSupported = version === 'v1beta1' || patchType === 'JSONPatch'
  return {
    patch: Buffer.from(patch, 'base64').toString('utf8'),
    ...(!isSupported && { unsupportedPatchType: String(patchType) }),
  }
}

/**
 * Reads the response of a webhook.
 * @param uid of the review that was sent
 * @throws ReviewError
 */
export function readReview(
  body: string,
  uid: string,
  call: Pick<AdmissionWebhookCall, 'phase' | 'version'>,
): AdmissionWebhookResponse {
  const { review, declared } = decoded(body, call.version)
  const { response } = review
  if (!isObject(response)) throw invalid('webhook response was absent')
  const { patchType, status, auditAnnotations, warnings } = response
  const patch = typeof response.patch === 'string' ? response.patch : ''
  if (call.version === 'v1') {
    checkIdentity(response, declared, uid)
    checkPatch(call.phase, patch, patchType)
  }
  return {
    allowed: response.allowed === true,
    ...(isObject(status) && { status }),
    ...patchOf(call, patch, patchType),
    auditAnnotations: isObject(auditAnnotations) ? (auditAnnotations as Record<string, string>) : {},
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  }
}
