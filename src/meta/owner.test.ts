import { expect, test } from 'vitest'
import { ownerOf, ownerOfText, ownerRange, ownersOf, ownerText } from './owner.ts'

const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }

test('ownerOfText reads back every text of ownerText, for any uid', () => {
  for (const uid of ['u', 'u","v', '', 'ü\n', '\\']) {
    const owner = ownerOf({ ...reference, uid }, 'ns')
    expect(ownerOfText(ownerText(owner))).toEqual(owner)
  }
})

test('ownerTexts bounds the owners with one uid, and no others', () => {
  const { from, to } = ownerRange('u')
  const isWithin = (uid: string): boolean => {
    const text = ownerText(ownerOf({ ...reference, uid }, 'ns'))
    return text >= from && text < to
  }
  expect(isWithin('u')).toBe(true)
  for (const other of ['', 't', 'v', 'u1', 'uu', 'u","x', 'u-', 'u,']) expect([other, isWithin(other)]).toEqual([other, false])
})

test('an owner that is referenced twice is blocked if one reference has blockOwnerDeletion', () => {
  const owners = ownersOf({ namespace: 'ns', ownerReferences: [{ ...reference, blockOwnerDeletion: true }, reference] })
  expect([...owners]).toEqual([[ownerText(ownerOf(reference, 'ns')), true]])
})
