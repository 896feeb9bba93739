import { isQualifiedName } from '../../../meta/names.ts'
import type { DeviceClass } from '../../generated/types/resource.v1.ts'
import { validator } from '../checks.ts'
import { checkConfiguration, checkSelectors, mostConfigurations } from './claim.ts'
import { checkList } from './lists.ts'

const nativePrefix = 'kubernetes.io/'
const requestsPrefix = 'requests.'

/** Whether the name is that of a resource of Kubernetes itself. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes(nativePrefix)

const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith(requestsPrefix) && isQualifiedName(`${requestsPrefix}${name}`).length === 0

/** Validates a DeviceClass, except its metadata. */
export const validateDeviceClass = validator((errors, { spec }: DeviceClass) => {
  checkSelectors(spec.selectors, 'spec.selectors', errors)
  checkList(spec.config, mostConfigurations, checkConfiguration, 'spec.config', errors)
  const { extendedResourceName: name } = spec
  if (name !== undefined && !isExtendedResource(name)) {
    errors.invalid('spec.extendedResourceName', name, 'must be a valid extended resource name')
  }
})
