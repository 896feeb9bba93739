import { expect, test } from 'vitest'
import type { Endpoints } from '../../catalog/generated/types/core.v1.ts'
import type { EndpointSlice } from '../../catalog/generated/types/discovery.v1.ts'
import { endpointsIn, readyIn } from './service.ts'

const slice = (ports: EndpointSlice['ports'], ...endpoints: object[]): EndpointSlice =>
  ({ addressType: 'IPv4', metadata: {}, ports, endpoints }) as unknown as EndpointSlice

test('ready endpoints of a Service are found by the name of its port', () => {
  const slices = [
    slice(
      [
        { name: 'https', port: 8443 },
        { name: 'metrics', port: 9090 },
      ],
      { addresses: ['10.0.0.1', '10.0.0.9'] },
    ),
    slice(
      [{ name: 'https', port: 9443 }],
      { addresses: ['10.0.0.2'], conditions: { ready: false } },
      { addresses: ['10.0.0.3'], conditions: { ready: true } },
    ),
    slice([{ name: 'https' }], { addresses: ['10.0.0.4'] }),
  ]
  expect(readyIn(slices, 'https')).toEqual([
    { hostname: '10.0.0.1', port: 8443 },
    { hostname: '10.0.0.3', port: 9443 },
  ])
  expect(readyIn(slices, '')).toEqual([])
})

test('Endpoints of a Service are used without EndpointSlices', () => {
  const endpoints = {
    metadata: {},
    subsets: [
      { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 8443 }] },
      { notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [{ port: 8443 }] },
      { addresses: [{ ip: '10.0.0.3' }], ports: [{ name: 'other', port: 1 }] },
    ],
  } as unknown as Endpoints
  expect(endpointsIn(endpoints, '')).toEqual([{ hostname: '10.0.0.1', port: 8443 }])
})
