/** How far migrations of stored objects have come. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { MigrationPlaces } from '../../src/controllers/storage-version-migrator/places.ts'

test('a migration goes on where it was, and a later one with its name begins from the start', () =>
  runInDurableObject(env.STORES.getByName(crypto.randomUUID()), (_instance, { storage }) => {
    const first = { name: 'lamps', uid: '1' }
    new MigrationPlaces(storage).set(first, 'token')
    const places = new MigrationPlaces(storage)
    expect(places.get(first)).toBe('token')
    expect(places.get({ name: 'lamps', uid: '2' })).toBe('')
    places.forget('lamps')
    expect(places.get(first)).toBe('')
  }))
