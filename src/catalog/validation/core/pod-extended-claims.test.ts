import { expect, test } from 'vitest'
import type { PodExtendedResourceClaimStatus, PodSpec } from '../../generated/types/core.v1.ts'
import { Errors } from '../checks.ts'
import { checkExtendedClaim } from './pod-extended-claims.ts'

const spec = {
  containers: [{ name: 'c', image: 'i', resources: { requests: { 'example.com/gpu': '1' } } }],
} as unknown as PodSpec

function messagesOf(status: PodExtendedResourceClaimStatus | undefined): string[] {
  const errors = new Errors()
  checkExtendedClaim(status, spec, errors)
  return errors.map(({ field, text }) => `${field.replace('status.extendedResourceClaimStatus', '')}: ${text}`)
}

const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' }

test("extendedResourceClaimStatus maps a container's extended resource to a claim request", () => {
  expect(messagesOf(undefined)).toEqual([])
  expect(messagesOf({ requestMappings: [mapping], resourceClaimName: 'claim' })).toEqual([])
})

test('extendedResourceClaimStatus with missing, unknown or duplicate mappings gives an error for each', () => {
  expect(messagesOf({ requestMappings: null, resourceClaimName: '' })).toEqual([
    '.requestMappings: Required value: at least one request mapping is required',
    '.resourceClaimName: Required value',
  ])
  const other = { ...mapping, resourceName: 'cpu' }
  const nobody = { ...mapping, containerName: 'x' }
  expect(messagesOf({ requestMappings: [mapping, mapping, other, nobody], resourceClaimName: 'claim' })).toEqual([
    '.requestMappings[1].containerName: Duplicate value: "c"',
    '.requestMappings[1].resourceName: Duplicate value: "example.com/gpu"',
    '.requestMappings[1].requestName: Duplicate value: "r"',
    '.requestMappings[2].resourceName: Invalid value: "cpu": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
    '.requestMappings[3].containerName: Invalid value: "x": must match the name of an entry in spec.initContainers.name or spec.containers.name',
  ])
})
