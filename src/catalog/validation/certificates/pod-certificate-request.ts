/** Checks of PodCertificateRequests. Follows k8s.io/kubernetes/pkg/apis/certificates/validation. */
import { utf8Length } from '../../../go/text.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import type { PodCertificateRequest, PodCertificateRequestSpec } from '../../generated/types/certificates.v1beta1.ts'
import { type Errors, immutable, isSame, validator } from '../checks.ts'
import { checkSignerName, isKubernetesSigner } from '../pod/signer-name.ts'
import { isSignedBy, type PublicKey, parsePublicKey } from './public-key.ts'
import { type CertificateRequest, parseDer, signatureError } from './request.ts'

const longestUid = 128
const shortestExpiration = 3600
const longestExpiration = 7_862_400
/** The longest expiration of Kubernetes' own signers, in seconds. */
const longestOfKubernetes = 86_400
const longestKey = 10 * 1024
const longestAnnotations = 256 * 1024

const keyField = 'spec.pkixPublicKey'
const proofField = 'spec.proofOfPossession'
const requestField = 'spec.stubPKCS10Request'

const bytesOf = (base64: string | null): Uint8Array => new Uint8Array(Buffer.from(base64 ?? '', 'base64'))

/** Checks the user's annotations, as those of an object: keys are qualified names in lower case. */
function checkAnnotations(annotations: Readonly<Record<string, string>>, field: string, errors: Errors): void {
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    const problems = validateLabelKey(key.toLowerCase(), field)
    if (problems.length > 0) errors.push(...validateLabelKey(key, field))
    size += utf8Length(key) + utf8Length(value)
  }
  if (size > longestAnnotations) errors.tooLong(field, longestAnnotations)
}

/** Checks the names and uids of the Pod, its ServiceAccount and its Node. */
function checkSubject(spec: PodCertificateRequestSpec, errors: Errors): void {
  for (const [name, uid] of [
    ['podName', 'podUID'],
    ['serviceAccountName', 'serviceAccountUID'],
    ['nodeName', 'nodeUID'],
  ] as const) {
    errors.checkMessages(nameIsDnsSubdomain(spec[name], false), spec[name], `spec.${name}`)
    if (spec[uid] === '') errors.invalid(`spec.${uid}`, spec[uid], 'must not be empty')
    if (utf8Length(spec[uid]) > longestUid) errors.tooLong(`spec.${uid}`, longestUid)
  }
}

function checkExpiration({ signerName, maxExpirationSeconds }: PodCertificateRequestSpec, errors: Errors): boolean {
  const field = 'spec.maxExpirationSeconds'
  if (maxExpirationSeconds === undefined) {
    errors.required(field, 'must be set')
    return false
  }
  const longest = isKubernetesSigner(signerName) ? longestOfKubernetes : longestExpiration
  if (maxExpirationSeconds < shortestExpiration || maxExpirationSeconds > longest) {
    errors.invalid(field, maxExpirationSeconds, `must be in the range [${shortestExpiration}, ${longest}]`)
  }
  return true
}

/** Adds an error for a key with another curve or size than those that are allowed. Returns whether it is allowed. */
function checkStrength({ curve, bits, type }: PublicKey, field: string, curveNames: string, errors: Errors): boolean {
  if (curve === 'P-224') errors.invalid(field, `curve ${curve}`, `elliptic public keys must use curve ${curveNames}`)
  else if (type === 'RSA' && bits !== 3072 && bits !== 4096) {
    errors.invalid(field, `${bits}-bit modulus`, 'RSA keys must have modulus size 3072 or 4096')
  } else return true
  return false
}

function checkKey({ pkixPublicKey, proofOfPossession, podUID }: PodCertificateRequestSpec, errors: Errors): void {
  const [der, proof] = [bytesOf(pkixPublicKey), bytesOf(proofOfPossession)]
  if (der.length > longestKey) errors.tooLong(keyField, longestKey)
  else if (proof.length > longestKey) errors.tooLong(proofField, longestKey)
  else {
    const key = parsed(() => parsePublicKey(der))
    if (key === undefined) errors.invalid(keyField, pkixPublicKey, 'must be a valid PKIX-serialized public key')
    else if (checkStrength(key, keyField, 'P256 or P384', errors) && !isSignedBy(key, new TextEncoder().encode(podUID), proof)) {
      errors.invalidAlone(proofField, 'could not verify proof-of-possession signature')
    }
  }
}

/** Returns what a function returns; undefined if it throws, because its input is no DER of that type. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}

function checkRequest({ stubPKCS10Request }: PodCertificateRequestSpec, errors: Errors): void {
  const der = bytesOf(stubPKCS10Request)
  if (der.length > longestKey) {
    errors.tooLong(requestField, longestKey)
    return
  }
  const request: CertificateRequest | undefined = parsed(() => parseDer(der))
  const key = request && parsed(() => parsePublicKey(request.publicKey))
  if (request === undefined || key === undefined) errors.invalidAlone(requestField, 'must be a valid PKCS#10 CSR')
  else if (checkStrength(key, requestField, 'P256, P384, or P521', errors)) {
    const isValid = parsed(() => signatureError(request) === undefined)
    if (isValid !== true) errors.invalidAlone(requestField, 'invalid signature')
  }
}

/** Returns the public key of a request, in DER; undefined if it has none that can be parsed. */
export function requestedKey({ stubPKCS10Request, pkixPublicKey }: PodCertificateRequestSpec): Uint8Array | undefined {
  const request = bytesOf(stubPKCS10Request)
  return request.length === 0 ? bytesOf(pkixPublicKey) : parsed(() => parseDer(request).publicKey)
}

/** Validates a new PodCertificateRequest, except its metadata. */
export const validatePodCertificateRequest = validator((errors, { spec }: PodCertificateRequest) => {
  checkSignerName(spec.signerName, 'spec.signerName', errors)
  checkAnnotations(spec.unverifiedUserAnnotations ?? {}, 'spec.unverifiedUserAnnotations', errors)
  checkSubject(spec, errors)
  if (!checkExpiration(spec, errors)) return
  const [request, key, proof] = [spec.stubPKCS10Request, spec.pkixPublicKey, spec.proofOfPossession].map(
    (field) => (field ?? '') !== '',
  )
  if (request && !key && !proof) checkRequest(spec, errors)
  else if (!request && key && proof) checkKey(spec, errors)
  else errors.invalidAlone('spec', 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set')
})

/** Returns a spec as messages show it: with the names of Go's fields. */
const internalSpec = (spec: PodCertificateRequestSpec): object => ({
  SignerName: spec.signerName,
  PodName: spec.podName,
  PodUID: spec.podUID,
  ServiceAccountName: spec.serviceAccountName,
  ServiceAccountUID: spec.serviceAccountUID,
  NodeName: spec.nodeName,
  NodeUID: spec.nodeUID,
  MaxExpirationSeconds: spec.maxExpirationSeconds ?? null,
  PKIXPublicKey: spec.pkixPublicKey,
  ProofOfPossession: spec.proofOfPossession,
  StubPKCS10Request: spec.stubPKCS10Request,
  UnverifiedUserAnnotations: spec.unverifiedUserAnnotations ?? null,
})

/** Validates an update: the spec does not change. */
export const validatePodCertificateRequestUpdate = validator(
  (errors, { spec }: PodCertificateRequest, old: PodCertificateRequest) => {
    if (!isSame(spec, old.spec)) errors.invalid('spec', internalSpec(spec), immutable)
  },
)
