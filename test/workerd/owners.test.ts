/** The index of owners follows the objects in each commit. */
import { describe, expect, test } from 'vitest'
import { ownerOf, ownerRange, ownerText } from '../../src/meta/owner.ts'
import type { Database } from '../../src/storage/database.ts'
import {
  insertDeletion,
  notifyOwners,
  resolveOwner,
  selectDependence,
  selectDependents,
  selectDueOwners,
  selectNextDue,
  selectOwnerState,
} from '../../src/storage/owner-statements.ts'
import { indexOwners } from '../../src/storage/owners.ts'
import type { SqliteStore } from '../../src/storage/sqlite-store.ts'
import type { StoreEvent } from '../../src/storage/store.ts'
import { newStore } from './stores.ts'

const reference = (uid: string, blockOwnerDeletion = false) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: `the-${uid}`,
  uid,
  blockOwnerDeletion,
})
const named = (uid: string): string => ownerText(ownerOf(reference(uid), 'a'))

type References = readonly ReturnType<typeof reference>[]

/** Makes a store whose changes are indexed as due at time 5. */
function indexed(body: (store: SqliteStore, sql: SqlStorage) => Promise<void>): Promise<void> {
  let database: Database | undefined
  const changed = (event: StoreEvent): void => {
    if (database !== undefined) indexOwners(database.sql, event, 5)
  }
  return newStore({ changed }).run((store, _, opened) => {
    database = opened
    // Makes the tables.
    opened.sql.exec("INSERT INTO meta (name, value) VALUES ('test', '')")
    return body(store, opened.sql)
  })
}

function put(store: SqliteStore, name: string, ownerReferences?: References): Promise<void> {
  return store.write((transaction) => {
    const metadata = { name, namespace: 'a', ...(ownerReferences !== undefined && { ownerReferences }) }
    const stored = { key: `pods/a/${name}`, resourceVersion: transaction.nextResourceVersion(), labels: '' }
    transaction.put({ ...stored, value: JSON.stringify({ metadata }) })
  })
}

const remove = (store: SqliteStore, name: string): Promise<void> =>
  store.write((transaction) => {
    const existing = transaction.get(`pods/a/${name}`)
    if (existing !== undefined) transaction.remove({ ...existing, resourceVersion: transaction.nextResourceVersion() })
  })

describe('the index of owners', () => {
  test('finds the dependents of an owner after changes', () =>
    indexed(async (store, sql) => {
      const dependents = (uid: string): string[] => selectDependents(sql, named(uid), '', 10)
      await put(store, 'x', [reference('u'), reference('v')])
      await put(store, 'y', [reference('u', true)])
      await put(store, 'z')
      expect(dependents('u')).toEqual(['pods/a/x', 'pods/a/y'])
      expect(selectDependence(sql, ownerRange('u'))).toEqual({ some: true, blocking: true })
      await put(store, 'y', [reference('u')])
      expect(selectDependence(sql, ownerRange('u'))).toEqual({ some: true, blocking: false })
      await put(store, 'x', [reference('v')])
      await remove(store, 'y')
      expect([dependents('u'), dependents('v')]).toEqual([[], ['pods/a/x']])
      expect(selectDependence(sql, ownerRange('u'))).toEqual({ some: false, blocking: false })
    }))

  test('queries an owner once, and makes its dependents due when it is deleted', () =>
    indexed(async (store, sql) => {
      await put(store, 'x', [reference('u')])
      expect(selectDueOwners(sql, 5, 'unknown', 10).map(({ owner }) => owner)).toEqual([named('u')])
      resolveOwner(sql, named('u'), 'solid', 'there', null)
      await put(store, 'y', [reference('u')])
      expect(selectNextDue(sql)).toBeUndefined()
      expect(notifyOwners(sql, ownerRange('u'), 'gone', 'there', 7)).toBeGreaterThan(0)
      expect(selectDueOwners(sql, 7, 'known', 10)).toMatchObject([{ owner: named('u'), state: 'gone', after: '' }])
      // An answer about the owner that arrives after its deletion is ignored.
      resolveOwner(sql, named('u'), 'solid', 'there', null)
      expect(selectOwnerState(sql, named('u'))).toBe('gone')
      expect(notifyOwners(sql, ownerRange('unheard-of'), 'gone', 'there', 7)).toBe(0)
    }))

  test('keeps nothing of a failed operation', () =>
    indexed(async (store, sql) => {
      const failing = store.write((transaction) => {
        const value = JSON.stringify({ metadata: { namespace: 'a', ownerReferences: [reference('u')] } })
        transaction.put({ key: 'pods/a/x', resourceVersion: transaction.nextResourceVersion(), value, labels: '' })
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(selectDependents(sql, named('u'), '', 10)).toEqual([])
    }))

  test('returns the time of the next work, for owners and dependents', () =>
    indexed(async (store, sql) => {
      expect(selectNextDue(sql)).toBeUndefined()
      insertDeletion(sql, { uid: 'w', place: 'there', key: 'pods/a/w', phase: 'gone' }, 9)
      expect(selectNextDue(sql)).toBe(9)
      await put(store, 'x', [reference('u')])
      expect(selectNextDue(sql)).toBe(5)
    }))
})
