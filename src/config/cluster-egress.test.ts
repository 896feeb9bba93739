import { expect, test } from 'vitest'
import { listedBlocks, loopback, readClusterEgress, unlisted } from './cluster-egress.ts'

test('CLUSTER_EGRESS lists names, addresses and CIDRs', () => {
  const egress = readClusterEgress('127.0.0.0/8, ::1,10.1.2.3,Hooks.Example.com,')
  expect([...egress.names]).toEqual(['hooks.example.com'])
  expect(listedBlocks(egress)).toEqual(['127.0.0.0/8', '::1/128', '10.1.2.3/32'])
  expect(listedBlocks(readClusterEgress(loopback))).toEqual(['127.0.0.0/8', '::1/128'])
})

test.each(['127.0.0.0/33', 'https://hooks.example.com', 'hooks.example.com:443', '127.1', '0x7f000001', '10.0.0.0/8/9'])(
  'CLUSTER_EGRESS does not list %s',
  (text) => {
    expect(() => readClusterEgress(text)).toThrow(`${JSON.stringify(text)} is no host name, address or CIDR`)
  },
)

test('a listed block ends the refusal of the blocks in it, and of no other', () => {
  const egress = readClusterEgress('10.0.0.0/7,192.168.1.0/24')
  expect(unlisted(['10.0.0.0/8', '192.168.0.0/16', '192.168.1.7', 'fc00::/7'], egress)).toEqual(['192.168.0.0/16', 'fc00::/7'])
})
