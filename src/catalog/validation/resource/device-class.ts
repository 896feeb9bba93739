import { isQualifiedName } from '../../../meta/names.ts'
import type { DeviceClass } from '../../generated/types/resource.v1.ts'
import { validator } from '../checks.ts'
import { checkConfiguration, checkSelectors, mostConfigurations } from './claim.ts'
import { checkList } from './lists.ts'

const nativePrefix = 'kubernetes.io/'
const requestsPrefix = 'requests.'

/** Whether the name is one of Kubernetes' own resources. */
export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes(nativePrefix)

const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith(requestsPrefix) && isQualifiedName(`${requestsPrefix}${name}`).length === 0

/** What is wrong with a DeviceClass, its metadata left out. */
export const validateDeviceClass = validator((errors, { spec }: DeviceClass) => {
  checkSelectors(spec.selectors, 'spec.selectors', errors)
  checkList(spec.config, mostConfigurations, checkConfiguration, 'spec.config', errors)
  const { extendedResourceName: name } = spec
  if (name !== undefined && !isExtendedResource(name)) {
    errors.invalid('spec.extendedResourceName', name, 'must be a valid extended resource name')
  }
})
