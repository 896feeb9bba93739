import { type Container, MountPropagationMode, type VolumeMount } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'
import { checkDescendingPath } from './paths.ts'
import type { Volumes } from './volumes.ts'

const recursions = ['Disabled', 'Enabled', 'IfPossible']

function checkPropagation(
  { mountPropagation }: VolumeMount,
  { securityContext }: Container,
  field: string,
  errors: Errors,
): void {
  if (mountPropagation === undefined) return
  errors.checkSupported(mountPropagation, MountPropagationMode, field)
  if (mountPropagation !== 'Bidirectional' || securityContext?.privileged === true) return
  errors.forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')
}

function checkRecursion(
  { recursiveReadOnly, readOnly, mountPropagation = 'None' }: VolumeMount,
  field: string,
  errors: Errors,
): void {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return
  if (!recursions.includes(recursiveReadOnly)) {
    errors.notSupported(field, recursiveReadOnly, recursions)
    return
  }
  if (readOnly !== true) errors.forbidden(field, 'may only be specified when readOnly is true')
  if (mountPropagation !== 'None') errors.forbidden(field, 'may only be specified when mountPropagation is None or not specified')
}

/** Validates subPath and subPathExpr. The messages contain no index. */
function checkSubPaths(mount: VolumeMount, at: string, field: string, errors: Errors): void {
  const { subPath = '', subPathExpr = '' } = mount
  if (subPath !== '') checkDescendingPath(subPath, `${field}.subPath`, errors)
  if (subPathExpr === '') return
  if (subPath !== '') errors.invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')
  checkDescendingPath(subPathExpr, `${field}.subPathExpr`, errors)
}

/** Returns the path of each volume: the last one of a volume that is used several times, because kube-apiserver compares only that. */
const lastPaths = <T extends { readonly name: string }>(
  uses: readonly T[] = [],
  pathOf: (use: T) => string,
): Map<string, string> => new Map(uses.map((use) => [use.name, pathOf(use)]))

/** Validates the volume mounts of a container. */
export function checkMounts(container: Container, volumes: Volumes, field: string, errors: Errors): void {
  const devices = lastPaths(container.volumeDevices, ({ devicePath }) => devicePath)
  const devicePaths = new Set(devices.values())
  const paths = new Set<string>()
  for (const [at, mount] of itemsOf(container.volumeMounts, field)) {
    const { name, mountPath } = mount
    if (name === '') errors.required(`${at}.name`)
    if (!volumes.has(name)) errors.notFound(`${at}.name`, name)
    if (mountPath === '') errors.required(`${at}.mountPath`)
    if (paths.has(mountPath)) errors.invalid(`${at}.mountPath`, mountPath, 'must be unique')
    paths.add(mountPath)
    if (devices.has(name)) errors.invalid(`${at}.name`, name, 'must not already exist in volumeDevices')
    if (devicePaths.has(mountPath)) {
      errors.invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')
    }
    checkSubPaths(mount, at, field, errors)
    checkPropagation(mount, container, `${field}.mountPropagation`, errors)
    checkRecursion(mount, `${field}.recursiveReadOnly`, errors)
  }
}

function checkDeviceName(name: string, seen: ReadonlySet<string>, volumes: Volumes, field: string, errors: Errors): void {
  if (name === '') errors.required(field)
  if (seen.has(name)) errors.invalid(field, name, 'must be unique')
  const volume = volumes.get(name)
  if (volume === undefined) errors.notFound(field, name)
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    errors.invalid(field, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')
  }
}

function checkDevicePath(path: string, seen: Set<string>, field: string, errors: Errors): void {
  if (path === '') errors.required(field)
  if (seen.has(path)) errors.invalid(field, path, 'must be unique')
  if (path.split('/').includes('..')) errors.invalid(field, path, "can not contain backsteps ('..')")
  else seen.add(path)
}

/** Validates the block devices (volumeDevices) of a container. */
export function checkDevices(container: Container, volumes: Volumes, field: string, errors: Errors): void {
  const mounts = lastPaths(container.volumeMounts, ({ mountPath }) => mountPath)
  const mountPaths = new Set(mounts.values())
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [at, { name, devicePath }] of itemsOf(container.volumeDevices, field)) {
    checkDeviceName(name, names, volumes, `${at}.name`, errors)
    checkDevicePath(devicePath, paths, `${at}.devicePath`, errors)
    if (mounts.has(name)) errors.invalid(`${at}.name`, name, 'must not already exist in volumeMounts')
    if (mountPaths.has(devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts')
    }
    if (name !== '') names.add(name)
  }
}
