/**
 * Compares the OpenAPI documents with those of kube-apiserver 1.36.3 byte by byte, by the beginning of their SHA-512. The hash of
 * the JSON is also the entity tag and is part of the URL in version 3.
 */
import { describe, expect, test } from 'vitest'
import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import { served, typeTables } from '../../catalog/generated/served.ts'
import { OpenApiDocuments } from './documents.ts'
import { hashes } from './hashes.ts'

const json = [
  ['v2', '276DB9A3BE4566FA'],
  ['v3/.well-known/openid-configuration', '2229F3F580F0094E'],
  ['v3/api', '09FC77387E701FAA'],
  ['v3/api/v1', 'B6B6A956CCCED3FD'],
  ['v3/apis', 'E77BDE29C0C16A4B'],
  ['v3/apis/admissionregistration.k8s.io', '0AD442A156AF0ADA'],
  ['v3/apis/admissionregistration.k8s.io/v1', '673F7AAFC9AC0CCF'],
  ['v3/apis/apiextensions.k8s.io', '84051AC7578169A4'],
  ['v3/apis/apiextensions.k8s.io/v1', 'A3A5323EB79FB435'],
  ['v3/apis/apiregistration.k8s.io', 'C69863A02AE6F6D2'],
  ['v3/apis/apiregistration.k8s.io/v1', '885824ECA1118072'],
  ['v3/apis/apps', '781221DEDA5795C4'],
  ['v3/apis/apps/v1', 'E6837BF046F7D260'],
  ['v3/apis/authentication.k8s.io', '8CE044975199E4F5'],
  ['v3/apis/authentication.k8s.io/v1', 'AEB8455EAF84DB1D'],
  ['v3/apis/authorization.k8s.io', '983A575C472BC9F9'],
  ['v3/apis/authorization.k8s.io/v1', 'F74B50ED6CE9356C'],
  ['v3/apis/autoscaling', 'B4822635F434AEC9'],
  ['v3/apis/autoscaling/v1', '0234E812866E848F'],
  ['v3/apis/autoscaling/v2', 'D4ED7F37F5DD1FFA'],
  ['v3/apis/batch', '4006C5318DA53DC3'],
  ['v3/apis/batch/v1', '5664119A513C767E'],
  ['v3/apis/certificates.k8s.io', 'D7416ED68A53F6AB'],
  ['v3/apis/certificates.k8s.io/v1', '4A969F933C2FF13B'],
  ['v3/apis/coordination.k8s.io', '9246BB555EAFD260'],
  ['v3/apis/coordination.k8s.io/v1', '7A32931036A041A6'],
  ['v3/apis/discovery.k8s.io', '3A40A2F08DCF200E'],
  ['v3/apis/discovery.k8s.io/v1', '51233C00FB6F5A4C'],
  ['v3/apis/events.k8s.io', 'D6F3D9DA4E050D89'],
  ['v3/apis/events.k8s.io/v1', '09A60AB2DCF9BBF0'],
  ['v3/apis/flowcontrol.apiserver.k8s.io', 'DB8B49AF48E78528'],
  ['v3/apis/flowcontrol.apiserver.k8s.io/v1', '521D9553240B7BCA'],
  ['v3/apis/networking.k8s.io', '633D94D761089FE1'],
  ['v3/apis/networking.k8s.io/v1', 'ADE0DC6AB67328D4'],
  ['v3/apis/node.k8s.io', '2258874AC7EA68C1'],
  ['v3/apis/node.k8s.io/v1', '924F228FEB243C80'],
  ['v3/apis/policy', '5EADFF975AB51A27'],
  ['v3/apis/policy/v1', 'FFA6426B2D8DA630'],
  ['v3/apis/rbac.authorization.k8s.io', '425C732C50EF7D87'],
  ['v3/apis/rbac.authorization.k8s.io/v1', '84397C7232498254'],
  ['v3/apis/resource.k8s.io', 'CB0607F90DEEF760'],
  ['v3/apis/resource.k8s.io/v1', '091C281072F39C85'],
  ['v3/apis/scheduling.k8s.io', '5CF094DD460C8566'],
  ['v3/apis/scheduling.k8s.io/v1', '15BA88624BFB0AE5'],
  ['v3/apis/storage.k8s.io', 'FE39B409D00A3F40'],
  ['v3/apis/storage.k8s.io/v1', 'F1C7D1D65D08656D'],
  ['v3/openid/v1/jwks', 'CBD756BEFDF9BD2B'],
  ['v3/version', 'A7C72E0A0AAC295A'],
] as const

const protobuf = [
  ['v2', '2570350B667C0B28'],
  ['v3/api', '22712DACDFC9BF52'],
  ['v3/api/v1', '98C1BA4C4C639585'],
  ['v3/apis/apiregistration.k8s.io/v1', 'C082CA8F2D3040C3'],
  ['v3/apis/apps/v1', 'E7FCF5C979532A67'],
  ['v3/version', 'BB0634395A99FE51'],
] as const

/** Whether the descriptions of parameters and of Quantity are available. The packages that contain them may be missing. */
const isComplete = descriptionOf('meta/v1.ListOptions', 'limit') !== '' && descriptionOf('resource.Quantity') !== ''
/** Whether the document has no paths of resources, which have parameters. */
const isPlain = (name: string): boolean => name.startsWith('v3/') && !/^v3\/(?:api\/v1|apis\/[^/]+\/.+)$/.test(name)

const documents = OpenApiDocuments.of(served, typeTables, {})
const documentOf = (name: string) => (name === 'v2' ? documents.whole() : documents.part(name.slice('v3/'.length)))

test('the documents are those of kube-apiserver and no others', () => {
  expect(['v2', ...documents.names().map((name) => `v3/${name}`)]).toEqual(json.map(([name]) => name))
})

describe.each(json)('OpenAPI document %s in JSON', (name, hash) => {
  test.skipIf(!isComplete && !isPlain(name))('is equal to that of kube-apiserver', async () => {
    expect((await documentOf(name)?.hash())?.slice(0, 16)).toBe(hash)
  })

  test('has the hash that was computed at build time', async () => {
    expect(await documentOf(name)?.hash()).toBe(hashes[name])
  })
})

describe.each(protobuf)('OpenAPI document %s in protobuf', (name, hash) => {
  test.skipIf(!isComplete && !isPlain(name))('is equal to that of kube-apiserver', async () => {
    const bytes = (await documentOf(name)?.bytes('protobuf')) ?? new Uint8Array()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes.slice()))
    expect(Buffer.from(digest).toString('hex').toUpperCase().slice(0, 16)).toBe(hash)
  })
})
