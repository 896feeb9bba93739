/** Checks of ClusterTrustBundles. Follows k8s.io/kubernetes/pkg/apis/certificates/validation. */
import { X509Certificate } from 'node:crypto'
import { nameIsDnsSubdomain, type ValidateName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type Errors, validator } from '../checks.ts'
import { checkSignerName } from '../pod/signer-name.ts'
import { type Block, blocksOf } from './pem.ts'

/** A ClusterTrustBundle in every version. */
interface TrustBundle extends KubernetesObject {
  spec: { signerName?: string; trustBundle: string }
}

const field = 'spec.trustBundle'
const omitted = '<value omitted>'
const mostBytes = 1024 * 1024

/** Returns the reason that a block is not a trust anchor. */
function blockProblem({ label, hasHeaders, der }: Block): string | undefined {
  if (label !== 'CERTIFICATE') return `has bad block type: ${label}`
  if (hasHeaders) return 'has PEM block headers'
  try {
    return new X509Certificate(der).ca ? undefined : 'does not have the CA bit set'
  } catch {
    return 'does not parse as X.509'
  }
}

function checkAnchors(text: string, errors: Errors): void {
  if (text.length > mostBytes) {
    errors.tooLong(field, mostBytes)
    return
  }
  const blocks = [...blocksOf(text)]
  const problems = blocks.map(blockProblem)
  for (const [index, problem] of problems.entries()) {
    if (problem !== undefined) errors.invalid(field, omitted, `entry ${index} ${problem}`)
  }
  if (problems.some((problem) => problem !== undefined)) return
  if (blocks.length === 0) errors.invalid(field, omitted, 'at least one trust anchor must be provided')
  const indices = Map.groupBy(blocks.keys(), (index) => Buffer.from(blocks[index]?.der ?? []).toString('base64'))
  for (const same of indices.values()) {
    if (same.length > 1) errors.invalid(field, omitted, `duplicate trust anchor (indices [${same.join(' ')}])`)
  }
}

/** Returns the validation of a bundle's name, which begins with that of its signer. */
export function trustBundleName({ spec: { signerName = '' } }: TrustBundle): ValidateName {
  return (name, isPrefix) => {
    if (signerName === '') {
      return name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : nameIsDnsSubdomain(name, isPrefix)
    }
    const prefix = `${signerName.replaceAll('/', ':')}:`
    return name.startsWith(prefix)
      ? nameIsDnsSubdomain(name.slice(prefix.length), isPrefix)
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`]
  }
}

/** Validates a ClusterTrustBundle, except its metadata. An update does not parse an unchanged bundle. */
export const validateTrustBundle = validator((errors, { spec }: TrustBundle, old?: TrustBundle) => {
  const { signerName = '', trustBundle } = spec
  if (signerName !== '') checkSignerName(signerName, 'spec.signerName', errors)
  if (trustBundle !== old?.spec.trustBundle) checkAnchors(trustBundle, errors)
})

/** Validates the fields of an updated ClusterTrustBundle that must not change. */
export const validateTrustBundleChange = validator((errors, { spec }: TrustBundle, old: TrustBundle) => {
  errors.checkImmutable(spec.signerName ?? '', old.spec.signerName ?? '', 'spec.signerName')
})
