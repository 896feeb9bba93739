/** The checks that the standard `restricted` adds to those of `baseline`. Follows k8s.io/pod-security-admission/policy. */
import type { PodSpec, Volume } from '../../../catalog/generated/types/core.v1.ts'
import { seccompProfile as explicitSeccompProfile } from './baseline-checks.ts'
import { type Check, containersThat, counted, plural, quoted, settersOf, sortedTexts } from './violation.ts'

/** Requires allowPrivilegeEscalation=false. */
export const allowPrivilegeEscalation: Check = (_metadata, spec) => {
  const names = containersThat(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (names.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${counted('container', names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

/** Requires that containers drop all capabilities and add at most NET_BIND_SERVICE. */
export const capabilities: Check = (_metadata, spec) => {
  const missing = containersThat(spec, ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true)
  const forbidden: string[] = []
  const adding = containersThat(spec, ({ securityContext }) => {
    const added = (securityContext?.capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE')
    forbidden.push(...added)
    return added.length > 0
  })
  const details = [
    ...(missing.length > 0 ? [`${counted('container', missing)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${counted('container', adding)} must not include ${quoted(sortedTexts(forbidden))} in securityContext.capabilities.add`]
      : []),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const allowedSources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[]

const forbiddenSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const satisfies readonly (keyof Volume)[]

/** Forbids inline volumes other than those of the API and of CSI drivers. */
export const restrictedVolumes: Check = (_metadata, { volumes }) => {
  const forbidden = (volumes ?? []).filter((volume) => !allowedSources.some((source) => volume[source] !== undefined))
  if (forbidden.length === 0) return undefined
  const names = forbidden.map(({ name }) => name)
  const types = forbidden.map((volume) => forbiddenSources.find((source) => volume[source] !== undefined) ?? 'unknown')
  const verb = plural(names.length, 'uses', 'use')
  return {
    reason: 'restricted volume types',
    detail: `${counted('volume', names)} ${verb} ${counted('restricted volume type', sortedTexts(types))}`,
  }
}

/** Returns the containers that do not set a field which the Pod does not set for them either. */
function implicitContainers(spec: PodSpec, field: 'runAsNonRoot' | 'seccompProfile', isSetByPod: boolean): string[] {
  return isSetByPod ? [] : containersThat(spec, ({ securityContext }) => securityContext?.[field] === undefined)
}

/** Requires runAsNonRoot=true for every container. */
export const runAsNonRoot: Check = (_metadata, spec) => {
  const reason = 'runAsNonRoot != true'
  const setters = settersOf(spec, (context) => context.runAsNonRoot === false)
  if (setters.length > 0) return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` }
  const implicit = implicitContainers(spec, 'runAsNonRoot', spec.securityContext?.runAsNonRoot === true)
  if (implicit.length === 0) return undefined
  return { reason, detail: `pod or ${counted('container', implicit)} must set securityContext.runAsNonRoot=true` }
}

/** Forbids runAsUser=0. */
export const runAsUser: Check = (_metadata, spec) => {
  const setters = settersOf(spec, (context) => context.runAsUser === 0)
  return setters.length === 0 ? undefined : { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` }
}

/** Requires the default seccomp profile or a local one for every container. */
export const seccompProfile: Check = (metadata, spec) => {
  const explicit = explicitSeccompProfile(metadata, spec)
  if (explicit !== undefined) return explicit
  const implicit = implicitContainers(spec, 'seccompProfile', spec.securityContext?.seccompProfile !== undefined)
  if (implicit.length === 0) return undefined
  const rule = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
  return { reason: 'seccompProfile', detail: `pod or ${counted('container', implicit)} ${rule}` }
}
