import { expect, test } from 'vitest'
import type { PodExtendedResourceClaimStatus, PodSpec } from '../../generated/types/core.v1.ts'
import { Errors } from '../checks.ts'
import { checkExtendedClaim } from './pod-extended-claims.ts'

const spec = {
  containers: [{ name: 'c', image: 'i', resources: { requests: { 'example.com/gpu': '1' } } }],
} as unknown as PodSpec

function told(status: PodExtendedResourceClaimStatus | undefined): string[] {
  const errors = new Errors()
  checkExtendedClaim(status, spec, errors)
  return errors.map(({ field, text }) => `${field.replace('status.extendedResourceClaimStatus', '')}: ${text}`)
}

const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' }

test('what a container asks for is mapped to a request of the claim', () => {
  expect(told(undefined)).toEqual([])
  expect(told({ requestMappings: [mapping], resourceClaimName: 'claim' })).toEqual([])
})

test('what is missing, stands nowhere or stands twice is told', () => {
  expect(told({ requestMappings: null, resourceClaimName: '' })).toEqual([
    '.requestMappings: Required value: at least one request mapping is required',
    '.resourceClaimName: Required value',
  ])
  const other = { ...mapping, resourceName: 'cpu' }
  const nobody = { ...mapping, containerName: 'x' }
  expect(told({ requestMappings: [mapping, mapping, other, nobody], resourceClaimName: 'claim' })).toEqual([
    '.requestMappings[1].containerName: Duplicate value: "c"',
    '.requestMappings[1].resourceName: Duplicate value: "example.com/gpu"',
    '.requestMappings[1].requestName: Duplicate value: "r"',
    '.requestMappings[2].resourceName: Invalid value: "cpu": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
    '.requestMappings[3].containerName: Invalid value: "x": must match the name of an entry in spec.initContainers.name or spec.containers.name',
  ])
})
