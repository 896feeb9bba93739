/** Checks of how a container sees its Pod's volumes. Follows ValidateVolumeMounts and ValidateVolumeDevices of core/validation. */
import { forbiddenValue, invalidValue, notSupported, required, valueNotFound } from '../../../meta/field-error.ts'
import type { Container, VolumeMount } from '../../generated/types/core.v1.ts'
import { checkSupported, type Errors } from '../checks.ts'
import { checkDescendingPath } from './paths.ts'
import type { Volumes } from './volumes.ts'

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursions = ['Disabled', 'Enabled', 'IfPossible']

function checkPropagation(
  { mountPropagation }: VolumeMount,
  { securityContext }: Container,
  field: string,
  errors: Errors,
): void {
  if (mountPropagation === undefined) return
  checkSupported(mountPropagation, propagations, field, errors)
  if (mountPropagation !== 'Bidirectional' || securityContext?.privileged === true) return
  errors.push(forbiddenValue(field, 'Bidirectional mount propagation is available only to privileged containers'))
}

function checkRecursion(
  { recursiveReadOnly, readOnly, mountPropagation = 'None' }: VolumeMount,
  field: string,
  errors: Errors,
): void {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return
  if (!recursions.includes(recursiveReadOnly)) {
    errors.push(notSupported(field, recursiveReadOnly, recursions))
    return
  }
  if (readOnly !== true) errors.push(forbiddenValue(field, 'may only be specified when readOnly is true'))
  if (mountPropagation !== 'None') {
    errors.push(forbiddenValue(field, 'may only be specified when mountPropagation is None or not specified'))
  }
}

/** The messages about a path below the volume name no index. */
function checkSubPaths(mount: VolumeMount, at: string, field: string, errors: Errors): void {
  const { subPath = '', subPathExpr = '' } = mount
  if (subPath !== '') checkDescendingPath(subPath, `${field}.subPath`, errors)
  if (subPathExpr === '') return
  if (subPath !== '') {
    errors.push(invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
  }
  checkDescendingPath(subPathExpr, `${field}.subPathExpr`, errors)
}

/** The volumes that a container mounts. */
export function checkMounts(container: Container, volumes: Volumes, field: string, errors: Errors): void {
  const devices = container.volumeDevices ?? []
  const paths = new Set<string>()
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = `${field}[${index}]`
    const { name, mountPath } = mount
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(valueNotFound(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    if (devices.some((device) => device.name === name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeDevices'))
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'))
    }
    checkSubPaths(mount, at, field, errors)
    checkPropagation(mount, container, `${field}.mountPropagation`, errors)
    checkRecursion(mount, `${field}.recursiveReadOnly`, errors)
  }
}

function checkDeviceName(name: string, seen: ReadonlySet<string>, volumes: Volumes, field: string, errors: Errors): void {
  if (name === '') errors.push(required(field))
  if (seen.has(name)) errors.push(invalidValue(field, name, 'must be unique'))
  const volume = volumes.get(name)
  if (volume === undefined) errors.push(valueNotFound(field, name))
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
    errors.push(invalidValue(field, name, text))
  }
}

function checkDevicePath(path: string, seen: Set<string>, field: string, errors: Errors): void {
  if (path === '') errors.push(required(field))
  if (seen.has(path)) errors.push(invalidValue(field, path, 'must be unique'))
  if (path.split('/').includes('..')) errors.push(invalidValue(field, path, "can not contain backsteps ('..')"))
  else seen.add(path)
}

/** The volumes that a container uses as block devices. */
export function checkDevices(container: Container, volumes: Volumes, field: string, errors: Errors): void {
  const mounts = container.volumeMounts ?? []
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [index, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    const at = `${field}[${index}]`
    checkDeviceName(name, names, volumes, `${at}.name`, errors)
    checkDevicePath(devicePath, paths, `${at}.devicePath`, errors)
    if (mounts.some((mount) => mount.name === name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'))
    }
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      errors.push(invalidValue(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
  }
}
