import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { validateAnnotations } from '../../../meta/object-meta-validation.ts'
import type * as corev1 from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkFieldRef, checkResourceRef } from './env.ts'
import { checkMode, checkNonReservedPath } from './paths.ts'
import { checkSignerName, isKubernetesSigner } from './signer-name.ts'

const downwardPaths = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
const duplicatePaths = 'conflicting duplicate paths'
const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519']
const shortestToken = 600
const longestToken = 2 ** 32
const shortestCertificate = 3600
const longestCertificate = 91 * 24 * 3600
const longestKubernetesCertificate = 24 * 3600

/** Validates the items that map keys to files. */
export function checkItems(items: readonly corev1.KeyToPath[] | undefined, field: string, errors: Errors): void {
  for (const [index, item] of (items ?? []).entries()) checkItem(item, `${field}[${index}]`, errors)
}

function checkItem({ key, path, mode }: corev1.KeyToPath, at: string, errors: Errors): void {
  if (key === '') errors.required(`${at}.key`)
  if (path === '') errors.required(`${at}.path`)
  checkNonReservedPath(path, `${at}.path`, errors)
  checkMode(mode, `${at}.mode`, errors)
}

/** Validates a file of the downward API. The messages contain no index. */
export function checkDownwardFile(file: corev1.DownwardAPIVolumeFile, field: string, errors: Errors): void {
  if (file.path === '') errors.required(`${field}.path`)
  checkNonReservedPath(file.path, `${field}.path`, errors)
  if (file.fieldRef !== undefined) {
    checkFieldRef(file.fieldRef, downwardPaths, `${field}.fieldRef`, errors)
    if (file.resourceFieldRef !== undefined) {
      errors.invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
    }
  } else if (file.resourceFieldRef !== undefined) {
    checkResourceRef(file.resourceFieldRef, 'needs container', `${field}.resourceFieldRef`, errors)
  } else errors.required(field, 'one of fieldRef and resourceFieldRef is required')
  checkMode(file.mode, `${field}.mode`, errors)
}

/** Reports a path that another source uses too. */
type Claim = (path: string, reported?: string) => void

function checkKeys(source: { name?: string; items?: corev1.KeyToPath[] }, at: string, claim: Claim, errors: Errors): void {
  const { name = '', items = [] } = source
  if (name === '') errors.required(`${at}.name`)
  for (const [index, item] of items.entries()) {
    checkItem(item, `${at}.items[${index}]`, errors)
    if (item.path !== '') claim(item.path, name)
  }
}

function checkToken(
  { expirationSeconds = 0, path }: { expirationSeconds?: number; path: string },
  field: string,
  at: string,
  errors: Errors,
): void {
  const seconds = `${at}.expirationSeconds`
  if (expirationSeconds < shortestToken) {
    errors.invalid(seconds, expirationSeconds, 'may not specify a duration less than 10 minutes')
  }
  if (expirationSeconds > longestToken) {
    errors.invalid(seconds, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')
  }
  if (path === '') errors.required(`${field}.path`)
  else checkNonReservedPath(path, `${field}.path`, errors)
}

function checkBundleName(name: string, field: string, errors: Errors): void {
  if (name === '') errors.required(field, 'must be a valid object name')
  const colon = name.lastIndexOf(':')
  for (const text of isDns1123Subdomain(name.slice(colon + 1))) {
    errors.invalid(field, name, `not a valid clustertrustbundlename: ${text}`)
  }
}

function checkBundle(bundle: corev1.ClusterTrustBundleProjection, at: string, claim: Claim, errors: Errors): void {
  const { name, signerName, labelSelector, optional, path } = bundle
  if (name !== undefined && signerName !== undefined) {
    const reported = {
      Name: name,
      SignerName: signerName,
      LabelSelector: labelSelector ?? null,
      Optional: optional ?? null,
      Path: path,
    }
    errors.invalid(at, reported, 'only one of name and signerName may be used')
  } else if (name !== undefined) {
    checkBundleName(name, `${at}.name`, errors)
    if (labelSelector !== undefined) {
      errors.invalid(`${at}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified')
    }
  } else if (signerName !== undefined) {
    if (signerName === '') errors.required(`${at}.signerName`, 'must be a valid signer name')
    checkSignerName(signerName, `${at}.signerName`, errors)
    errors.push(...validateLabelSelector(labelSelector, `${at}.labelSelector`))
  } else errors.required(at, 'either name or signerName must be specified')
  if (path === '') errors.required(`${at}.path`)
  checkNonReservedPath(path, `${at}.path`, errors)
  claim(path)
}

function checkLifetime(certificate: corev1.PodCertificateProjection, field: string, errors: Errors): void {
  const { maxExpirationSeconds: seconds, signerName = '' } = certificate
  if (seconds === undefined) return
  const text = 'if provided, maxExpirationSeconds must be'
  if (seconds < shortestCertificate) errors.invalid(field, seconds, `${text} >= ${shortestCertificate}`)
  const longest = isKubernetesSigner(signerName) ? longestKubernetesCertificate : longestCertificate
  if (seconds > longest) errors.invalid(field, seconds, `${text} <= ${longest}`)
}

function checkCertificate(certificate: corev1.PodCertificateProjection, at: string, claim: Claim, errors: Errors): void {
  const { signerName = '', keyType = '', userAnnotations } = certificate
  checkSignerName(signerName, `${at}.signerName`, errors)
  if (userAnnotations !== undefined) errors.push(...validateAnnotations(userAnnotations, `${at}.userAnnotations`))
  if (!keyTypes.includes(keyType)) errors.textNotSupported(`${at}.keyType`, keyType, keyTypes)
  checkLifetime(certificate, `${at}.maxExpirationSeconds`, errors)
  const paths = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).filter((name) => certificate[name])
  for (const name of paths) {
    checkNonReservedPath(certificate[name] ?? '', `${at}.${name}`, errors)
    claim(certificate[name] ?? '')
  }
  if (paths.length > 0) return
  errors.required(at, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath')
}

function checkSource(source: corev1.VolumeProjection, field: string, at: string, claim: Claim, errors: Errors): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source
  if (secret !== undefined) checkKeys(secret, `${at}.secret`, claim, errors)
  if (configMap !== undefined) checkKeys(configMap, `${at}.configMap`, claim, errors)
  for (const file of downwardAPI?.items ?? []) {
    checkDownwardFile(file, `${at}.downwardAPI`, errors)
    if (file.path !== '') claim(file.path)
  }
  if (serviceAccountToken !== undefined) checkToken(serviceAccountToken, field, `${at}.serviceAccountToken`, errors)
  if (clusterTrustBundle !== undefined) checkBundle(clusterTrustBundle, `${at}.clusterTrustBundle`, claim, errors)
  if (podCertificate !== undefined) checkCertificate(podCertificate, `${at}.podCertificate`, claim, errors)
  if (Object.keys(source).length > 1) errors.forbidden(at, 'may not specify more than 1 volume type per source')
}

/** Validates a projected volume. */
export function checkProjected({ sources, defaultMode }: corev1.ProjectedVolumeSource, field: string, errors: Errors): void {
  checkMode(defaultMode, `${field}.defaultMode`, errors)
  const paths = new Set<string>()
  const claim: Claim = (path, reported = path) => {
    if (paths.has(path)) errors.invalid(field, reported, duplicatePaths)
    paths.add(path)
  }
  for (const [index, source] of (sources ?? []).entries()) checkSource(source, field, `${field}.sources[${index}]`, claim, errors)
}
