/**
 * The Secrets that Pods may reference: mirror Pods none; other Pods only those that their ServiceAccount lists, if it enforces
 * mountable secrets.
 */
import type { Container, PodSpec, Volume } from '../../../catalog/generated/types/core.v1.ts'
import type { PodAccount } from '../../facts/service-account.ts'

/** The field with the Secret of each volume source. */
const secretFields: Readonly<Partial<Record<keyof Volume, string>>> = {
  azureFile: 'secretName',
  cephfs: 'secretRef',
  cinder: 'secretRef',
  flexVolume: 'secretRef',
  rbd: 'secretRef',
  secret: 'secretName',
  scaleIO: 'secretRef',
  iscsi: 'secretRef',
  storageos: 'secretRef',
  csi: 'nodePublishSecretRef',
}

type Source = Readonly<Record<string, unknown>>

const nameIn = (reference: unknown): string =>
  typeof reference === 'string' ? reference : ((reference as { readonly name?: string } | undefined)?.name ?? '')

function secretsOfVolume(volume: Volume): string[] {
  const projected = (volume.projected?.sources ?? []).map(({ secret }) => secret?.name ?? '')
  const sources = Object.entries(volume) as [keyof Volume, unknown][]
  const others = sources.map(([source, value]) => nameIn((value as Source)[secretFields[source] ?? '']))
  return [...projected, ...others]
}

function secretsOfContainer({ env = [], envFrom = [] }: Container): string[] {
  return [
    ...envFrom.map(({ secretRef }) => secretRef?.name ?? ''),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? ''),
  ]
}

/** Returns the names of all Secrets to which a Pod refers, '' among them. */
export function secretsOfPod(spec: PodSpec): string[] {
  const { containers, initContainers = [], ephemeralContainers = [], volumes = [], imagePullSecrets = [] } = spec
  return [
    ...imagePullSecrets.map(({ name = '' }) => name),
    ...[...initContainers, ...(containers ?? []), ...ephemeralContainers].flatMap(secretsOfContainer),
    ...volumes.flatMap(secretsOfVolume),
  ]
}

/** Returns the reason to reject a mirror Pod (of a static Pod that a kubelet runs); undefined if it is allowed. */
export function mirrorRefusal(spec: PodSpec): string | undefined {
  const { volumes = [] } = spec
  if ((spec.serviceAccountName || spec.serviceAccount || '') !== '') return 'a mirror pod may not reference service accounts'
  if (secretsOfPod(spec).some((name) => name !== '')) return 'a mirror pod may not reference secrets'
  const projected = volumes.flatMap((volume) => volume.projected?.sources ?? [])
  const hasToken = projected.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}

/** Yields the Secrets that containers reference, with the description for messages. */
function* containerReferences(
  kind: string,
  containers: readonly Container[],
): Generator<{ secret: string; description: string }> {
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef?.name
      if (secret !== undefined)
        yield { secret, description: `${kind} ${name} with envVar ${variable} referencing secret.secretName="${secret}"` }
    }
    for (const { secretRef } of envFrom) {
      const secret = secretRef?.name ?? ''
      if (secretRef !== undefined)
        yield { secret, description: `${kind} ${name} with envFrom referencing secret.secretName="${secret}"` }
    }
  }
}

function* references({
  volumes = [],
  initContainers = [],
  containers,
}: PodSpec): Generator<{ secret: string; description: string }> {
  for (const volume of volumes) {
    const secret = nameIn((volume.secret as Source | undefined)?.secretName)
    if (volume.secret !== undefined) yield { secret, description: `volume with secret.secretName="${secret}"` }
  }
  yield* containerReferences('init container', initContainers)
  yield* containerReferences('container', containers ?? [])
}

/** Returns the reason to reject ephemeral containers because of their Secrets; undefined if they are allowed. */
export function ephemeralRefusal(spec: PodSpec, accountName: string, { mountableSecrets }: PodAccount): string | undefined {
  if (mountableSecrets === undefined) return undefined
  for (const { secret, description } of containerReferences('ephemeral container', spec.ephemeralContainers ?? [])) {
    if (!mountableSecrets.includes(secret)) return notListed(description, accountName)
  }
  return undefined
}

const notListed = (description: string, accountName: string): string =>
  `${description} is not allowed because service account ${accountName} does not reference that secret`

/** Returns the reason to reject a Pod because of its Secrets; undefined if it is allowed. */
export function mountRefusal(spec: PodSpec, accountName: string, account: PodAccount): string | undefined {
  const { mountableSecrets, imagePullSecrets } = account
  if (mountableSecrets === undefined) return undefined
  for (const { secret, description } of references(spec)) {
    if (mountableSecrets.includes(secret)) continue
    return notListed(description, accountName)
  }
  const wrong = (spec.imagePullSecrets ?? []).findIndex(({ name = '' }) => !imagePullSecrets.includes(name))
  if (wrong < 0) return undefined
  const name = spec.imagePullSecrets?.[wrong]?.name ?? ''
  return `imagePullSecrets[${wrong}].name="${name}" is not allowed because service account ${accountName} does not reference that imagePullSecret`
}
